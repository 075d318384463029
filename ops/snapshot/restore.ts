import { createHash } from "node:crypto";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { contractsOf } from "../../abis/contracts.ts";
import { createCache, numberingStatements, saysWhatIsCached } from "../../engine/cache.ts";
import { CACHE_SCHEMA } from "../../engine/cacheSchema.ts";
import { stateStatements } from "../../engine/restorePoint.ts";
import { createCounters, hasCounters } from "../../src/api/names/counts/maintain.ts";
import { inTransaction, withClient } from "../../src/api/server/postgres/client.ts";
import { prepareDatabase } from "../checks/database.ts";
import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { describeBytes, startProgress } from "../commandLine/progress.ts";
import { buildKeysAndIndexes, tidyTables } from "./builds.ts";
import { explain } from "./explain.ts";
import { requireBuild, requireChains } from "./fit.ts";
import { noteWork, takeRestoreLock } from "./locks.ts";
import { type Manifest, type Part, readManifest } from "./manifest.ts";
import { inParallel } from "./parallel.ts";
import { readPart, verifyPart } from "./parts.ts";
import type { Restore, RestorePlan } from "./plan.ts";
import { ContentRefused, isOfContent, removeRestore } from "./refused.ts";
import { beginRestore, dropMark, listLoaded, noteLoaded, readTarget, type Target } from "./target.ts";

const id = pg.escapeIdentifier;

/**
 * Loads a snapshot into an empty schema, after checking everything that can be checked. An interrupted restore
 * continues where it was; a rejected one leaves nothing.
 *
 * @throws CommandError if the snapshot is broken or does not fit, or if the schema is not empty
 */
export async function restoreSnapshot(plan: RestorePlan): Promise<Manifest> {
  const { settings, folder } = plan;
  const { schema, databaseUrl } = settings;
  const manifest = await readManifest(folder);
  const points = await requireChains(manifest, settings);
  const target = targetOf(manifest, plan);
  const config = configOf(plan);
  await withClient(config, async (client) => {
    await takeRestoreLock(client, schema);
    const state = await readTarget(client, target);
    const build = await requireBuild(manifest, schema);
    const parts = manifest.parts.filter(({ of }) => target.withCache || of === "index");
    const restore = { plan, target, build, points, parts, config };
    await verifyParts(restore);
    await prepareDatabase(databaseUrl);
    await fill(client, restore, state === "begun").catch(async (error: Error) => {
      const rest = isOfContent(error) ? await removeAll(client, target) : GOES_ON;
      throw new CommandError(`${explain(error)}\n${rest}`);
    });
  });
  return manifest;
}

const GOES_ON = "The restore is not complete, and nothing uses it. Run the same command again to resume it.";

/** Gives what to tell the operator. */
async function removeAll(client: pg.Client, target: Target): Promise<string> {
  try {
    await removeRestore(client, target);
    return "The restore is not complete. Its tables were removed, so you can restore another snapshot.";
  } catch (error) {
    const cache = target.withCache ? ` DROP SCHEMA IF EXISTS ${CACHE_SCHEMA} CASCADE;` : "";
    return `The restore is not complete, and its tables could not be removed (${onOneLine((error as Error).message)}). Remove them with: DROP SCHEMA IF EXISTS ${id(target.schema)} CASCADE;${cache}`;
  }
}

const targetOf = (manifest: Manifest, { settings, withoutCache }: RestorePlan): Target => ({
  schema: settings.schema,
  snapshotId: createHash("sha256").update(JSON.stringify(manifest)).digest("hex"),
  withCache: manifest.has_cache && !withoutCache,
});

const configOf = ({ settings }: RestorePlan): pg.ClientConfig => ({
  connectionString: settings.databaseUrl,
  application_name: `${settings.schema}_restore`,
  // What is loaded is on the disk when the last transaction is: that one waits for it.
  options: "-c statement_timeout=0 -c synchronous_commit=off -c maintenance_work_mem=256MB -c jit=off",
});

async function verifyParts({ parts, plan: { folder, screen } }: Restore): Promise<void> {
  const whole = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = startProgress(screen, { title: "Checking parts", whole, show: describeBytes });
  for (const part of parts) await verifyPart(folder, part, progress.add);
  progress.end();
}

async function fill(client: pg.Client, restore: Restore, isBegun: boolean): Promise<void> {
  const { target, build, plan } = restore;
  const { schema } = target;
  if (!isBegun) await beginRestore(client, target, build);
  if (target.withCache) await createCache(plan.settings.databaseUrl);
  await loadParts(restore, await listLoaded(client, schema));
  await buildKeysAndIndexes(client, restore);
  await tidyTables(client, restore);
  await countNames(client, restore);
  await finish(client, restore);
}

async function loadParts(restore: Restore, loaded: Set<string>): Promise<void> {
  const { plan, config, target } = restore;
  const { folder, screen } = plan;
  const parts = restore.parts.filter(({ file, table }) => !loaded.has(file) && !isLast(table));
  const whole = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = startProgress(screen, { title: "Loading tables", whole, show: describeBytes });
  const largestFirst = parts.toSorted((a, b) => b.bytes - a.bytes);
  await inParallel(largestFirst, {
    config,
    setUp: (client) => noteWork(client, target.schema),
    work: (client, part) =>
      inTransaction(client, async () => {
        if (!(await noteLoaded(client, target.schema, part.file))) return;
        await loadPart(client, { folder, part, schema: schemaOf(part, target), onBytes: progress.add });
      }),
  });
  progress.end();
}

/** Until this is there, the rest of the cache says nothing. */
const isLast = (table: string): boolean => saysWhatIsCached(table);

const schemaOf = ({ of }: Part, { schema }: Target): string => (of === "index" ? schema : CACHE_SCHEMA);

async function loadPart(
  client: pg.Client,
  plan: { folder: string; part: Part; schema: string; onBytes: (bytes: number) => void },
): Promise<void> {
  const { part, schema } = plan;
  const stream = client.query(copyFrom(`copy ${id(schema)}.${id(part.table)} from stdin`));
  await readPart(plan, stream);
  if (stream.rowCount === part.rows) return;
  throw new ContentRefused(
    `${part.file} is damaged: it has ${stream.rowCount} rows instead of ${part.rows}.`,
  );
}

/** The tables represent that block, so counts use its time; the indexer continues from there. */
async function countNames(client: pg.Client, { target, points, plan }: Restore): Promise<void> {
  const { ensv2 } = contractsOf(plan.settings.deployment);
  const counts = { client, schema: id(target.schema), ensv2 };
  if (await hasCounters(counts)) return;
  const started = performance.now();
  const isCounted = await createCounters(counts, Math.max(...points.map((point) => point.blockTimestamp)));
  if (!isCounted) throw new Error(`Another program is using the tables of "${target.schema}".`);
  plan.screen.write(`Counting names: done in ${Math.ceil((performance.now() - started) / 1_000)} s\n`);
}

/** From here on it is an index. */
async function finish(client: pg.Client, restore: Restore): Promise<void> {
  const { target, plan, build, points } = restore;
  const { folder } = plan;
  await inTransaction(client, async () => {
    await client.query("set local synchronous_commit = on");
    for (const part of restore.parts.filter(({ table }) => isLast(table))) {
      await loadPart(client, { folder, part, schema: schemaOf(part, target), onBytes: () => {} });
    }
    if (target.withCache) for (const statement of numberingStatements) await client.query(statement);
    for (const { text, values } of stateStatements(target.schema, { ...build, points })) {
      await client.query(text, values);
    }
    await client.query(dropMark(target.schema));
  });
}
