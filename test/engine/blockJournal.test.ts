import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createBlockJournal, isUndoneByPonder, recoverBlocks } from "../../engine/blocks/blockJournal.ts";
import { JOURNAL_BLOCKS, journalChannel } from "../../engine/blocks/sql.ts";
import { reorgTableOf } from "../../engine/restorePoint.ts";
import { createTestDatabase, openPool } from "../support/database.ts";
import { checkpointOf, stateTableStatements } from "../support/ponderState.ts";

// The journal on its own tables, with each step of Ponder's loop made by hand. test/chain/journal.test.ts has a running Ponder.

const SCHEMA = "public";
const [MAIN, OTHER] = [1, 10];
const TABLE = "rows";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let listener: pg.Client;
let notices: { chain: number; number: number; hash: string }[][] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool({ connectionString: database.url, max: 3 });
  for (const statement of stateTableStatements) await pool.query(statement);
  await pool.query(`create table blocks (chain_id int, number int, hash text, parent_hash text, "timestamp" bigint,
    primary key (chain_id, number))`);
  await pool.query(
    `create table ${reorgTableOf(TABLE)} (operation_id int generated always as identity, checkpoint text)`,
  );
  await pool.query("create schema namedex_cache");
  await pool.query(`create table namedex_cache.blocks (chain_id bigint, number bigint, hash text, parent_hash text,
    "timestamp" bigint)`);
  listener = new pg.Client({ connectionString: database.url });
  listener.on("notification", ({ payload = "" }) => notices.push(JSON.parse(payload)));
  await listener.connect();
  await listener.query(`LISTEN "${journalChannel(SCHEMA)}"`);
});
afterAll(async () => {
  await listener.end();
  await pool.end();
  await database.drop();
});

beforeEach(async () => {
  await pool.query(`truncate blocks, namedex_cache.blocks, _ponder_checkpoint, ${reorgTableOf(TABLE)}`);
  for (const chain of [MAIN, OTHER]) await setCheckpoint(chain, 0);
  notices = [];
});

const hashOf = (chainId: number, number: number, branch = 0): string =>
  `0x${`${chainId}${branch}`.padEnd(4, "f")}${String(number).padStart(60, "0")}`;

type Branches = { branch?: number; parentBranch?: number };

const nodeBlock = (
  chainId: number,
  number: number,
  { branch = 0, parentBranch = branch }: Branches = {},
) => ({
  number: `0x${number.toString(16)}`,
  hash: hashOf(chainId, number, branch),
  parentHash: hashOf(chainId, number - 1, parentBranch),
  timestamp: `0x${(1_700_000_000 + number).toString(16)}`,
});

const pointOf = (chainId: number, block: number) =>
  checkpointOf({ time: 1_700_000_000 + block, chainId, block });

const setCheckpoint = (chainId: number, block: number) =>
  pool.query(
    "insert into _ponder_checkpoint values ($1, $2, $3, $3, $3) on conflict (chain_name) do update set safe_checkpoint = $3, finalized_checkpoint = $3",
    [`chain${chainId}`, chainId, pointOf(chainId, block)],
  );

type Work = (tx: Parameters<typeof recoverBlocks>[0]) => Promise<void>;

/** Runs a transaction as Ponder does. */
async function inTransaction(work: Work, end: "commit" | "rollback" = "commit"): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await work({ wrap: (_, run) => run({ execute: (text) => client.query(text) as never }) });
    await client.query(end);
  } finally {
    client.release();
  }
}

type Journal = ReturnType<typeof createBlockJournal>;

/** Writes a block, and records a change of a row in it. */
async function add(
  journal: Journal,
  chainId: number,
  number: number,
  { isEmpty = false, ...branches }: Branches & { isEmpty?: boolean } = {},
) {
  await inTransaction(async (tx) => {
    await journal.add(tx, chainId, nodeBlock(chainId, number, branches));
  });
  journal.committed();
  if (!isEmpty) await change(chainId, number);
}

const change = (chainId: number, number: number) =>
  pool.query(`insert into ${reorgTableOf(TABLE)} (checkpoint) values ($1)`, [pointOf(chainId, number)]);

const takeBack =
  (journal: Journal, chainId: number, number: number): Work =>
  (tx) =>
    journal.takeBack(tx, { chainId, number, checkpoint: pointOf(chainId, number), tables: [TABLE] });

/** Goes back to a block, as Ponder does: together with its rows it forgets all changes since the first lost one. */
async function reorganise(journal: Journal, chainId: number, number: number): Promise<void> {
  await inTransaction(takeBack(journal, chainId, number));
  journal.committed();
  await pool.query(
    `delete from ${reorgTableOf(TABLE)} where operation_id >= (select min(operation_id) from ${reorgTableOf(TABLE)}
     where substr(checkpoint, 11, 16)::int = $1 and checkpoint > $2)`,
    [chainId, pointOf(chainId, number)],
  );
}

/** The numbers in the journal: those of the first chain, then a bar and those of the other chain. */
async function numbers(): Promise<string> {
  const of = "select string_agg(number::text, ' ' order by number) from blocks where chain_id =";
  const { rows } = await pool.query(`select concat_ws(' | ', (${of} ${MAIN}), (${of} ${OTHER})) as numbers`);
  return rows[0].numbers;
}

/** Writes blocks without logs. */
async function addEmpty(journal: Journal, blocks: readonly number[]): Promise<void> {
  for (const number of blocks) await add(journal, MAIN, number, { isEmpty: true });
}

describe("a reorganisation", () => {
  test("removes the chain's lost blocks, and for a moment those of others whose rows are undone", async () => {
    const journal = createBlockJournal(SCHEMA);
    for (const number of [1, 2]) await add(journal, MAIN, number);
    for (const number of [5, 6]) await add(journal, OTHER, number);
    await add(journal, MAIN, 3);
    await add(journal, OTHER, 7, { isEmpty: true });
    await add(journal, OTHER, 8);
    await add(journal, OTHER, 9, { isEmpty: true });
    await reorganise(journal, MAIN, 2);
    // An empty block before the first undone one has no removed rows.
    expect(await numbers()).toBe("1 2 | 5 6 7");
    await add(journal, OTHER, 10, { isEmpty: true });
    expect(await numbers()).toBe("1 2 | 5 6 7 8 9 10");
  });

  test("of blocks without logs leaves other chains alone", async () => {
    const journal = createBlockJournal(SCHEMA);
    await add(journal, MAIN, 1);
    await addEmpty(journal, [2, 3]);
    await add(journal, OTHER, 5);
    await reorganise(journal, MAIN, 1);
    expect(await numbers()).toBe("1 | 5");
  });

  test("of the chain whose blocks wait forgets the lost ones among them", async () => {
    const journal = createBlockJournal(SCHEMA);
    for (const chain of [MAIN, OTHER]) await add(journal, chain, 1);
    await add(journal, MAIN, 2);
    for (const number of [2, 3, 4]) await add(journal, OTHER, number);
    await reorganise(journal, MAIN, 1);
    await reorganise(journal, OTHER, 3);
    expect(await numbers()).toBe("1 | 1");
    await add(journal, OTHER, 4, { branch: 1, parentBranch: 0 });
    expect(await numbers()).toBe("1 | 1 2 3 4");
    const { rows } = await pool.query("select hash from blocks where chain_id = $1 and number = 4", [OTHER]);
    expect(rows).toEqual([{ hash: hashOf(OTHER, 4, 1) }]);
  });

  test.each(["rollback", "commit"] as const)(
    "whose transaction is retried after a %s loses no waiting block",
    async (end) => {
      const journal = createBlockJournal(SCHEMA);
      for (const chain of [MAIN, OTHER]) await add(journal, chain, 1);
      await add(journal, MAIN, 2);
      await add(journal, OTHER, 2);
      await inTransaction(takeBack(journal, MAIN, 1), end);
      await reorganise(journal, MAIN, 1);
      await add(journal, MAIN, 2, { branch: 1, parentBranch: 0 });
      expect(await numbers()).toBe("1 2 | 1 2");
    },
  );

  test("of 64 blocks with 10,000 newer blocks of another chain removes and restores all of them", async () => {
    const journal = createBlockJournal(SCHEMA);
    await add(journal, MAIN, 1);
    await add(journal, OTHER, 1);
    for (let number = 2; number <= 65; number++) await add(journal, MAIN, number);
    await pool.query(
      `insert into blocks select ${OTHER}, n, 'hash' || n, 'hash' || n - 1, n from generate_series(2, 10001) n`,
    );
    await pool.query(
      `insert into ${reorgTableOf(TABLE)} (checkpoint)
       select overlay($1::text placing lpad(n::text, 16, '0') from 27) from generate_series(2, 10001) n`,
      [pointOf(OTHER, 1)],
    );
    await reorganise(journal, MAIN, 1);
    expect(await numbers()).toBe("1 | 1");
    const start = performance.now();
    await add(journal, MAIN, 2, { branch: 1, parentBranch: 0 });
    expect((await numbers()).split(" ")).toHaveLength(2 + 1 + 10_001);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

describe("a start", () => {
  test.each([
    ["brings back what the final block stands on", 0, "1 2 3 4 5 6 7"],
    ["brings back nothing that a branch has replaced meanwhile", 1, "1 2 3 7"],
  ])("removes what is not safe, and at the end of the backfill %s", async (_, branch, after) => {
    await addEmpty(createBlockJournal(SCHEMA), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await setCheckpoint(MAIN, 3);
    const taken = [{ chainId: MAIN }];
    await inTransaction((tx) => recoverBlocks(tx, SCHEMA, taken));
    expect(await numbers()).toBe("1 2 3");
    const journal = createBlockJournal(SCHEMA, taken);
    const progress = { finalized: nodeBlock(MAIN, 7, { branch }) };
    await inTransaction((tx) => journal.addRange(tx, { chainId: MAIN, from: 4, to: 7, progress }));
    expect(await numbers()).toBe("1 2 3 7");
    const chains = new Map([[{ id: MAIN }, { syncProgress: progress }]]);
    await inTransaction((tx) => journal.endBackfill(tx, chains));
    expect(await numbers()).toBe(after);
  });

  test("of a chain that begins after its final block starts at that block", async () => {
    const journal = createBlockJournal(SCHEMA);
    const chains = new Map([[{ id: OTHER }, { syncProgress: { finalized: nodeBlock(OTHER, 20) } }]]);
    await inTransaction((tx) => journal.endBackfill(tx, chains));
    expect(await numbers()).toBe("20");
  });
});

test("a batch of the backfill has its last block, and those near the end that have logs", async () => {
  const journal = createBlockJournal(SCHEMA);
  const end = JOURNAL_BLOCKS + 1_000;
  await pool.query(
    `insert into namedex_cache.blocks select ${MAIN}, n, 'hash' || n, 'hash' || n - 1, n from unnest($1::int[]) n`,
    [[10, 20, 998, 1_000, 1_010]],
  );
  const progress = { finalized: nodeBlock(MAIN, end) };
  await inTransaction((tx) => journal.addRange(tx, { chainId: MAIN, from: 1, to: 20, progress }));
  expect(await numbers()).toBe("20");
  await inTransaction((tx) => journal.addRange(tx, { chainId: MAIN, from: 21, to: end, progress }));
  expect(await numbers()).toBe(`20 1000 1010 ${end}`);
});

test("a block known only from its logs has no parent hash", async () => {
  await pool.query(
    `insert into namedex_cache.blocks values (${MAIN}, 5, 'hash5', '0x', 5), (${MAIN}, 6, 'hash6', 'hash5', 6)`,
  );
  const progress = { finalized: nodeBlock(MAIN, 20) };
  await inTransaction((tx) =>
    createBlockJournal(SCHEMA).addRange(tx, { chainId: MAIN, from: 1, to: 6, progress }),
  );
  const { rows } = await pool.query("select number, parent_hash from blocks order by number");
  expect(rows).toEqual([
    { number: 5, parent_hash: null },
    { number: 6, parent_hash: "hash5" },
  ]);
});

test("old blocks are removed, except for the one to which a start reverts the tables", async () => {
  const journal = createBlockJournal(SCHEMA);
  await addEmpty(journal, [1, 2, 3, JOURNAL_BLOCKS + 10]);
  await add(journal, OTHER, 1);
  await setCheckpoint(MAIN, JOURNAL_BLOCKS + 10);
  await pool.query("update _ponder_checkpoint set safe_checkpoint = $1 where chain_id = $2", [
    pointOf(MAIN, 3),
    MAIN,
  ]);
  await inTransaction((tx) => journal.finalize(tx, MAIN));
  expect(await numbers()).toBe(`3 ${JOURNAL_BLOCKS + 10} | 1`);
});

test("each commit announces the position once, and a failed transaction announces nothing", async () => {
  const journal = createBlockJournal(SCHEMA);
  await inTransaction((tx) => journal.add(tx, MAIN, nodeBlock(MAIN, 1)), "rollback");
  await add(journal, MAIN, 1);
  await add(journal, OTHER, 5);
  await add(journal, MAIN, 2);
  await reorganise(journal, MAIN, 1);
  await expect
    .poll(() => notices)
    .toEqual([
      [told(MAIN, 1)],
      [told(MAIN, 1), told(OTHER, 5)],
      [told(MAIN, 2), told(OTHER, 5)],
      [told(MAIN, 1), told(OTHER, 5)],
    ]);
});

test("Ponder undoes every table but the journal", () => {
  expect(["blocks", "domains", "events"].filter(isUndoneByPonder)).toEqual(["domains", "events"]);
});

const told = (chain: number, number: number) => ({ chain, number, hash: hashOf(chain, number) });
