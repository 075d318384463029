import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { PONDER_VERSION } from "../../engine/ponderModule.ts";
import type { Settings } from "../../settings/settings.ts";
import { queriesOf, withClient } from "../../src/api/server/postgres/client.ts";
import { listMissingIndexes } from "../../src/api/upkeep/build.ts";
import { ownIndexes } from "../../src/api/upkeep/indexes.ts";
import { describeBytes, type Screen, startProgress } from "../commandLine/progress.ts";
import { atSnapshot, exportSnapshot } from "./consistentRead.ts";
import { finishFolder, prepareFolder } from "./folder.ts";
import { readChains, readVersion } from "./heading.ts";
import { type Heading, type Manifest, type Part, toManifest } from "./manifest.ts";
import { inParallel } from "./parallel.ts";
import { writeParts } from "./parts.ts";
import { type Piece, piecesOf, readSource } from "./source.ts";

/** What to write, and where. */
export type CreatePlan = {
  settings: Pick<Settings, "databaseUrl" | "schema" | "network" | "rpcUrls">;
  folder: string;
  withCache: boolean;
  screen: Screen;
};

const PAGE_BYTES = 8_192;

/**
 * Writes a snapshot of an index at its last final block, while the indexer continues.
 *
 * @throws CommandError if there is no complete index, or the folder cannot be used
 */
export async function createSnapshot(plan: CreatePlan): Promise<Manifest> {
  const config = configOf(plan);
  return withClient(config, async (keeper) => {
    const snapshot = await exportSnapshot(keeper);
    const { source, heading } = await withClient(config, (client) =>
      atSnapshot(client, snapshot, () => readHeading(client, plan)),
    );
    const chains = await readChains(source, plan.settings);
    await prepareFolder(plan.folder);
    const parts = await writePieces(piecesOf(source), { ...plan, snapshot });
    const manifest = toManifest({ ...heading, chains }, parts);
    await finishFolder(plan.folder, manifest);
    return manifest;
  });
}

const configOf = ({ settings }: CreatePlan): pg.ClientConfig => ({
  connectionString: settings.databaseUrl,
  application_name: `${settings.schema}_snapshot`,
  options: "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c jit=off",
});

async function readHeading(client: pg.Client, { settings, withCache }: CreatePlan) {
  const { schema, network } = settings;
  const source = await readSource(queriesOf(client), { schema, withCache });
  const missing = await listMissingIndexes({ client, schema });
  const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
  const heading: Omit<Heading, "chains"> = {
    network,
    build_id: source.buildId,
    has_cache: withCache,
    versions: {
      namedex: await readVersion(),
      ponder: PONDER_VERSION,
      postgresql: rows[0]?.server_version ?? "",
    },
    indexes: ownIndexes.map(({ name }) => name).filter((name) => !missing.includes(name)),
  };
  return { source, heading };
}

async function writePieces(
  pieces: readonly Piece[],
  plan: CreatePlan & { snapshot: string },
): Promise<Part[]> {
  const { folder, screen, snapshot } = plan;
  const whole = pieces.reduce((sum, { pages }) => sum + pages, 0) * PAGE_BYTES;
  const progress = startProgress(screen, { title: "Writing tables", whole, show: describeBytes });
  const parts: Part[] = [];
  const counts = new Map<string, number>();
  await inParallel(pieces, {
    config: configOf(plan),
    work: async (client, { of, table, select, pages }) => {
      const nextFile = () => {
        const name = of === "cache" ? `cache_${table}` : table;
        const number = (counts.get(name) ?? 0) + 1;
        counts.set(name, number);
        return `${name}-${String(number).padStart(6, "0")}.zst`;
      };
      const written = await atSnapshot(client, snapshot, () =>
        writeParts(client.query(copyTo(`COPY (${select}) TO STDOUT`)), { folder, nextFile }),
      );
      parts.push(...written.map((part) => ({ of, table, ...part })));
      progress.add(pages * PAGE_BYTES);
    },
  });
  progress.end();
  return parts.toSorted((a, b) => a.file.localeCompare(b.file));
}
