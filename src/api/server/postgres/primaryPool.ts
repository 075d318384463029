import pg from "pg";
import { queriesOf, withClient } from "./client.ts";
import { findDatabaseError, isDatabaseAway, isUnreachable, READ_ONLY } from "./databaseErrors.ts";
import { primaryOf, readServer, type Server } from "./servers.ts";

type Plan = {
  /** At least one. One alone is taken as it is. */
  urls: readonly string[];
  config: pg.PoolConfig;
  /** Runs once on each server, before any work. */
  prepare: (client: pg.PoolClient) => Promise<void>;
};

/** How long one look at a server may take. */
const LOOK_TIMEOUT_MS = 3_000;
/** How often the servers are looked at again while connections are used: another may have been promoted. */
export const PRIMARY_LOOK_MS = 2_000;

/** The pool of one server. */
type ServerPool = { url: string; pool: pg.Pool; ready: Promise<void> | null };

/** Connections to the primary among some servers. */
export function openPrimaryPool({ urls, config, prepare }: Plan) {
  const [first = ""] = urls;
  const isAlone = urls.length < 2;
  let current: ServerPool | null = isAlone ? open(first, config) : null;
  let looking: Promise<void> | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const take = ({ url }: { url: string }): void => {
    if (current?.url === url) return;
    void current?.pool.end(); // Work that has begun on it ends there.
    current = open(url, config);
  };
  const look = (): Promise<void> => {
    looking ??= findPrimary(urls)
      .then(take)
      .finally(() => {
        looking = null;
        lookedAt = performance.now();
      });
    return looking;
  };
  const connect = async (): Promise<pg.PoolClient> => {
    if (current === null) await look();
    else if (!isAlone && performance.now() - lookedAt > PRIMARY_LOOK_MS) void look().catch(() => {}); // The work says what fails.
    if (current === null) throw noPrimary();
    await readyOf(current, prepare);
    return current.pool.connect();
  };
  return {
    /**
     * Does work on a connection to today's primary. A server that cannot be connected to, or is a standby by now, is left for another
     * one. Work that has begun is never done again.
     *
     * @throws Error of PostgreSQL; one with the code {@link READ_ONLY} if all servers are standbys
     */
    use: async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
      const client = await connect().catch(async (error: unknown) => {
        if (isAlone || !isOfNoPrimary(error)) throw error;
        await look();
        return connect();
      });
      try {
        return await work(client);
      } catch (error) {
        if (!isAlone && isOfNoPrimary(error)) await look().catch(() => {}); // So that the next work finds another server.
        throw error;
      } finally {
        client.release();
      }
    },
    close: async (): Promise<void> => {
      await looking?.catch(() => {});
      await current?.pool.end();
    },
  };
}

/** Prepares a server once; after a failure the next work tries again. */
function readyOf(server: ServerPool, prepare: Plan["prepare"]): Promise<void> {
  server.ready ??= server.pool
    .connect()
    .then((client) => prepare(client).finally(() => client.release()))
    .catch((error: unknown) => {
      server.ready = null;
      throw error;
    });
  return server.ready;
}

const isOfNoPrimary = (error: unknown): boolean =>
  isUnreachable(error) || findDatabaseError(error, [READ_ONLY, "57P01", "57P03"]) !== null;

/**
 * Looks at all servers, and gives the primary.
 *
 * @throws Error of the first server that does not answer if none is a primary; with the code {@link READ_ONLY} if all are standbys
 */
export async function findPrimary(urls: readonly string[]): Promise<{ url: string; server: Server }> {
  const looks = await Promise.allSettled(urls.map(lookAt));
  const primary = primaryOf(looks.flatMap((look) => (look.status === "fulfilled" ? [look.value] : [])));
  if (primary !== null) return primary;
  const failed = looks.find((look) => look.status === "rejected");
  throw failed !== undefined && isDatabaseAway(failed.reason) ? failed.reason : noPrimary();
}

/** The URL of the primary; one alone is taken as it is. @throws as {@link findPrimary} */
export const urlOfPrimary = async (urls: readonly string[]): Promise<string> =>
  urls.length < 2 ? (urls[0] ?? "") : (await findPrimary(urls)).url;

const lookAt = async (url: string): Promise<{ url: string; server: Server }> => {
  const config = {
    connectionString: url,
    connectionTimeoutMillis: LOOK_TIMEOUT_MS,
    query_timeout: LOOK_TIMEOUT_MS,
    application_name: "namedex_primary",
  };
  return { url, server: await withClient(config, (client) => readServer(queriesOf(client))) };
};

const noPrimary = (): Error =>
  Object.assign(new Error("None of the servers of SERVICE_DATABASE_URL is a primary"), { code: READ_ONLY });

function open(url: string, config: pg.PoolConfig): ServerPool {
  const pool = new pg.Pool({ ...config, connectionString: url });
  // A connection may end at any time: the next query opens another one, or fails.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return { url, pool, ready: null };
}
