import { sql } from "ponder";
import { JOURNAL } from "../../../../engine/ponderInternals.ts";
import { ApiError, retryLater } from "../../server/errors/errors.ts";
import { findDatabaseError } from "../../server/postgres/databaseErrors.ts";
import type { Db } from "../../server/postgres/db.ts";
import { type ChangeFilters, filterSql } from "./filters.ts";
import { type FeedPosition, writePosition } from "./position.ts";
import { CHANGE_COLUMNS, type ChangeRow, type FeedState } from "./rows.ts";

/** Changes scanned for one page: a reader whose filters match little gets a position to continue from. */
export const MAX_SCANNED = 50_000;

/** PostgreSQL's undefined_table, and undefined_column: the feed of another release, in whose place the writer puts one of its own. */
const NO_FEED = ["42P01", "42703"];

/** Age of the writer's last heartbeat at which it counts as stuck: several looks and heartbeats were missed. */
const STALLED_SECONDS = 30;

/** SQL: the tables `s` have blocks that the feed's writer has not looked at for some time. */
const STALLED = `s.looked_at < now() - interval '${STALLED_SECONDS} seconds' and exists (
  select from feed_chains c cross join lateral (
    select hash from ${JOURNAL} where chain_id = c.chain_id order by number desc limit 1) b where b.hash <> c.hash)`;

/** @throws ApiError INDEX_NOT_READY while there is no feed: at first, and for some seconds after a fault or an update */
export async function readFeedState(db: Db): Promise<FeedState> {
  const rows = await db
    .execute(
      sql.raw(`select s.epoch, s.newest::float8 as newest, s.oldest::float8 as oldest, s.healed,
          pg_is_in_recovery() as "isStandby",
          floor(extract(epoch from coalesce(s.gap_at, case when ${STALLED} then s.looked_at end)))::float8 as "gapSince",
          coalesce((
          select json_agg(json_build_object('chainId', chain_id, 'number', number, 'hash', hash, 'timestamp', "timestamp",
            'finalNumber', final_number) order by chain_id) from feed_chains), '[]') as blocks
        from feed_state s`),
    )
    .catch((error: unknown) => {
      if (findDatabaseError(error, NO_FEED) !== null) throw noFeed();
      throw error;
    });
  const [state] = rows.rows as FeedState[];
  if (state === undefined) throw noFeed();
  return state;
}

/** How far the feed is; null where there is no feed yet. */
export const readFeedIfAny = (db: Db): Promise<FeedState | null> =>
  readFeedState(db).catch((thrown: unknown) => {
    if (thrown instanceof ApiError && thrown.code === "INDEX_NOT_READY") return null;
    throw thrown;
  });

/** Since when the first change after a number is in the feed, in unix seconds; null if it is not there for longer than some looks take. */
export async function readUnsortedSince(db: Db, after: number): Promise<number | null> {
  const { rows } = await db.execute(sql`
    select floor(extract(epoch from written_at))::float8 as since from (
      select written_at from feed_changes where number > ${after} order by number limit 1) f
    where written_at < now() - make_interval(secs => ${STALLED_SECONDS})`);
  return (rows as { since: number }[])[0]?.since ?? null;
}

const noFeed = () => retryLater("INDEX_NOT_READY", "The feed of changes has not started yet.", 5);

/** Where a reader begins: a position, or an end of the feed. */
export type After = FeedPosition | "oldest" | "newest";

/**
 * The number after which a reader continues.
 *
 * @throws ApiError POSITION_GONE if changes after the position are no longer there, or the position is of another epoch;
 * INDEX_NOT_READY if a standby has not replayed it yet
 */
export function numberAfter(after: After, { epoch, newest, oldest, isStandby }: FeedState): number {
  if (after === "newest") return newest;
  if (after === "oldest") return oldest;
  if (after.epoch === epoch && after.number >= oldest && after.number <= newest) return after.number;
  if (isStandby && after.epoch === epoch && after.number > newest) throw notReplayed();
  const why =
    after.epoch === epoch && after.number < oldest
      ? "Changes after this position are no longer stored"
      : "This position belongs to another epoch";
  const [from, to] = [oldest, newest].map((number) => writePosition({ epoch, number }));
  throw new ApiError(
    "POSITION_GONE",
    `${why}; the oldest is ${from}, the newest ${to}. Get \`next_position\` from \`/changes?after=newest\`, reload what you store, and continue from that position.`,
  );
}

const notReplayed = () =>
  retryLater("INDEX_NOT_READY", "The standby being read has not replayed this position yet.", 1);

export type ChangePage = {
  rows: ChangeRow[];
  /** The number to continue from, even if nothing was found. */
  next: number;
};

/**
 * Changes after a number, at most `limit`, with the ends of their blocks. A reader that stands within a block gets its end,
 * whether or not more of its changes follow.
 */
export async function readChanges(
  db: Db,
  { after, newest, limit, filters }: { after: number; newest: number; limit: number; filters: ChangeFilters },
): Promise<ChangePage> {
  const end = Math.min(newest, after + MAX_SCANNED);
  const { rows } = await db.execute(sql`
    with page as (
      select f.number from feed_changes f where f.number > ${after} and f.number <= ${end} and ${filterSql(filters)}
      order by f.number limit ${limit}
    ), inside as (
      select ${after}::bigint as number, coalesce(
        (select source is not null from feed_changes where number = ${after}), true) as has_end
      union all select f.number, f.source is not null from page join feed_changes f using (number)
    ), ends as (
      select e.number from inside p cross join lateral (
        select number from feed_changes where type = 'block.ended' and number > p.number order by number limit 1) e
      where p.has_end
    )
    select ${sql.raw(CHANGE_COLUMNS)} from feed_changes f
    where f.number <= ${end} and f.number in (select number from page union select number from ends)
    order by f.number limit ${limit + 1}`);
  const found = rows as ChangeRow[];
  if (found.length < limit) return { rows: found, next: end };
  const page = found.slice(0, limit);
  return { rows: page, next: page.at(-1)?.number ?? end };
}

/**
 * Changes that a marker `chain.finalized` makes final, after a number: those of its blocks, and of earlier blocks that came after
 * the marker before. What was taken back is not among them.
 */
export async function readMadeFinal(
  db: Db,
  { marker, after, limit }: { marker: ChangeRow; after: number; limit: number },
): Promise<ChangeRow[]> {
  const { chainId, number, blockNumber } = marker;
  const before = await db.execute(sql`
    select number::float8 as number, block_number as block from feed_changes
    where type = ${FINAL_MARKER} and chain_id = ${chainId} and number < ${number} order by number desc limit 1`);
  const [last] = before.rows as { number: number; block: number }[];
  const open = sql`f.chain_id = ${chainId} and f.state = 'new' and not f.is_taken_back and f.source is not null`;
  const { rows } = await db.execute(sql`
    with made as (
      select f.number from feed_changes f where ${open} and f.block_number > ${last?.block ?? -1}
        and f.block_number <= ${blockNumber} and f.number > ${after} and f.number < ${number}
      union
      select f.number from feed_changes f where ${open} and f.block_number <= ${last?.block ?? -1}
        and f.number > ${Math.max(after, last?.number ?? 0)} and f.number < ${number}
      order by number limit ${limit}
    )
    select ${sql.raw(CHANGE_COLUMNS)} from feed_changes f join made using (number) order by f.number`);
  return rows as ChangeRow[];
}

/** The type of the marker up to which changes of a chain are final. */
export const FINAL_MARKER = "chain.finalized";

/** Those of the changes that a reorganisation rolled back. */
export async function listTakenBack(db: Db, numbers: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await db.execute(sql`
    select number::float8 as number from feed_changes
    where number = any(${sql.param([...numbers])}::bigint[]) and is_taken_back`);
  return new Set((rows as { number: number }[]).map(({ number }) => number));
}
