import {
  type AbiEvent,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  type RpcLog,
  type TransactionReceipt,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { controllerPremiumAbi, controllerReferrerAbi } from "../../abis/controllers.ts";
import { type ChainDeployment, knownDeployments } from "../../abis/deployments.ts";
import { nameWrapperAbi } from "../../abis/nameWrapper.ts";
import { registryAbi } from "../../abis/registry.ts";
import { resolverAbi } from "../../abis/resolver.ts";
import { type Argument, encoderOf } from "../../bench/index/chain/encode.ts";
import { generate } from "../../bench/index/chain/history.ts";
import type { Ledger } from "../../bench/index/chain/ledger.ts";
import { unwrap, wrap } from "../../bench/index/chain/ownership.ts";
import { registerV3, registerV4, registerV5, renew } from "../../bench/index/chain/registrations.ts";
import { type Name, openScene, type Scene } from "../../bench/index/chain/scene.ts";
import * as acts from "../../devnet/acts.ts";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";

const example: Record<string, Argument> = {
  string: "a text of more than 32 bytes, with ☃ in it",
  bytes: "0x0102030405",
  bool: true,
  address: `0x${"ab".repeat(20)}`,
  bytes32: `0x${"cd".repeat(32)}`,
  bytes4: `0x${"12".repeat(4)}`,
  "uint256[]": [1n, 2n ** 255n],
  uint256: 2n ** 200n,
  uint64: 77,
  uint32: 196_608,
  uint16: 16,
};

describe("logs are encoded as by viem", () => {
  const events = [
    registryAbi,
    controllerPremiumAbi,
    controllerReferrerAbi,
    nameWrapperAbi,
    resolverAbi,
  ].flat();
  // bytes4 is left-aligned in its word, and no act logs it.
  const known = events.filter(({ inputs }) => inputs.every(({ type }) => type !== "bytes4"));

  test.each(known as AbiEvent[])("$name", (event) => {
    const args = event.inputs.map(({ type }) => example[type] as Argument);
    const named = Object.fromEntries(event.inputs.map(({ name }, i) => [name, args[i]]));
    const plain = event.inputs.flatMap((input, i) => (input.indexed ? [] : [{ input, value: args[i] }]));
    const topics = encodeEventTopics({ abi: [event], args: named } as never);
    const data = encodeAbiParameters(
      plain.map(({ input }) => input),
      plain.map(({ value }) => value),
    );
    expect(encoderOf(event)(args)).toEqual({ topics, data });
  });
});

describe("a transaction has the contracts' logs in their order", () => {
  let local: LocalChain;
  beforeAll(async () => {
    local = await startLocalChain();
    const [deployer] = local.chain.accounts as [Hex];
    await acts.useReverseRegistrar(local.chain, { from: deployer, registrar: "reverseRegistrar3" });
  });
  afterAll(() => local?.anvil.stop());

  const wholeBy = (resolver: string, address: Hex) => ({
    resolver,
    records: [{ kind: "addr" as const, address }],
  });

  test("for a registration by the controllers of 2020, 2023 and 2025, with and without records", async () => {
    const { chain } = local;
    const [, a, b, c] = chain.accounts as [Hex, Hex, Hex, Hex];
    const scene = openScene(10, 1);
    const terms = { block: 24_000_000, years: 1, hasReverse: true };
    const bare = { ...terms, isBare: true };
    const whole = { ...terms, isBare: false };
    same(await acts.registerV3(chain, { from: a, label: "bare3" }), scene, () =>
      registerV3(scene, { ...bare, number: 1 }),
    );
    same(
      await acts.registerWithConfigV3(chain, { from: a, label: "whole3", resolver: "resolver3", addr: a }),
      scene,
      () => registerV3(scene, { ...whole, number: 2 }),
    );
    same(await acts.registerWrapped(chain, { from: a, label: "bare4" }), scene, () =>
      registerV4(scene, { ...bare, number: 3 }),
    );
    const named4 = { from: b, label: "whole4", reverseRecord: true, ...wholeBy("resolver4", b) };
    same(await acts.registerWrapped(chain, named4), scene, () => registerV4(scene, { ...whole, number: 4 }));
    same(await acts.registerReferred(chain, { from: a, label: "bare5" }), scene, () =>
      registerV5(scene, { ...bare, number: 5 }),
    );
    const named5 = { from: c, label: "whole5", reverseRecord: 1, ...wholeBy("resolver5", c) };
    same(await acts.registerReferred(chain, named5), scene, () => registerV5(scene, { ...whole, number: 6 }));
  });

  test("for wrapping, unwrapping and renewing", async () => {
    const { chain } = local;
    const [, a] = chain.accounts as [Hex, Hex];
    const scene = openScene(10, 1);
    const terms = { block: 22_000_000, years: 1, isBare: true, hasReverse: false };
    await acts.registerV3(chain, { from: a, label: "to-wrap" });
    registerV3(scene, { ...terms, number: 1 });
    const name = scene.names[1] as Name;
    const resolver = acts.addressOf(chain, "resolver4");
    same(await acts.wrapETH2LD(chain, { from: a, label: "to-wrap", resolver }), scene, () =>
      wrap(scene, terms.block, name),
    );
    same(await acts.renew(chain, { from: a, label: "to-wrap", controller: "controller4" }), scene, () =>
      renew(scene, { ...terms, number: 1 }),
    );
    same(await acts.unwrapETH2LD(chain, { from: a, label: "to-wrap" }), scene, () =>
      unwrap(scene, terms.block, name),
    );
  });

  /** Which contract logged which event: of the local contracts, and of the generated chain during an act, without texts. */
  function same(receipt: TransactionReceipt, scene: Scene, act: () => void): void {
    const { ledger } = scene;
    const before = ledger.logs;
    act();
    const generated = placesFrom(before, ledger.logs)
      .map(
        (log) => [ledger.addresses.at(ledger.addressOf(log)), ledger.topics.at(ledger.topicOf(log))] as const,
      )
      .map(([address, topic]) => `${whoIs(knownDeployments.mainnet(), address)} ${topic}`);
    const logged = receipt.logs.map(
      ({ address, topics }) => `${whoIs(local.deployment, address)} ${topics[0]}`,
    );
    expect(generated.filter((line) => !line.endsWith(textChanged))).toEqual(logged);
  }
});

const textChanged = String(
  encoderOf(resolverAbi[0] as AbiEvent)([example.bytes32 as Hex, "", "", ""]).topics[0],
);

const placesFrom = (first: number, end: number): number[] =>
  Array.from({ length: end - first }, (_, i) => first + i);

function whoIs(deployment: ChainDeployment, address: string | undefined): string {
  const entry = deployment.contracts.find((one) => one.address.toLowerCase() === address?.toLowerCase());
  return entry ? `${entry.role} ${entry.generation}` : String(address);
}

test("the same seed gives the same chain, with consecutive blocks", () => {
  const [one, other, third] = [generate(30, 7), generate(30, 7), generate(30, 8)];
  const text = (ledger: Ledger) => Buffer.concat(ledger.read(placesFrom(0, ledger.logs))).toString();
  expect(text(one)).toBe(text(other));
  expect(text(one)).not.toBe(text(third));
  const blocks = placesFrom(0, one.logs).map((log) => one.blockOf(log));
  expect(blocks).toEqual(blocks.toSorted((a, b) => a - b));
});

test("a log names its own transaction and block", () => {
  const ledger = generate(30, 7);
  const places = placesFrom(0, ledger.logs);
  const logs = JSON.parse(`[${ledger.read(places).join("").slice(0, -1)}]`) as RpcLog[];
  expect(logs).toHaveLength(ledger.logs);
  for (const log of logs) {
    const block = ledger.findBlock(Number(log.blockNumber));
    expect(log.blockHash).toBe(block?.hash);
    expect(log.transactionHash).toBe(block?.transactions[Number(log.transactionIndex)]?.hash);
  }
  const numbers = [...new Set(logs.map(({ blockNumber }) => Number(blockNumber)))];
  expect(numbers).toHaveLength(ledger.blocks);
  const transactions = numbers.flatMap((number) => ledger.findBlock(number)?.transactions ?? []);
  expect(transactions).toHaveLength(ledger.transactions);
  expect(ledger.findBlock((numbers[0] ?? 0) + 1)).toBeUndefined();
});
