import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import type { Address } from "viem";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  addressOf,
  type Call,
  type Chain,
  claimReverse,
  claimReverseWithResolver,
  encodeCall,
  ethNode,
  mineBlocks,
  registerV3,
  reverseNode,
  rpc,
  send,
  sendInOneBlock,
  setOwner,
  setResolver,
  setSubnodeOwner,
  setText,
  toWriteCall,
  useReverseRegistrar,
  writeRecord,
  writeRecords,
} from "../../devnet/acts.ts";
import { type LocalChain, SETTLING_BLOCKS, startLocalChain } from "../../devnet/localChain.ts";
import { readFeedState } from "../../src/api/features/feed/read.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { Follower, readJudged } from "../feed/follower.ts";
import { openPool } from "../support/database.ts";
import schema from "../support/ponderSchema.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { type SlowRpc, startSlowRpc } from "./slowRpc.ts";
import { castOf } from "./stage.ts";
import { differencesOf, readTables } from "./tables.ts";

/*
 * Past transactions that the backfill does not fetch: the index is ready without them, and afterwards its tables equal those of
 * an index that had them from the start.
 */

const PATIENCE = { timeout: 60_000, interval: 100 };
const UNKNOWN = '["is_value_known",false]';
const BY_PLACE = "eth_getTransactionByBlockNumberAndIndex";

let local: LocalChain;
let node: SlowRpc;
let late: Stack;
let whole: Stack;
/** Follows the feed of the index from its beginning, before anything arrived late. */
let follower: Follower;
let pool: pg.Pool;
let epoch = "";

const OLD = { resolver: "resolver3", node: ethNode("old") };
const OLDEST = { resolver: "resolver2", node: ethNode("oldest") };

/** Texts in all ways in which calldata can contain them, or not. */
async function setTexts(chain: Chain, alice: Address): Promise<void> {
  for (const { resolver, label } of [
    { label: "old", resolver: "resolver3" },
    { label: "oldest", resolver: "resolver2" },
  ]) {
    await registerV3(chain, { from: alice, label });
    await setResolver(chain, { from: alice, node: ethNode(label), resolver: addressOf(chain, resolver) });
  }
  await setText(chain, { ...OLD, from: alice, key: "email", value: "a@old.example" });
  await setText(chain, { ...OLD, from: alice, key: "email", value: "b@old.example" });
  await setText(chain, { ...OLD, from: alice, key: "cleared", value: "once" });
  await setText(chain, { ...OLD, from: alice, key: "cleared", value: "" });
  await setText(chain, { ...OLD, from: alice, key: "nul\0key", value: "nul\0value" });
  await setText(chain, { ...OLDEST, from: alice, key: "email", value: "a@oldest.example" });
  const text = (key: string, value: string) => ({ kind: "text", key, value }) as const;
  await writeRecords(chain, {
    ...OLD,
    from: alice,
    writes: [text("url", "one"), text("notice", "between"), text("url", "two")],
  });
  const straight = (value: string): Call =>
    toWriteCall({ ...OLD, from: alice, write: text("location", value) });
  await sendInOneBlock(chain, [straight("first"), straight("second")]);
  // The calldata of a call to the contract is not the resolver's.
  const data = encodeCall(chain, toWriteCall({ ...OLDEST, from: alice, write: text("url", "hidden") }));
  await setOwner(chain, { from: alice, node: OLDEST.node, owner: addressOf(chain, "batch") });
  const calls = [{ target: addressOf(chain, "resolver2"), value: 0n, data }];
  await send(chain, { from: alice, contract: "batch", functionName: "run", args: [calls] });
}

const RESOLVER = "resolver4";

const nameReverse = (address: Address, name: string) =>
  writeRecord(local.chain, {
    from: castOf(local.chain).alice,
    resolver: RESOLVER,
    node: reverseNode(address),
    write: { kind: "name", name },
  });

/** Addresses whose reverse nodes belong to another account, at a registrar that does not log the addresses. */
async function claimNames(chain: Chain): Promise<void> {
  const { deployer, alice, bob, carol, dave } = castOf(chain);
  const registrar = "reverseRegistrar2";
  const resolver = addressOf(chain, RESOLVER);
  await useReverseRegistrar(chain, { from: deployer, registrar });
  const claim = (from: Address) =>
    claimReverseWithResolver(chain, { from, owner: alice, resolver, registrar });
  for (const from of [carol, dave]) {
    await claim(from);
    await nameReverse(from, "first.eth");
    await nameReverse(from, "first.eth");
  }
  await nameReverse(carol, "second.eth");
  await claim(carol);
  // The address of a contract is neither the sender nor the owner, until it claims again.
  const contract = addressOf(chain, "batch");
  const claimAt = (contractName: string) =>
    send(chain, {
      from: bob,
      contract: "batch",
      functionName: "run",
      args: [
        [
          {
            target: addressOf(chain, contractName),
            value: 0n,
            data: encodeCall(chain, {
              contract: contractName,
              functionName: "claimWithResolver",
              args: [alice, resolver],
            }),
          },
        ],
      ],
    });
  await claimAt(registrar);
  await nameReverse(contract, "contract.eth");
  await useReverseRegistrar(chain, { from: deployer, registrar: "reverseRegistrar3" });
  await claimAt("reverseRegistrar3");
  await claimReverse(chain, { from: dave, owner: alice });
  await nameReverse(contract, "later.eth");
}

let visitors = 0;

/** A name unrelated to any other: the next block in which the indexer may process what waits. */
const visit = async () => {
  const { alice } = castOf(local.chain);
  const label = `visitor-${visitors++}`;
  await setSubnodeOwner(local.chain, { from: alice, parent: ethNode("known"), label, owner: alice });
  await late.waitForHead();
};

type Status = { ready: boolean; chains: { missing_transactions: number }[] };

const readMissing = async (stack = late) => {
  const { body } = await stack.api<Status>("/indexing-status");
  expect(body.ready).toBe(true);
  return body.chains[0]?.missing_transactions;
};

const untilMissing = (isEnough: (count: number) => boolean) =>
  vi.waitUntil(async () => {
    await visit();
    return isEnough((await readMissing()) ?? Number.NaN);
  }, PATIENCE);

const textsOf = async (stack: Stack) => {
  const rows = await stack.sql<{ key: string; value: string | null; is_value_known: boolean }>(
    "select key, value, is_value_known from text_records where node = $1 order by key",
    [OLD.node],
  );
  return Object.fromEntries(
    rows.map(({ key, value, is_value_known }) => [key, is_value_known ? value : undefined]),
  );
};

/** Names unknown at first are in lists for the indexer, and stay there. */
const ofIndexer = ["name_links", "transaction_progress", "work_lists", "work_owners", "work_queues"];

async function expectWhole(): Promise<void> {
  const [is, should] = await Promise.all(
    [late, whole].map(async (stack) => {
      await stack.waitForHead();
      const tables = await readTables(stack);
      for (const name of ofIndexer) tables.delete(name);
      const labels = (tables.get("labels") ?? []).map((row) => ({ ...JSON.parse(row), first_node: null }));
      return tables.set("labels", labels.map((row) => JSON.stringify(row)).sort());
    }),
  );
  if (is === undefined || should === undefined) throw new Error("no tables");
  expect(is.get("primary_name_changes")?.length).toBeGreaterThanOrEqual(7);
  expect(is.get("missing_transactions")).toEqual([]);
  expect(is.get("waiting_nodes")).toEqual([]);
  expect(differencesOf(is, should)).toEqual([]);
}

/** Late values are in the feed like any other change: it leads to the state that a fresh reader finds. */
async function expectFollowed(): Promise<void> {
  await vi.waitFor(async () => {
    await follower.follow(100);
    const judged = await readJudged(pool);
    // Tables cannot hold NUL, but the feed contains it.
    const held = new Map([...follower.held].map(([key, text]) => [key, text.replaceAll("\\u0000", "␀")]));
    const subjects = [...new Set([...judged.keys(), ...held.keys()])];
    const different = subjects.filter((subject) => judged.get(subject) !== held.get(subject));
    expect(different.map((subject) => [subject, judged.get(subject), held.get(subject)])).toEqual([]);
  }, PATIENCE);
  expect(follower.wrong).toEqual([]);
  expect(follower.changes).toBeGreaterThan(10);
  expect((await readFeedState(drizzle(pool) as unknown as Db)).epoch).toBe(epoch);
}

beforeAll(async () => {
  local = await startLocalChain();
  const { chain, deployment, anvil } = local;
  const { alice } = castOf(chain);
  await registerV3(chain, { from: alice, label: "known" });
  await setTexts(chain, alice);
  await claimNames(chain);
  await mineBlocks(chain, { count: SETTLING_BLOCKS });
  node = await startSlowRpc(anvil.url);
  node.hold(BY_PLACE);
  const env = { ARCHIVE_READS: "off" };
  const counted = await startSlowRpc(anvil.url);
  [late, whole] = await Promise.all([
    startStack({
      rpcUrl: node.url,
      deployment,
      env: { ...env, TRANSACTIONS_AT_ONCE: "0", TRANSACTIONS_PER_SECOND: "100" },
    }),
    startStack({ rpcUrl: counted.url, deployment, env }),
  ]);
  expect(counted.asked(BY_PLACE)).toBeGreaterThan(10);
  pool = openPool({
    connectionString: late.databaseUrl,
    options: `-c search_path=${late.schema},public`,
  });
  const db = drizzle(pool, { schema, casing: "snake_case" }) as unknown as Db;
  follower = new Follower(db, pool);
  await vi.waitUntil(
    () =>
      follower.follow(100).then(
        () => true,
        () => false,
      ),
    PATIENCE,
  );
  ({ epoch } = await readFeedState(db));
  expect([...follower.held.values()].filter((value) => value.includes(UNKNOWN)).length).toBeGreaterThan(5);
}, 180_000);

afterAll(async () => {
  await pool?.end();
  await late?.destroy();
  await whole?.destroy();
  await node?.close();
  await local?.anvil.stop();
});

test("the index is ready without them, and reports what is missing", async () => {
  // Once ready, it requests the first of them, without an answer.
  await vi.waitUntil(() => node.held() > 0, PATIENCE);
  expect(await readMissing()).toBeGreaterThan(10);
  expect(await readMissing(whole)).toBe(0);
  expect(await textsOf(late)).toEqual(
    Object.fromEntries(Object.keys(await textsOf(whole)).map((key) => [key, undefined])),
  );
  expect(await late.sql("select from primary_names where coin_type = 60")).toHaveLength(0);
  expect(await (await fetch(`${late.metricsUrl}/index-metrics`)).text()).toMatch(
    /namedex_missing_transactions\{chain="devnet"\} [1-9]/,
  );
});

test("a text is read from the chain until its transaction has arrived", async () => {
  const { body } = await late.api("/domain/old.eth/records/text/email");
  expect(body).toMatchObject({ value: "b@old.example" });
});

test("late values arrive one by one and are applied in order, and a later value stays", async () => {
  const { alice } = castOf(local.chain);
  const before = (await readMissing()) ?? 0;
  await setText(local.chain, { ...OLD, from: alice, key: "email", value: "c@old.example" });
  await nameReverse(castOf(local.chain).dave, "live.eth");
  await visit();
  await vi.waitUntil(() => node.held() > 0, PATIENCE);
  node.pass(3);
  await untilMissing((count) => count < before);
  expect(await readMissing()).toBeGreaterThan(0);
  expect((await textsOf(late)).email).toBe("c@old.example");
  const [first, second] = await late.sql<{ value: string | null }>(
    "select value from events where node = $1 and key = 'email' order by block_number, log_index",
    [OLD.node],
  );
  expect([first?.value, second?.value]).toContain("a@old.example");
});

test("a kill loses none of them, and duplicates none", async () => {
  await late.kill();
  await late.expireLock();
  late.restart();
  await late.ready();
  node.release();
  await untilMissing((count) => count === 0);
  await expectWhole();
  await expectFollowed();
}, 120_000);

test("a reorganisation reverts applied values, and the next blocks apply them again", async () => {
  const [{ last } = { last: 0 }] = await late.sql<{ last: number }>(
    "select min(block_number)::int as last from events where key = 'email' and value = 'c@old.example'",
  );
  const height = Number(await rpc<string>(local.chain, "eth_blockNumber"));
  expect(height - last).toBeLessThan(SETTLING_BLOCKS);
  await rpc(local.chain, "anvil_rollback", [height - last + 1]);
  await visit();
  await untilMissing((count) => count === 0);
  expect((await textsOf(late)).email).toBe("b@old.example");
  await expectWhole();
  // The feed waits until the new branch is as long as the old one.
  const left = height - Number(await rpc<string>(local.chain, "eth_blockNumber"));
  await mineBlocks(local.chain, { count: Math.max(1, left + 1) });
  await expectFollowed();
}, 120_000);
