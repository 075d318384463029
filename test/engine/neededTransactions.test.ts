import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AbiEvent, type Hex, keccak256, namehash, pad, toBytes, toEventSelector } from "viem";
import { expect, test } from "vitest";
import { knownDeployments, listContracts, type Role } from "../../abis/deployments.ts";
import { managedNames } from "../../abis/layer2/managedNames.ts";
import { registryAbi } from "../../abis/registry.ts";
import { resolverUnindexedKeyAbi } from "../../abis/resolver.ts";
import { logsWithTransactions } from "../../abis/transactionLogs.ts";
import { readWithNeededBy } from "../../engine/backfill/neededTransactions.ts";
import { neededTransactions } from "../../src/indexing/neededTransactions.ts";
import { root } from "../support/projectFiles.ts";

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

test("a source is asked for the transactions of all logs that the table can need", () => {
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

test("handlers get transactions from this table alone", () => {
  const folder = join(root, "src/indexing");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const reading = files.filter((file) =>
    /\bevent\??\.transaction\b/.test(readFileSync(join(folder, file), "utf8")),
  );
  // It gives handlers what the table says; their types let no other handler have it.
  expect(reading).toEqual(["on.ts"]);
});

type Row = { blockNumber: number; transactionIndex: number };
const HASH = pad("0x11", { size: 32 });

/** Reads two logs of one transaction and one of another; the cache has what was inserted. */
async function readBatch(answer: (params: Hex[]) => object | null) {
  const inserted: Row[] = [];
  const asked: Hex[][] = [];
  const logs = [0, 0, 7].map((transactionIndex, logIndex) => ({
    blockNumber: 5,
    transactionIndex,
    transactionHash: pad(`0x${transactionIndex}a`, { size: 32 }),
    address: logIndex === 1 ? RESOLVER : STRANGER,
    topics: ["0x0e"] as Hex[],
    data: "0x" as const,
  }));
  const store = {
    getEventData: async () => ({ blocks: [{ number: 5n, hash: HASH }], logs, transactions: [...inserted] }),
    insertTransactions: async ({
      transactions,
    }: {
      transactions: { blockNumber: Hex; transactionIndex: Hex }[];
    }) => {
      for (const { blockNumber, transactionIndex } of transactions)
        inserted.push({ blockNumber: Number(blockNumber), transactionIndex: Number(transactionIndex) });
    },
  };
  const filter = { type: "log", topic0: "0x0e", hasTransactionReceipt: false } as const;
  const chain = {
    rpc: {
      request: async ({ params }: { params: Hex[] }) => {
        asked.push(params);
        return answer(params);
      },
    },
    chain: { id: main },
    eventCallbacks: [
      { name: "Entry:Needing", filter },
      { name: "Listed:Other", filter: { ...filter, address: [RESOLVER], topic0: "0x0f" } },
      { name: "Entry:Other", filter },
    ],
  };
  const ponder = {
    isLogFilterMatched: () => true,
    standardizeTransactions: (transactions: never[]) => transactions,
  };
  const read = readWithNeededBy(ponder as never)(chain as never, store as never);
  return { asked, first: await read({}), second: await read({}) };
}

const transactionAt = ([blockNumber, transactionIndex]: Hex[]) => ({
  hash: pad(`0x${Number(transactionIndex)}a`, { size: 32 }),
  blockHash: HASH,
  blockNumber,
  transactionIndex,
});

test("a batch is read again once its transactions are in the cache, each asked for once", async () => {
  globalThis.namedexNeededTransactions = {
    "Entry:Needing": ({ address }, { id, addressesOf }) =>
      id === main && addressesOf("Listed").includes(address),
  };
  try {
    const { asked, first, second } = await readBatch(transactionAt);
    expect(asked).toEqual([["0x5", "0x0"]]);
    expect(first.transactions).toEqual([{ blockNumber: 5, transactionIndex: 0 }]);
    expect(second).toEqual(first);
  } finally {
    globalThis.namedexNeededTransactions = undefined;
  }
});

test("a run fetches a limited number, and leaves the others for later", async () => {
  globalThis.namedexTransactionsAtOnce = 1;
  try {
    const { asked, first, second } = await readBatch(transactionAt);
    expect(asked).toEqual([["0x5", "0x0"]]);
    expect(first.transactions).toEqual([{ blockNumber: 5, transactionIndex: 0 }]);
    expect(second).toEqual(first);
  } finally {
    globalThis.namedexTransactionsAtOnce = undefined;
  }
});

test("where no table says which are needed, all are", async () => {
  const { asked } = await readBatch(transactionAt);
  expect(asked).toEqual([
    ["0x5", "0x0"],
    ["0x5", "0x7"],
  ]);
});

test.concurrent.each<[string, (params: Hex[]) => object | null, RegExp]>([
  ["does not have", () => null, /does not have transaction 0x\w+0a, number 0 of block 5\./],
  [
    "gives another of",
    ([block]) => transactionAt([block as Hex, "0x7"]),
    /but the answer is 0x\w+7a at index 7/,
  ],
  [
    "has in another block",
    (at) => ({ ...transactionAt(at), blockHash: pad("0x12", { size: 32 }) }),
    /A log names/,
  ],
])("a transaction that the node %s is asked for again, and then a fault", async (_, answer, message) => {
  let times = 0;
  const counted = (params: Hex[]) => {
    if (params[1] !== "0x0") return transactionAt(params);
    times++;
    return answer(params);
  };
  await expect(readBatch(counted)).rejects.toThrow(message);
  expect(times).toBe(4);
});
