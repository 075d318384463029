import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { CommandError } from "../commandLine/command.ts";
import { type FileFormat, fileFormats } from "./columns.ts";
import { type Priority, priorities } from "./turns.ts";

export type ExportOptions = { folder: string; priority: Priority } & (
  | { what: "write"; tables: string[] | null; format: FileFormat; since: string | null }
  | { what: "check" }
);

export const usage = `npm run export -- --to DIR [options]
  writes the views of analysts as files, all as they are at the last final block of each chain. The indexer goes on
  meanwhile. Interrupted, run the same command again: it goes on.
  --tables A,B    only these views; "all" is all of them. By default those that answer questions, without the indexer's notes
  --format F      parquet (default), csv or ndjson; the latter two are compressed with gzip
  --since FILE    manifest.json of an older export: log tables (events, changes) begin after its blocks; tables of state are
                  written whole. By default with the tables of the older one

npm run export -- --check DIR [options]
  reads all files again, and compares them with the manifest, with each other, and with the index where it still has the
  position. Ends with 0 if all that was compared is equal, else with 1

Both take
  --priority P    low (default): in the machine's idle time, so that callers are answered as usual; or normal: sooner done,
                  and callers are answered more slowly meanwhile

Settings are those of npm start.`;

const text = { type: "string" } as const;

/** @throws CommandError */
export function readOptions(line: string[]): ExportOptions {
  const { to, check, tables, format, since, ...values } = parse(line);
  if (to !== undefined && check !== undefined) throw new CommandError("--to and --check exclude each other.");
  const priority = readWord("--priority", values.priority, priorities);
  if (check !== undefined) {
    refuse("check", { tables, format, since });
    return { what: "check", folder: resolve(check), priority };
  }
  if (to === undefined) throw new CommandError(`Name a folder with --to or --check.\n\n${usage}`);
  return {
    what: "write",
    folder: resolve(to),
    priority,
    format: readWord("--format", format, fileFormats),
    tables: tables === undefined ? null : readNames(tables),
    since: since ? resolve(since) : null,
  };
}

function refuse(option: string, others: Record<string, string | undefined>): void {
  const foreign = Object.entries(others).find(([, value]) => value !== undefined);
  if (foreign !== undefined) throw new CommandError(`--${option} takes no --${foreign[0]}.\n\n${usage}`);
}

/** One of these words; the first one by default. */
function readWord<Word extends string>(
  option: string,
  given: string | undefined,
  words: readonly [Word, ...Word[]],
): Word {
  if (given === undefined) return words[0];
  const word = words.find((one) => one === given);
  if (word !== undefined) return word;
  throw new CommandError(`${option} is ${JSON.stringify(given)}: expected ${words.join(", ")}.`);
}

function readNames(words: string): string[] {
  const names = words.split(",").map((name) => name.trim());
  if (names.every((name) => name !== "")) return names;
  throw new CommandError(
    "--tables has an empty name: expected names with commas between, as events,domains.",
  );
}

function parse(args: string[]) {
  try {
    const options = {
      to: text,
      check: text,
      tables: text,
      format: text,
      since: text,
      priority: text,
    };
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`);
  }
}
