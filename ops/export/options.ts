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
  writes the analysts' views as files, all at the last final block of each chain. The indexer keeps running. If the
  export is interrupted, run the same command again to resume it.
  --tables A,B    only these views; "all" adds the indexer's own tables, which are left out by default
  --format F      parquet (default), csv or ndjson; the latter two are compressed with gzip
  --since FILE    manifest.json of an older export: log tables (events, changes) start after its blocks, state tables are
                  written whole. By default, the same tables as in the older export

npm run export -- --check DIR [options]
  reads all files and compares them with the manifest, with each other, and with the index if it is still at the same
  position. Exits with 0 if everything compared matches, else with 1

Both accept
  --priority P    low (default): in idle time, without slowing down answers; or normal: finishes sooner, but slows
                  down answers meanwhile

Uses the settings of npm start.`;

const text = { type: "string" } as const;

/** @throws CommandError */
export function readOptions(line: string[]): ExportOptions {
  const { to, check, tables, format, since, ...values } = parse(line);
  if (to !== undefined && check !== undefined)
    throw new CommandError("Use either --to or --check, not both.");
  const priority = readWord("--priority", values.priority, priorities);
  if (check !== undefined) {
    refuse("check", { tables, format, since });
    return { what: "check", folder: resolve(check), priority };
  }
  if (to === undefined) throw new CommandError(`Give a folder with --to or --check.\n\n${usage}`);
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
  if (foreign !== undefined)
    throw new CommandError(`--${foreign[0]} does not apply to --${option}.\n\n${usage}`);
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
    "--tables contains an empty name: expected comma-separated names, such as events,domains.",
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
