import {
  type AbiEvent,
  type AbiParameter,
  encodeAbiParameters,
  encodeEventTopics,
  getAddress,
  maxUint256,
} from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as abis from "../../abis/ensv2.ts";
import { startLocalChain } from "../../devnet/localChain.ts";
import { type Emission, type Emit, emitterOn } from "./emittedLogs.ts";
import {
  ALICE,
  deployProxy,
  ETH,
  FACTORY,
  foundations,
  LABEL_STORE,
  numberOf,
  REGISTRAR,
  RENEWER,
  RESOLVER_CODE,
  ROOT,
  register,
  UNIVERSAL,
  withEnsv2,
} from "./ensv2Logs.ts";
import { type Stage, stageOf } from "./stage.ts";
import { expectUndisturbed } from "./undisturbed.ts";

/*
 * Every event of ENSv2 from every followed contract, with arguments that no honest contract would give. Each is kept, and no
 * handler fails.
 */

const PROXY = getAddress(`0x${"d1".repeat(20)}`);
const RESOLVER = getAddress(`0x${"d2".repeat(20)}`);

let stage: Stage;
let emit: Emit;

beforeAll(async () => {
  const local = await startLocalChain();
  emit = await emitterOn(local.chain, local);
  await emit(
    ...foundations(),
    ...deployProxy(PROXY),
    ...deployProxy(RESOLVER, { code: RESOLVER_CODE }),
    ...register(ETH, { label: "held", owner: ALICE, subregistry: PROXY }),
    ...register(PROXY, { label: "held", owner: ALICE, subregistry: PROXY }),
  );
  stage = await stageOf({ ...local, deployment: withEnsv2(local) });
});
afterAll(() => stage?.close());

type Choose = (parameter: AbiParameter) => unknown;

/** A value of a type: zero, the maximum, or a value of an existing entry. */
const choices: Record<string, Choose> = {
  nothing: ({ type }) => argumentOf(type, { number: 0n, text: "", bytes: "0x", digit: "00", count: 0 }),
  most: ({ type }) =>
    argumentOf(type, {
      number: maxUint256,
      text: "\0\ufeff.[x]".repeat(99),
      bytes: "0xff00fe",
      digit: "ff",
      count: 9,
    }),
  known: ({ type }) =>
    argumentOf(type, { number: numberOf("held"), text: "held", bytes: "0x68656c64", digit: "a1", count: 2 }),
};

type Kind = { number: bigint; text: string; bytes: string; digit: string; count: number };

function argumentOf(type: string, { number, text, bytes, digit, count }: Kind): unknown {
  if (type.endsWith("[]")) return Array.from({ length: count }, () => number);
  if (type === "string") return text;
  if (type === "bytes") return bytes;
  if (type === "bool") return count > 0;
  if (type === "address") return `0x${digit.repeat(20)}`;
  if (type.startsWith("bytes")) return `0x${digit.repeat(Number(type.slice(5)))}`;
  return number & (2n ** BigInt(type.slice(4)) - 1n);
}

function logOfEvent(event: AbiEvent, choose: Choose) {
  const values = event.inputs.map((input) => choose(input));
  const args = Object.fromEntries(event.inputs.map(({ name }, index) => [name, values[index]]));
  const plain = event.inputs.flatMap((input, index) =>
    input.indexed ? [] : [{ input, value: values[index] }],
  );
  return {
    topics: encodeEventTopics({ abi: [event], args } as never) as `0x${string}`[],
    data: encodeAbiParameters(
      plain.map(({ input }) => input),
      plain.map(({ value }) => value),
    ),
  };
}

const emitters: [string, `0x${string}`, readonly unknown[]][] = [
  ["the root registry", ROOT, abis.ensv2RegistryAbi],
  ["the ETH registry", ETH, abis.ensv2RegistryAbi],
  ["a registry of a factory", PROXY, abis.ensv2RegistryAbi],
  ["a resolver of a factory", RESOLVER, [...abis.ensv2ResolverAbi, ...abis.ensv2RegistryAbi]],
  ["the registrar", REGISTRAR, abis.ensv2RegistrarAbi],
  ["the renewer", RENEWER, abis.ensv2RegistrarAbi],
  ["the factory", FACTORY, abis.ensv2FactoryAbi],
  ["the label store", LABEL_STORE, abis.ensv2LabelStoreAbi],
  ["the universal resolver", UNIVERSAL, abis.upgradedAbi],
];

test.each(emitters)("any log of %s", async (_, by, abi) => {
  // Code unknown to the index comes last: nothing counts after it.
  const events = (abi as AbiEvent[]).toSorted(
    (a, b) => Number(a.name === "Upgraded") - Number(b.name === "Upgraded"),
  );
  for (const choose of [choices.known, choices.nothing, choices.most, choices.known]) {
    if (choose === undefined) continue;
    const logs = events.map((event): Emission => ({ by, log: logOfEvent(event, choose) }));
    const { transactionHash } = await emit(...logs, ...logs);
    const found = await stage.sql<{ count: number; anomalies: string[] | null }>(
      `select count(distinct log_index)::int as count, array_agg(distinct anomaly) filter (where anomaly is not null) as anomalies
       from events where transaction_hash = $1 and contract like 'ENSV2%'`,
      [transactionHash],
    );
    expect(found[0]?.count).toBe(2 * events.length);
    for (const anomaly of found[0]?.anomalies ?? []) expect(anomaly).not.toMatch(/handler failed/);
  }
});

test("leaves every table equal to that of an index that saw the logs at once", async () => {
  await stage.stack.waitForHead();
  await expectUndisturbed(stage.stack, stage.local);
});
