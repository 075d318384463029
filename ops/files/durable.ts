import { mkdir, open, readdir } from "node:fs/promises";
import { CommandError } from "../commandLine/command.ts";

// What operators' programs write into a folder is on the disk before they say so.

/** Creates a folder if it does not exist. @returns its entries. @throws CommandError if it cannot be used */
export async function openFolder(folder: string): Promise<string[]> {
  try {
    await mkdir(folder, { recursive: true });
    return await readdir(folder);
  } catch (error) {
    throw new CommandError(`Cannot use the folder ${folder}: ${(error as Error).message}`);
  }
}

/** Writes a file, and waits until it is on the disk. */
export async function writeThrough(path: string, text: string): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Waits until a file, or the names of a folder's files, are on the disk. Some systems cannot do this with a folder. */
export async function syncPath(path: string): Promise<void> {
  const opened = await open(path, "r").catch(() => null);
  await opened?.sync().catch(() => {});
  await opened?.close();
}
