import pg from "pg";

type Plan = {
  databaseUrl: string;
  channel: string;
  /** How the connection is called in `pg_stat_activity`. */
  applicationName: string;
  /** Called with each notification, and after each connection, since some may have been missed before it. */
  onNews: () => void;
};

/** How long to wait before the next connection: at first, and at most. */
const WAIT_MS = { first: 500, most: 30_000 };
const CONNECT_MS = 10_000;

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
      ...{ connectionString: databaseUrl, application_name: applicationName },
      ...{ connectionTimeoutMillis: CONNECT_MS, keepAlive: true },
    });
    const ended = new Promise<void>((resolve) => {
      client?.once("end", resolve);
      client?.on("error", () => resolve()); // A connection that the server ends fails, and then ends.
    });
    client.on("notification", onNews);
    await client.connect();
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    waitMs = WAIT_MS.first;
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
