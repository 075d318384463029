import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { explain as explainSnapshot } from "../snapshot/explain.ts";

/** What DuckDB says, which gives no codes, and what an operator can do about it. */
const remedies: [says: RegExp, remedy: string][] = [
  [
    /No space left on device|Disk quota exceeded|max_temp_directory_size/i,
    "The folder's disk is full. Free space and run the same command again to resume. Temporary rows take as much space as the largest table.",
  ],
  [
    /Could not convert|Conversion Error|out of range/i,
    "A value does not fit its column, for example a number of more than 38 digits. Write that table with --format csv, where numbers are text.",
  ],
  [
    /maximum line size|Maximum object size/i,
    "A row is larger than 32 MiB. Leave its table out with --tables, and read it in SQL.",
  ],
  [/Out of Memory/i, "DuckDB ran out of memory. Write fewer tables at a time with --tables."],
  [/Could not set lock on file/i, "Another export into this folder is running. Wait for it to finish."],
];

/** What went wrong, and what to do. */
export function explain(error: Error): string {
  if (error instanceof CommandError) return error.message;
  const found = remedies.find(([says]) => says.test(error.message));
  return found === undefined ? explainSnapshot(error) : `${found[1]} (${onOneLine(error.message)})`;
}
