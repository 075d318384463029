import { parseArgs } from "node:util";
import { CommandError, readNumber } from "../commandLine/command.ts";
import { formNames } from "./openTable.ts";

export type ImportOptions = {
  files: string[];
  /** The form of all files; that of each file's first bytes by default. */
  form?: string;
  /** Name and version of the tables, where they do not say them. */
  id?: string;
  version: number;
};

const MAX_VERSION = 1_000_000;

export const usage = `npm run labels -- import FILE… [options]
  imports labels that the index knows only by hash. The indexer applies them after each block. Every hash is checked.
  Formats: ENSRainbow files, The Graph's ens_names dump, lines of hash,label, or one label per line; plain, gzip or zstd.
  If an import is interrupted, run the same command again to resume it.
  --form FORM     ${formNames.join(", ")}; detected by default
  --id ID         name of the table, if the file has none: 1 to 50 of a-z, 0-9 and -; default: the file's name
  --version N     version of the table; default: 0`;

const text = { type: "string" } as const;

/** @throws CommandError */
export function readOptions(line: string[]): ImportOptions {
  const { positionals, values } = parse(line);
  const [command, ...files] = positionals;
  if (command !== "import") throw new CommandError(`Unknown command "${command ?? ""}".\n\n${usage}`);
  if (files.length === 0) throw new CommandError(`No files to import.\n\n${usage}`);
  const { form, id, version = "0" } = values;
  if (form !== undefined && !formNames.some((name) => name === form))
    throw new CommandError(`--form is "${form}": expected ${formNames.join(", ")}.`);
  if (id !== undefined && !/^[a-z0-9-]{1,50}$/.test(id))
    throw new CommandError(`--id is "${id}": expected 1 to 50 of a-z, 0-9 and -.`);
  return {
    files,
    version: readNumber("--version", version, { min: 0, max: MAX_VERSION }),
    ...(form !== undefined && { form }),
    ...(id !== undefined && { id }),
  };
}

function parse(line: string[]) {
  try {
    return parseArgs({
      args: line,
      allowPositionals: true,
      options: { form: text, id: text, version: text },
    });
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`);
  }
}
