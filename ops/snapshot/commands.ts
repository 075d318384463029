import { resolve } from "node:path";
import type { Settings } from "../../settings/settings.ts";
import { CommandError, type Program } from "../commandLine/command.ts";
import { describeBytes, type Screen } from "../commandLine/progress.ts";
import { createSnapshot } from "./create.ts";
import { explain } from "./explain.ts";
import { describeSnapshot } from "./inspect.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { restoreSnapshot } from "./restore.ts";

const usage = `Saves a finished index as files, to start another database from.

  npm run snapshot -- create <folder> [--with-cache]      writes the index at its last final block; the indexer keeps
                                                          running. --with-cache adds the cache of past events
  npm run snapshot -- restore <folder> [--without-cache]  loads it into the empty schema DATABASE_SCHEMA; npm start
                                                          continues from there. If interrupted, run it again
  npm run snapshot -- inspect <folder>                    shows what it contains

Uses the settings of npm start. A snapshot never contains keys and credits; npm run backup saves them.`;

type Options = { "with-cache"?: boolean; "without-cache"?: boolean };

/** What a command works with. */
export type SnapshotContext = { readSettings: () => Settings; screen: Screen };

const flag = { type: "boolean" } as const;

/** `npm run snapshot`. */
export const snapshotProgram: Program<SnapshotContext, Options> = {
  name: "npm run snapshot",
  usage,
  options: { "with-cache": flag, "without-cache": flag },
  commands: {
    create: { words: ["folder"], options: ["with-cache"], run: create },
    restore: { words: ["folder"], options: ["without-cache"], run: restore },
    inspect: { words: ["folder"], options: [], run: inspect },
  },
};

async function create(
  { readSettings, screen }: SnapshotContext,
  [folder = ""]: string[],
  { "with-cache": withCache = false }: Options,
): Promise<string> {
  const plan = { settings: readSettings(), folder: resolve(folder), withCache, screen };
  const manifest = await createSnapshot(plan).catch((error: Error) => {
    throw error instanceof CommandError ? error : new CommandError(explain(error));
  });
  const bytes = manifest.parts.reduce((sum, part) => sum + part.bytes, 0);
  return `The snapshot in ${folder} has ${manifest.parts.length} parts, ${describeBytes(bytes)}, at ${placeOf(manifest)}.`;
}

async function restore(
  { readSettings, screen }: SnapshotContext,
  [folder = ""]: string[],
  { "without-cache": withoutCache = false }: Options,
): Promise<string> {
  const settings = readSettings();
  const plan = { settings, folder: resolve(folder), withoutCache, screen };
  const manifest = await restoreSnapshot(plan).catch((error: Error) => {
    throw error instanceof CommandError ? error : new CommandError(explain(error));
  });
  return `The index "${settings.schema}" is restored at ${placeOf(manifest)}. npm start continues from there.`;
}

async function inspect(_: SnapshotContext, [folder = ""]: string[]): Promise<string> {
  return describeSnapshot(await readManifest(resolve(folder)));
}

const placeOf = ({ chains }: Manifest): string =>
  chains.map(({ chain_name, block_number }) => `block ${block_number} of ${chain_name}`).join(", ");
