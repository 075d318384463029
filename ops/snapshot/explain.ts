import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";

/** Codes of PostgreSQL and of the system, and what an operator can do about them. */
const remedies: Record<string, string> = {
  "53100":
    "The disk of the database is full. Free space: an index takes some 12 times the size of its snapshot.",
  ENOSPC: "The disk of the folder is full. Free space, or name a folder on another disk.",
  EDQUOT: "The quota of the folder's disk is used up. Free space, or name a folder on another disk.",
  "42501": "The role of DATABASE_URL lacks a right. Use the indexer's role (`npm run roles` makes it).",
  "23505": "The snapshot has a row twice, so it is damaged. Fetch it again, or take another one.",
  "22P02":
    "The snapshot has a value that does not fit its column, so it is damaged. Fetch it again, or take another one.",
  "22P04":
    "A part of the snapshot has the wrong columns, so it is damaged. Fetch it again, or take another one.",
  "57P01": "The database was stopped.",
};

/** What went wrong, and what to do. */
export function explain(error: Error): string {
  const { code = "" } = error as { code?: string };
  const remedy = remedies[code];
  const message = error instanceof CommandError ? error.message : onOneLine(error.message);
  return remedy === undefined ? message : `${remedy} (${message})`;
}
