import { sql } from "ponder";
import type { Queries } from "../postgres/client.ts";
import { findDatabaseError } from "../postgres/databaseErrors.ts";
import type { Db } from "../postgres/db.ts";
import { soon } from "../scheduling/lastKnown.ts";

/** How far a standby is behind its primary, whose tables it shows. */
export type Standby = {
  /** Bytes of the primary's log that the standby has not replayed; null while the primary does not answer. */
  lagBytes: number | null;
  /** Age of the newest transaction that it replayed, where there are later ones; 0 where not; null as above. */
  lagSeconds: number | null;
  /** Whether an operator has stopped the replay. */
  isPaused: boolean;
};

/** PostgreSQL's object_not_in_prerequisite_state: the standby was promoted between two functions of the query. */
const PROMOTED = ["55000"];

/** Whether the index is read from a standby: another server writes it. It ends when the standby is promoted. */
export async function readIsStandby(db: Db): Promise<boolean> {
  const { rows } = await db.execute(sql.raw(`select pg_is_in_recovery() as "isStandby"`));
  return (rows[0] as { isStandby: boolean }).isStandby;
}

/**
 * Reads how far the standby is behind; null where the index is read from a primary. The primary is read first, so the standby is behind
 * what the primary had written by then.
 *
 * @param written the end of the primary's log; null where the primary does not answer
 */
export async function readStandby(db: Db, written: () => Promise<string | null>): Promise<Standby | null> {
  if (!(await readIsStandby(db))) return null;
  const replay = await readReplay(db, await written());
  if (replay === null) return null;
  const { ahead, age, isPaused } = replay;
  if (ahead === null) return { lagBytes: null, lagSeconds: null, isPaused };
  const lagBytes = Math.max(0, ahead);
  const lagSeconds = lagBytes === 0 ? 0 : age && Math.max(0, Math.floor(age));
  return { lagBytes, lagSeconds, isPaused };
}

/** A primary may be away while its standby answers: it is not waited for longer. */
const PRIMARY_MS = 1_000;

/** The end of the primary's log; null if the primary does not say it within a second. */
export async function readWritten({ query }: Queries): Promise<string | null> {
  let written: string | null = null;
  const reading = query<{ written: string }>("SELECT pg_current_wal_lsn()::text AS written").then(
    ([row]) => {
      written = row?.written ?? null;
    },
    () => {}, // It is away, or a standby.
  );
  await soon(reading, PRIMARY_MS);
  return written;
}

/** By how many bytes the primary is ahead, and how many seconds ago it wrote what was replayed last. */
type Replay = { ahead: number | null; age: number | null; isPaused: boolean };

async function readReplay(db: Db, written: string | null): Promise<Replay | null> {
  const statement = sql`
    select pg_wal_lsn_diff(${written}::pg_lsn, pg_last_wal_replay_lsn())::float8 as ahead,
      extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as age,
      pg_is_wal_replay_paused() as "isPaused"`;
  try {
    return (await db.execute(statement)).rows[0] as Replay;
  } catch (error) {
    if (findDatabaseError(error, PROMOTED) === null) throw error;
    return null;
  }
}
