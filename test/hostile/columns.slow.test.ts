import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AbiEvent,
  type AbiParameter,
  type Address,
  bytesToHex,
  getAddress,
  type Hex,
  zeroAddress,
} from "viem";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import type { Deployment } from "../../abis/deployments.ts";
import { type Chance, chanceOf } from "../../bench/api/chance.ts";
import { ethNode, hashLabel } from "../../devnet/acts.ts";
import { type LocalChain, startDemoChain } from "../../devnet/localChain.ts";
import { readStatus } from "../../devnet/ponder.ts";
import { listTables } from "../../engine/ponderInternals.ts";
import { coinTypeOfChain, reverseNodeOf } from "../../src/ens/coinType.ts";
import { childNode, labelhash } from "../../src/ens/name.ts";
import {
  by,
  contractOf,
  type Emission,
  type Emit,
  type EmitterChain,
  emitterOn,
  layer2Of,
  startEmitterChain,
} from "../chain/emittedLogs.ts";
import {
  ALICE,
  deployProxy,
  ETH,
  foundations,
  numberOf,
  RESOLVER_CODE,
  register,
  registryLog,
  withEnsv2,
} from "../chain/ensv2Logs.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { logOf } from "./logs.ts";

/*
 * Every event of every followed contract, with extreme values: texts with NUL, texts that are not UTF-8, texts longer than an
 * index accepts, the largest and the smallest numbers. PostgreSQL must accept every row that handlers make from them, in a
 * backfill and in live blocks: a rejected row stops the index.
 */
const seed = inject("seed");
const LOGS_OF_EVENT = 10;
const LOGS_IN_A_TRANSACTION = 8;

const base = layer2Of("base");
const REVERSE_NODE = childNode(
  reverseNodeOf(coinTypeOfChain(base.chainId)),
  labelhash(ALICE.slice(2).toLowerCase()),
);

type Place = { chain: string; address: Address; events: readonly AbiEvent[]; found?: Emission[] };

let main: LocalChain;
let onBase: EmitterChain;
let stack: Stack;
let emits: Record<string, Emit>;
let places: Place[];

beforeAll(async () => {
  main = await startDemoChain();
  onBase = await startEmitterChain(base, main);
  const ofEnsv2 = withEnsv2(main);
  const deployment = { ...ofEnsv2, layer2: [base], contracts: [...ofEnsv2.contracts, ...notDeployed] };
  emits = { [deployment.name]: await emitterOn(main.chain, main), [base.name]: onBase.emit };
  const env = { [`RPC_URL_${base.chainId}`]: onBase.anvil.url };
  places = await listPlaces(deployment, { ...env, [`RPC_URL_${deployment.chainId}`]: main.anvil.url });
  await emits[deployment.name]?.(
    ...foundations(),
    ...deployProxy(PROXY),
    ...deployProxy(HELD),
    ...deployProxy(RESOLVER, { code: RESOLVER_CODE }),
    ...register(ETH, { label: "alice", owner: ALICE, subregistry: PROXY }),
    ...register(ETH, { label: "held", owner: ALICE, subregistry: HELD }),
    registryLog(HELD, "ParentUpdated", { parent: ETH, label: "held", sender: ALICE }),
    ...register(HELD, { label: "sub", owner: ALICE, resolver: RESOLVER }),
  );
  await onBase.emit(...reverseLogs());
  await emitEverything(seed);
  stack = await startStack({ rpcUrl: main.anvil.url, deployment, env });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await stack?.destroy();
  await Promise.all([main, onBase].map((chain) => chain?.anvil.stop()));
});

const contract = (digits: string): Address => getAddress(`0x${digits.repeat(20)}`);
const [PROXY, RESOLVER, FOUND, HELD] = [contract("d1"), contract("d2"), contract("d3"), contract("d4")];
const STRANGER = contract("57");
/** Contracts of mainnet that the demo does not deploy. */
const notDeployed: Deployment["contracts"] = [
  { role: "dns-registrar", generation: 1, address: contract("c1"), startBlock: 0 },
  { role: "dns-registrar", generation: 2, address: contract("c2"), startBlock: 0 },
  { role: "subdomain-registrar", generation: 1, address: contract("c3"), startBlock: 0 },
  { role: "short-name-claims", generation: 1, address: contract("c4"), startBlock: 0 },
];
/** ENSv2 contracts that a factory deployed with known code. */
const proxies: Record<string, Address> = { Ensv2ProxyRegistry: PROXY, Ensv2Resolver: RESOLVER };

/** The contracts that the configuration follows on each chain. One deployed by a factory is named by a log. */
async function listPlaces(deployment: Deployment, urls: Record<string, string>): Promise<Place[]> {
  const folder = mkdtempSync(join(tmpdir(), "namedex-columns-"));
  const file = join(folder, "deployment.json");
  writeFileSync(file, JSON.stringify(deployment));
  const settings = {
    ...urls,
    ENS_NETWORK: "devnet",
    ENS_DEPLOYMENT: file,
    DATABASE_URL: "postgresql://localhost/none",
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const { contracts } = (await import("../../ponder.config.ts")).default;
  rmSync(folder, { recursive: true });
  return Object.entries(contracts as unknown as Record<string, Followed>).flatMap(
    ([entry, { abi, chain }]) => {
      const events = abi.filter(({ type, name }) => type === "event" && name !== "Upgraded");
      return Object.entries(chain).flatMap(([name, { address = [STRANGER] }]): Place[] => {
        if (Array.isArray(address)) return address.map((one) => ({ chain: name, address: one, events }));
        const proxy = proxies[entry];
        if (proxy !== undefined) return [{ chain: name, address: proxy, events }];
        const { address: by, event, parameter } = address;
        const values = event.inputs.map((input) =>
          input.name === parameter ? FOUND : argumentOf(chanceOf(1), input),
        );
        return [
          {
            chain: name,
            address: FOUND,
            events,
            found: by.map((one) => ({ by: one, log: logAt(event, values) })),
          },
        ];
      });
    },
  );
}

type Found = { address: Address[]; event: AbiEvent; parameter: string };
type Followed = { abi: readonly AbiEvent[]; chain: Record<string, { address?: Address[] | Found }> };

const logAt = (event: AbiEvent, values: readonly unknown[]): Emission["log"] => {
  const { topics, data } = logOf(event, ...values);
  return { topics: [...topics], data };
};

const bytes = (chance: Chance, length: number): Hex =>
  bytesToHex(Uint8Array.from({ length }, () => chance.below(256)));

/** A text that PostgreSQL can hardly compress. */
const hardText = (chance: Chance) => Buffer.from(bytes(chance, 9_000).slice(2), "hex").toString("base64");

const texts: readonly ((chance: Chance) => string | Uint8Array)[] = [
  () => "",
  () => "alice",
  () => "a\0b\0",
  () => "\ufeff\u202e😀 [.]\\N\t\n\b",
  () => Uint8Array.from([0xed, 0xa0, 0x80, 0x61, 0xff]), // A lone surrogate, and an invalid first byte.
  () => "é".repeat(400),
  (chance) => hardText(chance),
  (chance) => Uint8Array.from({ length: 5_000 }, () => chance.below(256)),
];

function numberOfType(chance: Chance, type: string): bigint | number {
  const isSigned = type.startsWith("int");
  const bits = BigInt(type.replace(/\D/g, "") || 256) - (isSigned ? 1n : 0n);
  const all = [
    0n,
    1n,
    2n ** 31n,
    2n ** 32n - 1n,
    2n ** 53n,
    2n ** 63n - 1n,
    2n ** 63n,
    2n ** 64n - 1n,
    numberOf("alice"),
    BigInt(ethNode("alice")),
  ];
  const fitting = [...all, BigInt(hashLabel("alice"))].filter((one) => one < 2n ** bits);
  const value = pick(chance, [...fitting, 2n ** bits - 1n, ...(isSigned ? [-(2n ** bits)] : [])]);
  return bits <= 48n ? Number(value) : value;
}

const pick = <Kind>(chance: Chance, all: readonly Kind[]): Kind => all[chance.below(all.length)] as Kind;

function argumentOf(chance: Chance, parameter: AbiParameter): unknown {
  const { type } = parameter;
  if (type.endsWith("[]")) {
    return Array.from({ length: chance.below(4) }, () =>
      argumentOf(chance, { ...parameter, type: type.slice(0, -2) }),
    );
  }
  if (type === "tuple") {
    const { components } = parameter as { components: readonly AbiParameter[] };
    return Object.fromEntries(components.map((one) => [one.name, argumentOf(chance, one)]));
  }
  if (type === "string") return pick(chance, texts)(chance);
  if (type === "bytes") return bytes(chance, pick(chance, [0, 1, 20, 32, 9_000]));
  if (type === "bool") return chance.is(0.5);
  if (type === "address")
    return pick(chance, [
      zeroAddress,
      ALICE,
      FOUND,
      PROXY,
      RESOLVER,
      STRANGER,
      ...(places?.map(({ address }) => address) ?? []),
    ]);
  if (type === "bytes32")
    return chance.is(0.7)
      ? pick(chance, [ethNode("alice"), hashLabel("alice"), ethNode("bob"), REVERSE_NODE])
      : bytes(chance, 32);
  if (type.startsWith("bytes")) return bytes(chance, Number(type.slice(5)));
  return numberOfType(chance, type);
}

/** Base's reverse registrar names the owner of a node, and the node's resolver gives it a name. */
const reverseLogs = (): Emission[] => [
  by(base, "reverse-registrar")("event BaseReverseClaimed(address indexed addr, bytes32 indexed node)", {
    addr: ALICE,
    node: REVERSE_NODE,
  }),
  by(base, "registry")("event NewResolver(bytes32 indexed node, address resolver)", {
    node: REVERSE_NODE,
    resolver: contractOf(base, "resolver"),
  }),
  by(base, "resolver")("event NameChanged(bytes32 indexed node, string name)", {
    node: REVERSE_NODE,
    name: "a\0\ufeff",
  }),
];

/** Every event of each place several times, in an order chosen by the seed. */
async function emitEverything(from: number): Promise<void> {
  const chance = chanceOf(from);
  for (const [chain, emit] of Object.entries(emits)) {
    const here = places.filter((place) => place.chain === chain);
    const logs = here.flatMap(({ address, events }) =>
      events.flatMap((event) =>
        Array.from({ length: LOGS_OF_EVENT }, () => ({
          by: address,
          log: logAt(
            event,
            event.inputs.map((input) => argumentOf(chance, input)),
          ),
          order: chance.next(),
        })),
      ),
    );
    const all: Emission[] = [
      ...here.flatMap(({ found = [] }) => found),
      ...logs.sort((a, b) => a.order - b.order),
    ];
    for (let at = 0; at < all.length; at += LOGS_IN_A_TRANSACTION)
      await emit(...all.slice(at, at + LOGS_IN_A_TRANSACTION));
  }
}

async function waitForHeads(): Promise<void> {
  await stack.waitForHead();
  const height = await onBase.height();
  const reached = async () => (await readStatus(stack.url))?.[base.name]?.number ?? -1;
  await expect.poll(reached, { timeout: 300_000 }).toBeGreaterThanOrEqual(height);
}

async function readCount(metric: string): Promise<number> {
  const text = await (await fetch(`${stack.metricsUrl}/index-metrics`)).text();
  return Number(new RegExp(`^${metric} (\\d+)$`, "m").exec(text)?.[1]);
}

/** Columns of our tables without a value in any row. */
async function listEmptyColumns(): Promise<string[]> {
  const empty: string[] = [];
  for (const table of await listTables((text) => stack.sql(text), stack.schema)) {
    const [row] = await stack.sql<{ columns: string[] }>(
      `select array_agg(attname::text) as columns from pg_attribute
       where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped`,
    );
    const columns = row?.columns ?? [];
    const counts = columns.map((column) => `count("${column}")::int as "${column}"`);
    const [counted] = await stack.sql<Record<string, number>>(`select ${counts.join(", ")} from "${table}"`);
    empty.push(...columns.filter((column) => counted?.[column] === 0).map((column) => `${table}.${column}`));
  }
  return empty;
}

/**
 * Columns that these logs need not fill: rows that wait for later blocks or past transactions, which are removed when applied;
 * approved claims to short names, whose ids these logs do not repeat; and values from contract reads.
 */
const ofOurs =
  /^(?:work_\w+|missing_transactions|waiting_nodes|transaction_progress|approved_claims|unconfirmed_prices|domains\.unexplained_renewals|events\.exact_cost_wei|\w+\.previous_path_expiry_timestamp)\b/;

test(`PostgreSQL accepts whatever any contract's logs say (FUZZ_SEED=${seed})`, async () => {
  await waitForHeads();
  await expect.poll(() => readCount("namedex_missing_indexes"), { timeout: 300_000 }).toBe(0);
  await emitEverything(seed + 1);
  await onBase.emit(...reverseLogs());
  await waitForHeads();
  expect(stack.ended()).toBe(null);
  expect((await listEmptyColumns()).filter((column) => !ofOurs.test(column))).toEqual([]);
  expect(await readCount("namedex_failed_attempts_total")).toBe(0);
  expect(await readCount("namedex_failed_logs_total")).toBe(0);
});
