import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

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

/** How long to wait before the next connection: at first, and at most. */
const WAIT_MS = { first: 500, most: 30_000 };
const CONNECT_MS = 10_000;
/** How often a standby is looked at. */
export const STANDBY_LOOK_MS = 500;

/** Listens to a channel over a connection of its own, which is made again whenever it ends. */
export function listen({ databaseUrl, channel, applicationName, onNews }: Plan): {
  stop: () => Promise<void>;
} {
  let isStopped = false;
  let waitMs = WAIT_MS.first;
  let retry: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;

  async function connect(): Promise<void> {
    client = new pg.Client({
      connectionString: databaseUrl,
      application_name: applicationName,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => {
      client?.once("end", resolve);
      client?.on("error", () => resolve()); // A connection that the server ends fails, and then ends.
    });
    client.on("notification", onNews);
    await client.connect();
    waitMs = WAIT_MS.first;
    await lookWhileStandby(client, onNews);
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    onNews();
    await ended;
  }

  async function run(): Promise<void> {
    await connect().catch(() => {}); // Tried again below.
    await client?.end().catch(() => {});
    if (isStopped) return;
    retry = setTimeout(run, waitMs);
    retry.unref();
    waitMs = Math.min(WAIT_MS.most, 2 * waitMs);
  }

  void run();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(retry);
      await client?.end().catch(() => {});
    },
  };
}

type Replay = { isStandby: boolean; replayed: string | null };

/** Looks at a standby until it is promoted; ends at once on a primary. */
async function lookWhileStandby(client: pg.Client, onNews: () => void): Promise<void> {
  for (let seen: string | null = null; ; await sleep(STANDBY_LOOK_MS, undefined, { ref: false })) {
    const { rows } = await client.query<Replay>(
      `select pg_is_in_recovery() as "isStandby", pg_last_wal_replay_lsn()::text as replayed`,
    );
    const [replay] = rows;
    if (!replay?.isStandby) return;
    if (replay.replayed !== seen) onNews();
    seen = replay.replayed;
  }
}
