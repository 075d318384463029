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
  stores the labels of these tables of which the index has the hash alone. The indexer applies them after each block.
  Each hash is computed. Forms: files of ENSRainbow, The Graph's dump of ens_names, lines of hash,label, lines with a
  label each; as they are, or compressed with gzip or zstd. The same command goes on with an import that was interrupted.
  --form FORM     ${formNames.join(", ")}; by default what the first bytes look like
  --id ID         name of the table, where it does not say one: 1 to 50 of a-z, 0-9 and -. The file's name by default
  --version N     its version; 0 by default`;

const text = { type: "string" } as const;

/** @throws CommandError */
export function readOptions(line: string[]): ImportOptions {
  const { positionals, values } = parse(line);
  const [command, ...files] = positionals;
  if (command !== "import") throw new CommandError(`"${command ?? ""}" is no command.\n\n${usage}`);
  if (files.length === 0) throw new CommandError(`Name the files to import.\n\n${usage}`);
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
