import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { openFolder, syncPath, writeThrough } from "../files/durable.ts";
import { MANIFEST_FILE, type Manifest } from "./manifest.ts";

/** Marks a folder in which a snapshot is being written: its other contents may be deleted. */
const UNFINISHED_FILE = "unfinished";
const NEW_MANIFEST_FILE = `${MANIFEST_FILE}.new`;

const isOurs = (file: string): boolean =>
  [UNFINISHED_FILE, NEW_MANIFEST_FILE].includes(file) || /^[a-z_][a-z0-9_.]*-\d{6}\.zst$/.test(file);

/**
 * Makes a folder ready for a new snapshot: one that does not exist, is empty, or has what an interrupted `create` left.
 *
 * @throws CommandError for a folder with anything else
 */
export async function prepareFolder(folder: string): Promise<void> {
  const files = await openFolder(folder);
  if (files.includes(MANIFEST_FILE)) {
    throw new CommandError(`${folder} already has a snapshot: use another folder, or delete this one.`);
  }
  const isLeft = files.includes(UNFINISHED_FILE);
  const foreign = files.find((file) => !isLeft || !isOurs(file));
  if (foreign !== undefined) {
    throw new CommandError(`${folder} has other files (${onOneLine(foreign)}): use a new or empty folder.`);
  }
  await writeThrough(join(folder, UNFINISHED_FILE), "npm run snapshot -- create has not finished here.\n");
  for (const file of files) if (file !== UNFINISHED_FILE) await rm(join(folder, file));
}

/** Makes a snapshot of what was written: the manifest comes under its name in one step, when all else is on the disk. */
export async function finishFolder(folder: string, manifest: Manifest): Promise<void> {
  const file = join(folder, NEW_MANIFEST_FILE);
  await writeThrough(file, `${JSON.stringify(manifest, null, 1)}\n`);
  await rename(file, join(folder, MANIFEST_FILE));
  await rm(join(folder, UNFINISHED_FILE));
  await syncPath(folder);
}
