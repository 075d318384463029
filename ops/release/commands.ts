import { parseArgs } from "node:util";
import { listReleased, readRelease } from "../../src/api/serviceDb/releases.ts";
import type { Connection } from "./connection.ts";
import { ReleaseError } from "./errors.ts";
import { type BuiltIndex, listIndexes } from "./indexes.ts";
import { prune, reasonToKeep } from "./prune.ts";
import { switchTo } from "./switch.ts";
import { readViewed } from "./views.ts";

/** What `npm run release` can do, as it is shown to whoever asks or errs. */
export const releaseUsage = `Which index readers are sent to: by the views, and by the gateway.

  npm run release -- list                              all indexes, how far they are, and which one is active
  npm run release -- switch <schema> [--wait|--force]  sends readers to an index that is as current as the active one
  npm run release -- back [--wait|--force]             sends them back to the one before
  npm run release -- prune [--keep <n>]                drops all but the n chosen last (2) and those in use

--wait waits until the index is as current, --force does not ask. A new index is built by npm start with a
DATABASE_SCHEMA and PORT of its own. DATABASE_URL is the indexer's.`;

type Options = { wait?: boolean; force?: boolean; keep?: string };

/** What a command works with. */
export type CommandContext = { connection: Connection; viewsSchema: string; say: (line: string) => void };

type Command = {
  words: string[];
  options: (keyof Options)[];
  run: (desk: CommandContext, words: string[], options: Options) => Promise<string>;
};

/** A command line that was understood; it is read before the database is asked. */
export type Order = (desk: CommandContext) => Promise<string>;

/** Reads the words of the command line. @throws ReleaseError if they say nothing that can be done */
export function readOrder(line: string[]): Order {
  const { positionals, values } = parse(line);
  const [name = "", ...words] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new ReleaseError(`"${name}" is no command.\n\n${releaseUsage}`);
  if (words.length !== command.words.length) {
    const wanted = command.words.map((word) => ` <${word}>`).join("");
    throw new ReleaseError(`Expected: npm run release -- ${name}${wanted}`);
  }
  const foreign = (Object.keys(values) as (keyof Options)[]).find((one) => !command.options.includes(one));
  if (foreign) throw new ReleaseError(`${name} takes no --${foreign}.\n\n${releaseUsage}`);
  if (values.wait && values.force) throw new ReleaseError("Either --wait or --force, not both.");
  readKeep(values);
  return (desk) => command.run(desk, words, values);
}

function parse(line: string[]) {
  const flag = { type: "boolean" } as const;
  const options = { wait: flag, force: flag, keep: { type: "string" } } as const;
  try {
    return parseArgs({ args: line, allowPositionals: true, options });
  } catch (error) {
    throw new ReleaseError(`${(error as Error).message}\n\n${releaseUsage}`);
  }
}

/** The active index and the one before it. */
const USUALLY_KEPT = "2";

function readKeep({ keep = USUALLY_KEPT }: Options): number {
  if (/^[1-9]\d{0,3}$/.test(keep)) return Number(keep);
  throw new ReleaseError(`--keep is "${keep}": expected a whole number from 1 to 9999.`);
}

const commands: Record<string, Command> = {
  list: { words: [], options: [], run: list },
  switch: { words: ["schema"], options: ["wait", "force"], run: (desk, [to = ""], how) => go(desk, to, how) },
  back: { words: [], options: ["wait", "force"], run: back },
  prune: { words: [], options: ["keep"], run: pruneOld },
};

async function list({ connection, viewsSchema }: CommandContext): Promise<string> {
  const indexes = await listIndexes(connection);
  if (indexes.length === 0) return "There is no index in this database: npm start builds one.";
  const released = await listReleased(connection);
  const viewed = await readViewed(connection, viewsSchema);
  const rows = indexes.map((index) => [
    ...[index.schema, index.buildId, stateOf(index), positionsOf(index), sizeOf(index)],
    [useOf(index, released), viewed === index.schema ? "views" : ""].filter(Boolean).join(", "),
  ]);
  const text = table([["schema", "build", "state", "block", "size", "use"], ...rows]);
  return released.length > 0 ? text : `${text}\nNone was chosen yet: the gateway asks all of them.`;
}

function useOf(index: BuiltIndex, released: readonly string[]): string {
  if (released[0] === index.schema) return "active";
  if (released[1] === index.schema) return "the one before";
  return released.length > 0 && reasonToKeep(index, released.slice(0, 2)) === null ? "can be pruned" : "";
}

function stateOf({ isReady, isRunning }: BuiltIndex): string {
  if (!isRunning) return "stopped";
  return isReady ? "ready" : "building";
}

const positionsOf = ({ chains }: BuiltIndex): string =>
  chains.map(({ chainName, blockNumber }) => `${chainName} ${blockNumber}`).join(", ");

const sizeOf = ({ bytes }: BuiltIndex): string => `${(bytes / 1e9).toFixed(1)} GB`;

/** Columns as wide as their widest cell. */
function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}

async function go(
  desk: CommandContext,
  schema: string,
  { wait = false, force = false }: Options,
): Promise<string> {
  const { connection, viewsSchema, say } = desk;
  const plan = { schema, viewsSchema, say, isForced: force, isPatient: wait };
  const before = await switchTo(connection, plan);
  if (before === null) return `Readers are sent to "${schema}"; its views were made anew.`;
  return `Readers are sent to "${schema}" instead of "${before}". Back: npm run release -- back`;
}

async function back(desk: CommandContext, _: string[], options: Options): Promise<string> {
  const { previous } = await readRelease(desk.connection);
  if (previous !== null) return go(desk, previous, options);
  throw new ReleaseError("There is no index to go back to: none was chosen before the active one.");
}

async function pruneOld({ connection, say }: CommandContext, _: string[], options: Options): Promise<string> {
  const dropped = await prune(connection, { keep: readKeep(options), say });
  if (dropped.length === 0) return "Nothing was dropped.";
  return dropped.map((index) => `Dropped "${index.schema}" (${sizeOf(index)}).`).join("\n");
}
