import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";

/** Codes of PostgreSQL and of the system, and what an operator can do about them. */
const remedies: Record<string, string> = {
  "53100": "The database's disk is full. Free space: an index takes about 12 times the size of its snapshot.",
  ENOSPC: "The folder's disk is full. Free space, or use a folder on another disk.",
  EDQUOT: "The disk quota is used up. Free space, or use a folder on another disk.",
  "42501": "The role in DATABASE_URL lacks a privilege. Use the indexer's role (`npm run roles` creates it).",
  "23505": "The snapshot is damaged: it contains a row twice. Download it again, or use another one.",
  "22P02": "The snapshot is damaged: a value does not fit its column. Download it again, or use another one.",
  "22P04": "The snapshot is damaged: a part has the wrong columns. Download it again, or use another one.",
  "57P01": "The database was stopped.",
};

/** What went wrong, and what to do. */
export function explain(error: Error): string {
  const { code = "" } = error as { code?: string };
  const remedy = remedies[code];
  const message = error instanceof CommandError ? error.message : onOneLine(error.message);
  return remedy === undefined ? message : `${remedy} (${message})`;
}
