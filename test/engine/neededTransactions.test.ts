import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AbiEvent,
  type Hex,
  keccak256,
  namehash,
  numberToHex,
  pad,
  toBytes,
  toEventSelector,
} from "viem";
import { beforeEach, expect, test } from "vitest";
import { knownDeployments, listContracts, type Role } from "../../abis/deployments.ts";
import { managedNames } from "../../abis/layer2/managedNames.ts";
import { registryAbi } from "../../abis/registry.ts";
import { resolverUnindexedKeyAbi } from "../../abis/resolver.ts";
import { logsWithTransactions } from "../../abis/transactionLogs.ts";
import { type NodeLog, writeLogs } from "../../engine/backfill/cacheRows.ts";
import { readWithNeededBy } from "../../engine/backfill/neededTransactions.ts";
import { noteFalseSource } from "../../engine/sources/falseSources.ts";
import { noteSourceBlocks } from "../../engine/sources/sourceBlocks.ts";
import { inTransaction, queriesOf, withClient } from "../../src/api/server/postgres/client.ts";
import { neededTransactions } from "../../src/indexing/neededTransactions.ts";
import { ask, createTestDatabase } from "../support/database.ts";
import { root } from "../support/projectFiles.ts";
import { openPonderCache } from "./ponderCache.ts";
import { ponderModule } from "./ponders.ts";
import { hashOf, startProvider } from "./providerNode.ts";

const REVERSE = namehash("addr.reverse");
const OWNER = `0x${"a1".repeat(20)}` as const;
const RESOLVER = `0x${"b2".repeat(20)}` as const;
const STRANGER = `0x${"c3".repeat(20)}` as const;
const [main] = [1];
const [layer2 = 0] = managedNames.map(({ chainId }) => chainId);
const TEXT = "TextChanged(bytes32 indexed node, string indexed indexedKey, string key)";

type Needs = Record<
  string,
  (
    log: { address: Hex; topics: (Hex | null)[]; data: Hex },
    chain: { id: number; addressesOf: () => Hex[] },
  ) => boolean
>;
type Case = { event: string; address?: Hex; topics?: (Hex | null)[]; data?: Hex; chain?: number };

const isNeeded = ({ event, address = STRANGER, topics = [], data = "0x", chain = main }: Case) =>
  (neededTransactions as unknown as Needs)[event]?.(
    { address, topics: ["0x00", ...topics], data },
    { id: chain, addressesOf: () => [RESOLVER] },
  ) ?? false;

const labelOf = (address: string): Hex => keccak256(toBytes(address.slice(2)));
const claim = { event: "Registry:NewOwner", topics: [REVERSE, labelOf(OWNER)], data: pad(STRANGER) };
const text = { event: `Resolver:${TEXT}`, address: RESOLVER, topics: ["0x01", "0x02"] as Hex[] };
const oldest = { event: "ResolverUnindexedKey:TextChanged", address: RESOLVER };

test.each<[string, Case, boolean]>([
  ["a reverse node that another account gets", claim, true],
  ["one of the old registry", { ...claim, event: "RegistryOld:NewOwner" }, true],
  ["a reverse node that its address gets", { ...claim, data: pad(OWNER) }, false],
  ["another name", { ...claim, topics: [namehash("eth"), labelOf(OWNER)] }, false],
  ["a reverse node of a layer 2", { ...claim, chain: layer2 }, false],
  ["a reverse node's transfer", { ...claim, event: "Registry:Transfer" }, false],
  ["a text without value of a listed resolver", text, true],
  ["one of a resolver that is found", { ...text, event: `FoundResolver:${TEXT}` }, true],
  ["a text without value of a stranger", { ...text, address: STRANGER }, false],
  ["a text of the oldest shape", { ...oldest, topics: ["0x01"] }, true],
  ["one of that shape by a stranger", { ...oldest, topics: ["0x01"], address: STRANGER }, false],
  ["the later shape, decoded as the oldest", { ...oldest, topics: ["0x01", "0x02"] }, false],
])("the transaction of %s", (_, log, expected) => {
  expect(layer2).toBeGreaterThan(0);
  expect(isNeeded(log)).toBe(expected);
});

test("a source is asked for the transactions of all logs that the table may need", () => {
  const queries = logsWithTransactions(knownDeployments.mainnet());
  const named: readonly AbiEvent[] = [...registryAbi, ...resolverUnindexedKeyAbi];
  for (const event of Object.keys(neededTransactions)) {
    const [, form = ""] = event.split(":");
    const topic = form.includes("(")
      ? toEventSelector(`event ${form}`)
      : toEventSelector(named.find(({ name }) => name === form) as AbiEvent);
    expect(queries.flatMap(({ topics }) => topics[0])).toContain(topic);
  }
  const [ofReverseNodes, ofTexts] = queries;
  expect(ofReverseNodes?.topics[1]).toEqual([REVERSE]);
  const listed = (role: Role) =>
    listContracts(knownDeployments.mainnet(), role).map(({ address }) => address.toLowerCase());
  expect(ofReverseNodes?.address).toEqual(listed("registry"));
  expect(ofTexts?.address).toEqual(listed("resolver"));
});

test("handlers get transactions only from this table", () => {
  const folder = join(root, "src/indexing");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const reading = files.filter((file) =>
    /\bevent\??\.transaction\b/.test(readFileSync(join(folder, file), "utf8")),
  );
  // It gives handlers the fields in the table; their types let no other handler have a transaction.
  expect(reading).toEqual(["on.ts"]);
});

const provider = await startProvider({
  head: 5,
  logs: Array.from({ length: 8 }, () => ({ block: 5, address: STRANGER, topics: [hashOf(3, 14)] })),
});
provider.stop();
const transactionAt = ([, index]: Hex[]) => provider.transactionsOf(5)[Number(index)] as object;
const HASH = provider.transactionsOf(5)[0]?.hash;

// Importing the table above sets it.
beforeEach(() => {
  globalThis.namedexNeededTransactions = undefined;
});

type Answer = (params: Hex[], cache: string) => object | null | Promise<object | null>;

/** Reads two logs of one transaction and one of another from a cache that has no transactions. */
async function readBatch(answer: Answer) {
  const { url, drop } = await createTestDatabase();
  const { store, database, close } = await openPonderCache(url);
  try {
    const asked: Hex[][] = [];
    const all = provider.logsOf(5);
    const logs = [0, 0, 7].map((index, logIndex) => ({
      ...(all[index] as NodeLog),
      logIndex: numberToHex(logIndex),
      address: logIndex === 1 ? RESOLVER : STRANGER,
    }));
    const [encoders, { isLogFilterMatched }, { standardizeTransactions }] = await Promise.all(
      ["sync-store/encode.js", "runtime/filter.js", "rpc/actions.js"].map(ponderModule),
    );
    const block = provider.blockJson(5, false);
    await writeLogs(store, { ponder: encoders, chainId: main, fetched: [{ block, transactions: [], logs }] });
    const filter = {
      type: "log",
      chainId: main,
      address: undefined,
      topic0: hashOf(3, 14),
      topic1: null,
      topic2: null,
      topic3: null,
      fromBlock: 1,
      toBlock: 9,
      hasTransactionReceipt: false,
      include: [],
    };
    const chain = {
      rpc: {
        request: async ({ params }: { params: Hex[] }) => {
          asked.push(params);
          return answer(params, url);
        },
      },
      chain: { id: main },
      database,
      eventCallbacks: [
        { name: "Entry:Needing", filter },
        { name: "Listed:Other", filter: { ...filter, address: [RESOLVER], topic0: hashOf(3, 15) } },
        { name: "Entry:Other", filter },
      ],
    };
    const ponder = {
      encodeTransaction: encoders.encodeTransaction,
      isLogFilterMatched,
      standardizeTransactions,
    };
    const read = readWithNeededBy(ponder)(chain as never, store);
    const range = { filters: [filter], fromBlock: 1, toBlock: 9, chainId: main, limit: 100 };
    const [first, second] = [await read(range), await read(range)];
    return { asked, first, second, cached: await ask(url, "select hash from namedex_cache.transactions") };
  } finally {
    await close();
    await drop();
  }
}

test("a batch is read again once its transactions are in the cache, each asked for once", async () => {
  globalThis.namedexNeededTransactions = {
    "Entry:Needing": ({ address }, { id, addressesOf }) =>
      id === main && addressesOf("Listed").includes(address),
  };
  const { asked, first, second, cached } = await readBatch(transactionAt);
  expect(asked).toEqual([["0x5", "0x0"]]);
  expect(first.transactions).toMatchObject([{ blockNumber: 5, transactionIndex: 0, hash: HASH }]);
  expect(second).toEqual(first);
  expect(cached).toEqual([{ hash: HASH }]);
});

test("a run fetches a limited number and leaves the others for later", async () => {
  globalThis.namedexTransactionsAtOnce = 1;
  try {
    const { asked, first, second } = await readBatch(transactionAt);
    expect(asked).toEqual([["0x5", "0x0"]]);
    expect(first.transactions).toMatchObject([{ blockNumber: 5, transactionIndex: 0 }]);
    expect(second).toEqual(first);
  } finally {
    globalThis.namedexTransactionsAtOnce = undefined;
  }
});

test("without a table of needed transactions, all are needed", async () => {
  const { asked, cached } = await readBatch(transactionAt);
  expect(asked).toEqual([
    ["0x5", "0x0"],
    ["0x5", "0x7"],
  ]);
  expect(cached).toHaveLength(2);
});

test("no transaction is cached for blocks removed with a wrong source while the node is asked", async () => {
  const found = { location: "source", chainId: main, block: 5, what: "wrong", schema: "trial" };
  const { first, cached } = await readBatch(async (params, cache) => {
    if (params[1] === "0x0") {
      await withClient({ connectionString: cache }, (client) =>
        inTransaction(client, async () => {
          const { query } = queriesOf(client);
          await noteSourceBlocks(query, { ...found, from: 1, to: 9 });
          await noteFalseSource(query, found);
        }),
      );
    }
    return transactionAt(params);
  });
  expect(cached).toEqual([]);
  expect(first).toMatchObject({ blocks: [], logs: [], transactions: [] });
});

test.concurrent.each<[string, Answer, RegExp]>([
  ["does not have", () => null, /does not have transaction 0x\w+, number 0 of block 5\./],
  ["gives another of", () => transactionAt(["0x5", "0x7"]), /but the answer is 0x\w+ at index 7/],
  [
    "has in another block",
    (at) => ({ ...transactionAt(at), blockHash: pad("0x12", { size: 32 }) }),
    /A log names/,
  ],
])("a transaction that the node %s is requested again, and then a fault", async (_, answer, message) => {
  let times = 0;
  const counted: Answer = (params, cache) => {
    if (params[1] !== "0x0") return transactionAt(params);
    times++;
    return answer(params, cache);
  };
  await expect(readBatch(counted)).rejects.toThrow(message);
  expect(times).toBe(4);
});
