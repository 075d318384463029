import pg from "pg";
import { type AppName, type AppPlan, type Backfill, runApp } from "./app.ts";
import type { ChainNode } from "./node.ts";

/** One backfill with what the chain's node and the database had to do with it. */
export type Measured = Backfill & {
  /** Share of one processor that the chain's node took. */
  nodeShare: number;
  /** Bytes of the app's tables and indexes. */
  tableBytes: number;
};

/** All backfills of one run. */
export type Rounds = {
  /** With nothing in the cache of RPC answers. */
  cold: Measured;
  /** Bytes of that cache after it. */
  cacheBytes: number;
  /** With all of them in the cache, in turn, several times. */
  warm: Record<AppName, Measured[]>;
};

export type Place = {
  databaseUrl: string;
  chain: ChainNode;
  /** Base beside mainnet, if its names are indexed too. */
  base?: ChainNode | undefined;
  /** Heap of the indexer and rows that it keeps; what Node and Ponder choose unless told. */
  memory?: Memory | undefined;
};

/** Flags of Node and settings, as `npm start` finds them. */
export type Memory = { flags: string[]; env: Record<string, string> };

/** Indexes the chain cold, and then warm with each app in turn, so that a slow moment of the machine affects all apps. */
export async function measure({
  rounds,
  profile,
  ...place
}: Place & { rounds: number; profile?: string | undefined }): Promise<Rounds> {
  const cold = await measureOne("namedex", "cold", place);
  const cacheBytes = await sizeOf(place.databaseUrl, "namedex_cache");
  const warm: Rounds["warm"] = { floor: [], insert: [], namedex: [] };
  for (let round = 0; round < rounds; round++) {
    for (const app of ["floor", "insert", "namedex"] as const) {
      warm[app].push(await measureOne(app, `warm_${app}_${round}`, place));
    }
  }
  if (profile !== undefined) {
    // Besides the rounds: a profiler takes its share.
    await measureOne("namedex", "warm_profiled", place, {
      flags: ["--cpu-prof", `--cpu-prof-dir=${profile}`],
    });
  }
  return { cold, cacheBytes, warm };
}

type How = Pick<AppPlan, "flags" | "env" | "events" | "whenReady" | "without">;

/** Indexes the chain once with an app, in a schema that is dropped afterwards. */
export async function measureOne(
  app: AppName,
  schema: string,
  place: Place,
  how: How = {},
): Promise<Measured> {
  const measured = await measureAndKeep(app, schema, place, how);
  await dropSchema(place.databaseUrl, schema);
  return measured;
}

/** The same in a schema that stays. */
export async function measureAndKeep(
  app: AppName,
  schema: string,
  place: Place,
  how: How = {},
): Promise<Measured> {
  const { databaseUrl, chain, base } = place;
  const before = chain.cpuSeconds();
  const events = how.events ?? chain.logs + (base?.logs ?? 0);
  const backfill = await runApp({ app, schema, ...how, ...planOf(place, how), events });
  const nodeShare = (chain.cpuSeconds() - before) / backfill.seconds;
  if (backfill.events !== events) {
    throw new Error(`${app} handled ${backfill.events} events of the ${events} that were logged`);
  }
  const tableBytes = await sizeOf(databaseUrl, schema);
  const speed = Math.round(backfill.events / backfill.seconds).toLocaleString("en");
  console.log(`${schema}: ${backfill.seconds.toFixed(1)} s, ${speed} events/s`);
  return { ...backfill, nodeShare, tableBytes };
}

/** What all apps in a place have in common. */
export const planOf = (
  { databaseUrl, chain, base, memory }: Place,
  { flags = [], env }: Pick<AppPlan, "flags" | "env"> = {},
): Pick<AppPlan, "databaseUrl" | "rpcUrl" | "flags" | "env"> => ({
  databaseUrl,
  rpcUrl: chain.url,
  flags: [...(memory?.flags ?? []), ...flags],
  env: { ...memory?.env, ...(base && { RPC_URL_8453: base.url }), ...env },
});

/** PostgreSQL may still be building an index for the indexer that has ended: the two would wait for each other. */
export async function dropSchema(databaseUrl: string, schema: string): Promise<void> {
  await query(
    databaseUrl,
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  await query(databaseUrl, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
}

/** Bytes of the tables of a schema, and of their indexes. */
export async function sizesOf(
  databaseUrl: string,
  schema: string,
): Promise<{ tables: number; indexes: number }> {
  const [row] = await query(
    databaseUrl,
    `SELECT coalesce(sum(pg_table_size(c.oid)), 0) AS tables, coalesce(sum(pg_indexes_size(c.oid)), 0) AS indexes
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = '${schema}' AND c.relkind IN ('r', 'm')`,
  );
  return { tables: Number(row?.tables), indexes: Number(row?.indexes) };
}

async function sizeOf(databaseUrl: string, schema: string): Promise<number> {
  const { tables, indexes } = await sizesOf(databaseUrl, schema);
  return tables + indexes;
}

/** Whether a program with this name has a connection. */
export async function isConnected(databaseUrl: string, program: string): Promise<boolean> {
  const rows = await query(databaseUrl, `SELECT FROM pg_stat_activity WHERE application_name = '${program}'`);
  return rows.length > 0;
}

type Cells = { tables?: string; indexes?: string; hash?: string };

async function query(databaseUrl: string, text: string): Promise<Cells[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
