import { createWriteStream } from "node:fs";
import { readEntry } from "../ops/log/read.ts";
import { SettingsError } from "../settings/settings.ts";
import { ask, isReady, type LogLine, type Ponder, readStatus, startPonder, until } from "./ponder.ts";
import { beginStep, type Step, say, styled } from "./screen.ts";

const WARNING = 40;
const ERROR = 50;

/** Warnings that warn of nothing here: of a local chain at rest, of how it is started, reloads and ends. */
const expected = [
  /"msg":"(Local environment file|Received SIG|Started shutdown sequence|Dropped existing database)/,
  /"msg":"(Detected public RPC URL|No new block received within expected time).*"chain_id":(31337|8453|59144)/,
  /"msg":"Received JSON-RPC error".*execution reverted/, // A contract without the function that was asked.
  /Cannot use a pool after calling end on the pool/,
  /"message":"\(node:\d+\) \w*Warning: /, // Of Node, about a package.
];
/** Lines that are not warnings, but that a developer waits for. */
const awaited = /^Hot reload/;

/** Blocks up to which chains are to be indexed, by their names. */
type Heads = Record<string, number>;

/** Our own server listens: before that, another program at the port may answer in its place. */
const LISTENS = "Created HTTP server";
const PORT_TAKEN = /The port \d+ cannot be opened/;

/**
 * What to index and how to tell that it is done; `heads` is null for a chain whose backfill takes hours. `start` runs Ponder.
 */
export type IndexerPlan = {
  env: Record<string, string | undefined>;
  port: number;
  logFile: string;
  folder: string;
  heads: Heads | null;
  start?: typeof startPonder;
};

/**
 * Starts `ponder dev` and waits until it has indexed the chain up to `heads`, or, without one, until its API
 * answers. Its whole log goes to the file, its errors to the screen, and its warnings once it is up.
 */
export async function startIndexer({
  env,
  port,
  logFile,
  folder,
  heads,
  start = startPonder,
}: IndexerPlan): Promise<Ponder> {
  const step = beginStep("Starting the indexer");
  const file = createWriteStream(logFile);
  let isUp = false;
  let isListening = false;
  let isTaken = false;
  const onLog = (line: LogLine) => {
    file.write(`${line.text}\n`);
    isListening ||= line.msg === LISTENS;
    if (PORT_TAKEN.test(line.text)) {
      isTaken = true;
      return; // Its message ends the start.
    }
    const text = forScreen(line);
    // Slow queries during startup are not worth showing.
    if (text !== null && (isUp || line.level >= ERROR)) say(text);
  };
  const ponder = start({ command: "dev", port, env, folder, onLog });
  const isDone = () => (heads === null ? isAnswering(ponder.url) : isIndexed(ponder.url, heads, step));
  const look = async () => isListening && (await isDone());
  const describe = () => `Its log: ${logFile}`;
  await until(ponder, { look, timeout: Number.POSITIVE_INFINITY, describe }).catch((error) => {
    throw isTaken ? portTaken(port) : error;
  });
  isUp = true;
  step.done(
    heads === null ? "The API answers; still indexing past blocks" : `Indexed ${sumOf(heads)} blocks`,
  );
  return ponder;
}

const portTaken = (port: number): SettingsError =>
  new SettingsError(
    `Another program took port ${port} during the start: start again, or choose another port, for example PORT=${port + 1}`,
  );

async function isAnswering(url: string): Promise<boolean> {
  const reply = await ask(`${url}/health`);
  return reply?.status === 200;
}

async function isIndexed(url: string, heads: Heads, step: Step): Promise<boolean> {
  const status = await readStatus(url);
  const indexed = Object.fromEntries(
    Object.keys(heads).map((chain) => [chain, status?.[chain]?.number ?? 0]),
  );
  if (status) step.tell(`block ${sumOf(indexed)} of ${sumOf(heads)}`);
  return (
    Object.entries(heads).every(([chain, head]) => (indexed[chain] ?? 0) >= head) && (await isReady(url))
  );
}

const sumOf = (blocks: Heads): number => Object.values(blocks).reduce((sum, block) => sum + block, 0);

/** A log line as a developer wants to see it, or null for one that only the file needs. */
export function forScreen({ level, msg, text }: LogLine): string | null {
  if (isRequest(text)) return null;
  if (awaited.test(msg)) return styled("dim", msg);
  if (level < WARNING || expected.some((pattern) => pattern.test(text))) return null;
  const { error = "" } = readEntry(text, { program: "Ponder", usual: "info" });
  if (level < ERROR) return `${styled("yellow", "Ponder:")} ${msg}${error && `: ${firstLine(error)}`}`;
  return `${styled("red", `Ponder: ${msg}`)}${error && `\n${error}`}`;
}

/** A request that failed is the answer of its caller; the file has its line. */
const isRequest = (text: string): boolean => /"message":"request"/.test(text);

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
