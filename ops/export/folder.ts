import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { openFolder, syncPath, writeThrough } from "../files/durable.ts";
import { FILE_NAME, MANIFEST_FILE, type Manifest, readManifest } from "./manifest.ts";

// The folder of an export. While one is written, `unfinished.json` is there in place of the manifest, with the files that are
// complete; all else is what an interrupted run left, and is removed. Rows on their way stand in `staging/`.

const UNFINISHED_FILE = "unfinished.json";
const STAGING_FOLDER = "staging";

export const stagingOf = (folder: string): string => join(folder, STAGING_FOLDER);

/**
 * Prepares a folder that does not exist, is empty, or has the files of an interrupted export.
 *
 * @returns what the interrupted export had written; null if there was none
 * @throws CommandError for a folder with anything else
 */
export async function prepareFolder(folder: string): Promise<Manifest | null> {
  const names = await openFolder(folder);
  if (names.includes(MANIFEST_FILE)) {
    throw new CommandError(
      `${folder} already has an export. Use a new folder; to continue from this one, add --since ${join(folder, MANIFEST_FILE)}.`,
    );
  }
  const [foreign] = names;
  if (foreign === undefined) return null;
  if (!names.includes(UNFINISHED_FILE)) throw notEmpty(folder, foreign);
  const strange = (await listFiles(folder)).find((file) => !isOurs(file));
  if (strange !== undefined) throw notEmpty(folder, strange);
  return readManifest(join(folder, UNFINISHED_FILE));
}

const isOurs = (file: string): boolean =>
  [UNFINISHED_FILE, `${UNFINISHED_FILE}.new`, `${MANIFEST_FILE}.new`].includes(file) ||
  file.startsWith(`${STAGING_FOLDER}/`) ||
  FILE_NAME.test(file);

const notEmpty = (folder: string, file: string): CommandError =>
  new CommandError(
    `${folder} has other files (${onOneLine(file)}): use a new or empty folder, or that of an interrupted export.`,
  );

/** Removes what no table of the manifest has: half a file, or one of a state that has passed. */
export async function clearFolder(folder: string, { tables }: Manifest): Promise<void> {
  const wanted = new Set(tables.flatMap(({ files }) => files.map(({ file }) => file)));
  await rm(stagingOf(folder), { recursive: true, force: true });
  for (const file of await listFiles(folder)) {
    if (file !== UNFINISHED_FILE && !wanted.has(file)) await rm(join(folder, file));
  }
  await mkdir(stagingOf(folder), { recursive: true });
}

/** Files of a folder and of the folders in it, by their paths below it, in order. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (!entry.isDirectory()) return [entry.name];
      const inner = await readdir(join(folder, entry.name));
      return inner.map((name) => `${entry.name}/${name}`);
    }),
  );
  return found.flat().sort();
}

/** Notes how far the export is. It comes under its name in one step. */
export const noteUnfinished = (folder: string, manifest: Manifest): Promise<void> =>
  writeManifest(folder, UNFINISHED_FILE, manifest);

/** Makes an export of what was written, when all else is on the disk. */
export async function finishFolder(folder: string, manifest: Manifest): Promise<void> {
  await rm(stagingOf(folder), { recursive: true, force: true });
  await writeManifest(folder, MANIFEST_FILE, manifest);
  await rm(join(folder, UNFINISHED_FILE), { force: true });
  await syncPath(folder);
}

async function writeManifest(folder: string, name: string, manifest: Manifest): Promise<void> {
  const path = join(folder, name);
  await writeThrough(`${path}.new`, `${JSON.stringify(manifest, null, 1)}\n`);
  await rename(`${path}.new`, path);
}
