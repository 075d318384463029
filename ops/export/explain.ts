import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { explain as explainSnapshot } from "../snapshot/explain.ts";

/** What DuckDB says, which gives no codes, and what an operator can do about it. */
const remedies: [says: RegExp, remedy: string][] = [
  [
    /No space left on device|Disk quota exceeded|max_temp_directory_size/i,
    "The disk of the folder is full. Free space, and run the same command again: it goes on. Rows on their way take as much space again as the largest table.",
  ],
  [
    /Could not convert|Conversion Error|out of range/i,
    "A value does not fit its column: a number of more than 38 digits, for example. Write that table with --format csv, in which numbers are text.",
  ],
  [
    /maximum line size|Maximum object size/i,
    "A row has more than 32 MiB. Leave its table out with --tables, and read it in SQL.",
  ],
  [
    /Out of Memory/i,
    "DuckDB needs more memory than it may take. Write fewer tables at a time with --tables.",
  ],
  [/Could not set lock on file/i, "Another export into this folder is at work: wait until it has ended."],
];

/** What went wrong, and what to do. */
export function explain(error: Error): string {
  if (error instanceof CommandError) return error.message;
  const found = remedies.find(([says]) => says.test(error.message));
  return found === undefined ? explainSnapshot(error) : `${found[1]} (${onOneLine(error.message)})`;
}
