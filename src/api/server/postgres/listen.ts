import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { workInTurns } from "../scheduling/repeated.ts";
import { onOwnConnection } from "./lockedWork.ts";

type Plan = {
  databaseUrl: string;
  channel: string;
  /** How the connection is called in `pg_stat_activity`. */
  applicationName: string;
  /**
   * Called with each notification, and after each connection, since some may have been missed before it. On a standby, which has
   * no notifications: after each look that finds that it has replayed more.
   */
  onNews: () => void;
};

/** How long to wait before the next connection. */
const PAUSE_MS = 1_000;
/** How often a standby is looked at. */
export const STANDBY_LOOK_MS = 500;

/** Listens to a channel over a connection of its own, which is made again whenever it ends. */
export const listen = ({ databaseUrl, channel, applicationName, onNews }: Plan) =>
  workInTurns({
    pauseMs: PAUSE_MS,
    onError: () => {}, // Tried again.
    turn: (stopped) =>
      onOwnConnection({ databaseUrl, applicationName, stopped }, async (client, ended) => {
        client.on("notification", onNews);
        await lookWhileStandby(client, ended, onNews);
        await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
        onNews();
        if (!ended.aborted) await once(ended, "abort");
      }),
  });

type Replay = { isStandby: boolean; replayed: string | null };

/** Looks at a standby until it is promoted; ends at once on a primary. */
async function lookWhileStandby(client: pg.Client, signal: AbortSignal, onNews: () => void): Promise<void> {
  for (let seen: string | null = null; ; await sleep(STANDBY_LOOK_MS, undefined, { ref: false, signal })) {
    const { rows } = await client.query<Replay>(
      `select pg_is_in_recovery() as "isStandby", pg_last_wal_replay_lsn()::text as replayed`,
    );
    const [replay] = rows;
    if (!replay?.isStandby) return;
    if (replay.replayed !== seen) onNews();
    seen = replay.replayed;
  }
}
