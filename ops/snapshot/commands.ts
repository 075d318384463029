import { resolve } from "node:path";
import type { Settings } from "../../settings/settings.ts";
import { CommandError, type Program } from "../commandLine/command.ts";
import { describeBytes, type Screen } from "../commandLine/progress.ts";
import { createSnapshot } from "./create.ts";
import { explain } from "./explain.ts";
import { describeSnapshot } from "./inspect.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { restoreSnapshot } from "./restore.ts";

const usage = `A finished index in a folder of files, from which another database begins.

  npm run snapshot -- create <folder> [--with-cache]      writes the index as it is at its last final block; it goes on
                                                          meanwhile. --with-cache adds the cache of past events
  npm run snapshot -- restore <folder> [--without-cache]  loads it into the empty schema DATABASE_SCHEMA; npm start goes
                                                          on from there. Interrupted, run it again
  npm run snapshot -- inspect <folder>                    says what is in it

Settings are those of npm start. Keys and credits are never in a snapshot: npm run backup saves them.`;

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
  return `The snapshot in ${folder} has ${manifest.parts.length} parts, ${describeBytes(bytes)}, of ${placeOf(manifest)}.`;
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
  return `The index "${settings.schema}" is restored, of ${placeOf(manifest)}. npm start goes on from there.`;
}

async function inspect(_: SnapshotContext, [folder = ""]: string[]): Promise<string> {
  return describeSnapshot(await readManifest(resolve(folder)));
}

const placeOf = ({ chains }: Manifest): string =>
  chains.map(({ chain_name, block_number }) => `block ${block_number} of ${chain_name}`).join(", ");
