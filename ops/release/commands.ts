import { listReleased, readRelease } from "../../src/api/server/serviceDb/releases.ts";
import { alignColumns } from "../commandLine/columns.ts";
import { CommandError, type Program, readNumber } from "../commandLine/command.ts";
import type { Connection } from "./connection.ts";
import { type BuiltIndex, listIndexes } from "./indexes.ts";
import { prune, reasonToKeep } from "./prune.ts";
import { switchTo } from "./switch.ts";
import { readViewed } from "./views.ts";

const usage = `Chooses the index that the views and the gateway use.

  npm run release -- list                              lists all indexes, their progress, and the active one
  npm run release -- switch <schema> [--wait|--force]  switches to an index that is as current as the active one
  npm run release -- back [--wait|--force]             switches back to the previous index
  npm run release -- prune [--keep <n>]                drops all indexes except the last n active ones (2) and those in use

--wait waits until the index is as current; --force skips the checks. To build a new index, run npm start with its
own DATABASE_SCHEMA and PORT. Use the indexer's DATABASE_URL.`;

type Options = { wait?: boolean; force?: boolean; keep?: string };

/** What a command works with. */
export type CommandContext = { connection: Connection; viewsSchema: string; log: (line: string) => void };

const flag = { type: "boolean" } as const;

/** `npm run release`. */
export const releaseProgram: Program<CommandContext, Options> = {
  name: "npm run release",
  usage,
  options: { wait: flag, force: flag, keep: { type: "string" } },
  commands: {
    list: { words: [], options: [], run: list },
    switch: {
      words: ["schema"],
      options: ["wait", "force"],
      check: requireOneMode,
      run: (context, [schema = ""], options) => switchReaders(context, schema, options),
    },
    back: { words: [], options: ["wait", "force"], check: requireOneMode, run: back },
    prune: { words: [], options: ["keep"], check: readKeep, run: pruneOld },
  },
};

function requireOneMode({ wait, force }: Options): void {
  if (wait && force) throw new CommandError("Use either --wait or --force, not both.");
}

/** The active index and the one before it. */
const USUALLY_KEPT = "2";

function readKeep({ keep = USUALLY_KEPT }: Options): number {
  return readNumber("--keep", keep, { min: 1, max: 9_999 });
}

async function list({ connection, viewsSchema }: CommandContext): Promise<string> {
  const indexes = await listIndexes(connection);
  if (indexes.length === 0) return "There is no index in this database. Build one with: npm start";
  const released = await listReleased(connection);
  const viewed = await readViewed(connection, viewsSchema);
  const rows = indexes.map((index) => [
    index.schema,
    index.buildId,
    stateOf(index),
    positionsOf(index),
    sizeOf(index),
    [useOf(index, released), viewed === index.schema ? "views" : ""].filter(Boolean).join(", "),
  ]);
  const text = alignColumns([["schema", "build", "state", "block", "size", "use"], ...rows]);
  return released.length > 0
    ? text
    : `${text}\nNo index has been chosen yet, so the gateway uses all of them.`;
}

function useOf(index: BuiltIndex, released: readonly string[]): string {
  if (released[0] === index.schema) return "active";
  if (released[1] === index.schema) return "previous";
  return released.length > 0 && reasonToKeep(index, released.slice(0, 2)) === null ? "can be pruned" : "";
}

function stateOf({ isReady, isRunning }: BuiltIndex): string {
  if (!isRunning) return "stopped";
  return isReady ? "ready" : "building";
}

const positionsOf = ({ chains }: BuiltIndex): string =>
  chains.map(({ chainName, blockNumber }) => `${chainName} ${blockNumber}`).join(", ");

const sizeOf = ({ bytes }: BuiltIndex): string => `${(bytes / 1e9).toFixed(1)} GB`;

async function switchReaders(
  context: CommandContext,
  schema: string,
  { wait = false, force = false }: Options,
): Promise<string> {
  const { connection, viewsSchema, log } = context;
  const plan = { schema, viewsSchema, log, isForced: force, isPatient: wait };
  const before = await switchTo(connection, plan);
  if (before === null) return `Readers are sent to "${schema}"; its views were recreated.`;
  return `Readers are sent to "${schema}" instead of "${before}". Back: npm run release -- back`;
}

async function back(context: CommandContext, _: string[], options: Options): Promise<string> {
  const { previous } = await readRelease(context.connection);
  if (previous !== null) return switchReaders(context, previous, options);
  throw new CommandError("There is no index to go back to: none was chosen before the active one.");
}

async function pruneOld({ connection, log }: CommandContext, _: string[], options: Options): Promise<string> {
  const dropped = await prune(connection, { keep: readKeep(options), log });
  if (dropped.length === 0) return "Nothing was dropped.";
  return dropped.map((index) => `Dropped "${index.schema}" (${sizeOf(index)}).`).join("\n");
}
