import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { listFalseSources } from "../../engine/sources/falseSources.ts";
import { countSourceBlocks } from "../../engine/sources/sourceBlocks.ts";
import { type ComparisonPlan, compareNow, compareSources } from "../../ops/launch/compareSources.ts";
import { listSourceComparisons } from "../../src/api/server/serviceDb/sourceComparisons.ts";
import { openStore } from "../../src/api/server/serviceDb/store.ts";
import { setProgress, stateTableStatements } from "../support/ponderState.ts";
import type { Plan, Provider } from "./providerNode.ts";

// What logSyncTrial.ts does with a cache that it filled from a source: the comparison behind the ready index.

/** Changes the cache like a source whose false log no sample found. */
const lies: Record<string, string> = {
  omits:
    "delete from namedex_cache.logs where (block_number, log_index) in (select block_number, log_index from one)",
  alters:
    "update namedex_cache.logs set data = '0x00' where (block_number, log_index) in (select block_number, log_index from one)",
  invents:
    "update namedex_cache.logs set log_index = 999 where (block_number, log_index) in (select block_number, log_index from one)",
  moves:
    "update namedex_cache.logs set transaction_index = 9 where (block_number, log_index) in (select block_number, log_index from one)",
  time: "update namedex_cache.blocks set timestamp = timestamp + 1 where number in (select block_number from one)",
};
const TABLES = ["logs", "blocks", "transactions", "factory_addresses", "intervals", "source_blocks"];

export type Compared = {
  said: string[];
  progress: { blocks: number; compared: number; differingBlock: number | null }[];
  requests: number;
  /** Blocks compared according to the cache, which is reported to the API now and then. */
  stored: number;
};
export type Steps = {
  before: Compared;
  interrupted: Compared;
  forgetful: Compared;
  equal: Compared;
  again: Compared;
  lies: Record<string, Compared & { block: number; logs: number; intervals: number; refused: object[] }>;
};

type Given = { databaseUrl: string; pool: pg.Pool; provider: Provider; plan: Plan };

export async function compareInSteps({ databaseUrl, pool, provider, plan }: Given): Promise<Steps> {
  await pool.query("set search_path to trial");
  const store = openStore({ databaseUrl, schema: "trial_service" });
  const read = async <Row>(text: string): Promise<Row[]> => (await pool.query(text)).rows;

  /** Runs one comparison at once; the launcher splits it into turns, as `work` can. */
  async function compare(
    stopped = new AbortController().signal,
    work = (settings: ComparisonPlan, _said: string[]) => compareNow(settings, stopped),
  ): Promise<Compared> {
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const settings: ComparisonPlan = {
      databaseUrl,
      serviceDatabaseUrls: [databaseUrl],
      serviceSchema: "trial_service",
      schema: "trial",
      rpcUrls: { 1: [provider.url] },
      rpcRequestsPerSecond: 100_000,
      logSources: { 1: { variable: "LOG_SOURCE", location: "x" } },
      log: { info: say, warn: say, error: say },
    };
    const before = provider.seen.requests.eth_getLogs ?? 0;
    await work(settings, said).catch((error: Error) => say(`failed: ${error.message}`));
    const progress = await listSourceComparisons(store, "trial");
    const { compared: stored } = await countSourceBlocks(read, { chainId: 1, schema: "trial" });
    return { said, progress, stored, requests: (provider.seen.requests.eth_getLogs ?? 0) - before };
  }

  const before = await compare();
  for (const statement of stateTableStatements) await pool.query(statement);
  await setProgress({ pool }, { chainId: 1, block: plan.head, time: 1_600_000_000 });

  const stopping = new AbortController();
  const stopSoon = async () => {
    const hasBegun = "select from namedex_cache.source_blocks where compared <> '{}'";
    while ((await read(hasBegun)).length === 0) await sleep(1);
    stopping.abort();
  };
  plan.maxRange = 200;
  const [interrupted] = await Promise.all([compare(stopping.signal), stopSoon()]);
  delete plan.maxRange;
  plan.forgets = true;
  const forgetful = await compare();
  plan.forgets = false;
  const inTurns = async (settings: ComparisonPlan, said: string[]) => {
    const stop = compareSources({ ...settings, pauseMs: 1 });
    while (said.length === 0) await sleep(1);
    await sleep(200);
    stop();
  };
  const [equal, again] = [await compare(undefined, inTurns), await compare()];

  plan.times = "seconds";
  const found: Steps["lies"] = {};
  await pool.query("create schema saved");
  for (const table of TABLES)
    await pool.query(`create table saved.${table} as select * from namedex_cache.${table}`);
  for (const [kind, sql] of Object.entries(lies)) {
    await pool.query("update namedex_cache.source_blocks set compared = '{}'");
    await pool.query(
      "create temp table one as select block_number, log_index from namedex_cache.logs where block_number < 39000 order by 1, 2 offset 30 limit 1",
    );
    await pool.query(sql);
    const compared = await compare();
    const [left] = await read<{ block: number; logs: number; intervals: number }>(
      `select (select block_number::float8 from one) as block, (select count(*)::int from namedex_cache.logs) as logs,
         (select count(*)::int from namedex_cache.intervals where blocks <> '{}') as intervals`,
    );
    const refused = await listFalseSources(read, 1);
    found[kind] = { ...compared, ...(left as NonNullable<typeof left>), refused };
    await pool.query("drop table one; delete from namedex_cache.false_sources");
    await pool.query("delete from trial_service.source_comparisons");
    for (const table of TABLES) {
      await pool.query(`truncate namedex_cache.${table} cascade`);
      await pool.query(
        `insert into namedex_cache.${table} overriding system value select * from saved.${table}`,
      );
    }
  }
  await store.close();
  return { before, interrupted, forgetful, equal, again, lies: found };
}
