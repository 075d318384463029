import type pg from "pg";

// The tables in which Ponder keeps the state of an index, for tests that stand in for an indexer.

type Client = Pick<pg.Pool, "query">;

/** As Ponder 0.17.7 creates them. */
export const stateTableStatements = [
  "create table _ponder_meta (key text primary key, value jsonb not null)",
  `create table _ponder_checkpoint (chain_name text primary key, chain_id bigint not null,
     safe_checkpoint varchar(75) not null, latest_checkpoint varchar(75) not null, finalized_checkpoint varchar(75) not null)`,
];

const pad = (value: number, length: number): string => String(value).padStart(length, "0");

/** A block as Ponder writes it. */
export const checkpointOf = ({
  time,
  chainId,
  block,
}: Record<"time" | "chainId" | "block", number>): string =>
  `${pad(time, 10)}${pad(chainId, 16)}${pad(block, 16)}`.padEnd(75, "0");

/** Says that an indexer runs, is ready, and has come so far on a chain. */
export async function setProgress(
  { pool }: { pool: Client },
  { chainId, block, time }: { chainId: number; block: number; time: number },
): Promise<void> {
  await pool.query(
    "insert into _ponder_meta values ('app', jsonb_build_object('is_ready', 1, 'is_locked', 1, 'heartbeat_at', extract(epoch from now()) * 1000)) on conflict do nothing",
  );
  await pool.query(
    "insert into _ponder_checkpoint values ($1, $2, $3, $3, $3) on conflict (chain_name) do update set latest_checkpoint = $3",
    [`chain${chainId}`, chainId, checkpointOf({ time, chainId, block })],
  );
}

/** Says whether every past event is indexed. */
export const setReady = (client: Client, isReady: 0 | 1) =>
  client.query("update _ponder_meta set value = jsonb_set(value, '{is_ready}', $1)", [String(isReady)]);

/** Says when the indexer last showed a sign of life, in milliseconds. */
export const setHeartbeat = (client: Client, at: number) =>
  client.query("update _ponder_meta set value = jsonb_set(value, '{heartbeat_at}', $1) where key = 'app'", [
    String(at),
  ]);

/** Says where an indexer that starts again takes its tables back to. */
export const setSafeBlock = (client: Client, { block, time }: { block: number; time: number }) =>
  client.query("update _ponder_checkpoint set safe_checkpoint = $1", [
    checkpointOf({ time, chainId: 0, block }),
  ]);

/** Says that no reorganisation goes below a block. */
export const setFinalBlock = (client: Client, block: number) =>
  client.query(
    "update _ponder_checkpoint set finalized_checkpoint = overlay(finalized_checkpoint placing $1 from 27)",
    [pad(block, 16)],
  );

/** Says that a chain is indexed up to a block, and that all of it is final. */
export const settleAt = (client: Client, place: { chainId: number; block: number; time: number }) =>
  client.query(
    `update _ponder_checkpoint set safe_checkpoint = $1, latest_checkpoint = $1, finalized_checkpoint = $1
     where chain_id = $2`,
    [checkpointOf(place), place.chainId],
  );

/** Says which tables the index has. */
export const setTableNames = (client: Client, names: readonly string[]) =>
  client.query("update _ponder_meta set value = jsonb_set(value, '{table_names}', $1)", [
    JSON.stringify(names),
  ]);

/** Makes the state of the index look like that of tables that were created again. */
export const recreateState = (client: Client) =>
  client.query(
    "create table copy (like _ponder_meta including all); insert into copy table _ponder_meta; drop table _ponder_meta; alter table copy rename to _ponder_meta",
  );

/** SQL for the block that was indexed last. */
export const latestBlock = "select substr(latest_checkpoint, 27, 16) as block from _ponder_checkpoint";

/** SQL for how far the index is on each of its chains. */
export const latestBlocks = "select array_agg(latest_checkpoint order by chain_name) from _ponder_checkpoint";

/** Says, as an indexer does, that one is there and that its index is ready. */
export const pretendIndexer = (client: Client) =>
  client.query(
    `update _ponder_meta set value = value || jsonb_build_object('is_locked', 1, 'is_ready', 1,
       'heartbeat_at', (extract(epoch from now()) * 1000)::bigint)`,
  );

/** Writes the state of an index that an indexer has left, with its newest block. */
export async function writeState(
  client: Pick<pg.ClientBase, "query">,
  index: { buildId: string; chainName: string; chainId: number; block: number; time: number },
): Promise<void> {
  const meta = {
    version: "4",
    build_id: index.buildId,
    is_dev: 0,
    is_ready: 1,
    is_locked: 0,
    heartbeat_at: 0,
    table_names: [],
    view_names: [],
  };
  await client.query("insert into _ponder_meta values ('app', $1)", [meta]);
  await writeCheckpoint(client, index);
}

/** The newest block of one chain. */
export const writeCheckpoint = (
  client: Pick<pg.ClientBase, "query">,
  index: { chainName: string; chainId: number; block: number; time: number },
) =>
  client.query("insert into _ponder_checkpoint values ($1, $2, $3, $3, $3)", [
    index.chainName,
    index.chainId,
    checkpointOf(index),
  ]);

/** Says that an indexer runs and is ready, and that it has no block yet of these chains. */
export async function beginState(client: Client, chainIds: readonly number[]): Promise<void> {
  await client.query(
    `insert into _ponder_meta values ('app', jsonb_build_object('is_ready', 1, 'is_locked', 1,
       'heartbeat_at', extract(epoch from now()) * 1000))`,
  );
  for (const chainId of chainIds) {
    await client.query("insert into _ponder_checkpoint values ($1, $2, $3, $3, $3)", [
      `chain${chainId}`,
      chainId,
      checkpointOf({ time: 0, chainId, block: 0 }),
    ]);
  }
}

type Checkpoint = Record<"time" | "chainId" | "block", number>;

/** Says which block of a chain was indexed last. */
export const setLatest = (client: Pick<Client, "query">, at: Checkpoint) =>
  client.query("update _ponder_checkpoint set latest_checkpoint = $2 where chain_id = $1", [
    at.chainId,
    checkpointOf(at),
  ]);

/** Says which block of a chain is final; a start takes the tables back to it. */
export const setFinal = (client: Pick<Client, "query">, at: Checkpoint) =>
  client.query(
    "update _ponder_checkpoint set finalized_checkpoint = $2, safe_checkpoint = $2 where chain_id = $1",
    [at.chainId, checkpointOf(at)],
  );
