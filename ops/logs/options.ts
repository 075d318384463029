import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { CommandError, readNumber } from "../commandLine/command.ts";

export const usage = `npm run logs -- export --to DIR [--chain ID]
  writes the raw logs that the cache has of a chain (the main one by default) into an archive, from which another index can be
  built: set LOG_SOURCE=DIR there. The indexer keeps running. If it is interrupted, run the same command again to resume.

npm run logs -- check DIR
  reads all files and compares them with the manifest and with each other. Exits with 0 if they match, else with 1.
  It asks no node: an index that is built from the archive compares it with the chain.

npm run logs -- inspect DIR
  prints the chain, blocks, rows and size of an archive.`;

export type LogsOptions =
  | { what: "export"; folder: string; chainId: number | null }
  | { what: "check" | "inspect"; folder: string };

/** @throws CommandError */
export function readOptions(line: string[]): LogsOptions {
  const { positionals, values } = parse(line);
  const [what, folder, more] = positionals;
  if (what === "export" && folder === undefined && values.to !== undefined) {
    const { chain } = values;
    const range = { min: 1, max: Number.MAX_SAFE_INTEGER };
    return {
      what,
      folder: resolve(values.to),
      chainId: chain === undefined ? null : readNumber("--chain", chain, range),
    };
  }
  const isRead = what === "check" || what === "inspect";
  if (isRead && folder && more === undefined && Object.keys(values).length === 0) {
    return { what, folder: resolve(folder) };
  }
  throw new CommandError(`${faultOf(what, folder)}\n\n${usage}`);
}

function faultOf(what: string | undefined, folder: string | undefined): string {
  if (what === "export") return "export takes --to DIR and --chain ID.";
  if (what === "check" || what === "inspect")
    return folder === undefined ? `${what} needs a folder.` : `${what} takes one folder and nothing else.`;
  return what === undefined ? "Name a command." : `Unknown command "${what}".`;
}

function parse(args: string[]) {
  try {
    const options = { to: { type: "string" }, chain: { type: "string" } } as const;
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`);
  }
}
