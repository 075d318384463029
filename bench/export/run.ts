/**
 * `npm run bench:export`: what `npm run export` and its check take for generated names, and what callers of the API lose beside
 * an export. The export is halted and let go on in turn, so that callers with and without it are asked in the same minutes.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startBlockNode } from "../../test/support/blockNode.ts";
import { SCHEMA } from "../api/fill.ts";
import type { Load, Seen } from "../api/load.ts";
import { takeSamples } from "../api/samples.ts";
import { type Server, startServer } from "../api/server.ts";
import { DATA, startAsker } from "../asker.ts";
import { startProgram, type Taken, type Working } from "../child.ts";
import { readOptions, reportOptions } from "../commandLine.ts";
import { judge, type Row, report } from "../report.ts";
import { makeExportable } from "./exportable.ts";

const {
  names = 1_000_000,
  rounds = 30,
  seconds = 3,
  data = DATA,
  ...files
} = readOptions("npm run bench:export", {
  names: { value: "N", meaning: "how many names to generate; 1000000 by default" },
  rounds: { value: "N", meaning: "how often callers are asked beside an export and without; 30 by default" },
  seconds: { value: "N", meaning: "how long each time; 3 by default" },
  data: { value: "DIR", meaning: "where the generated databases are; .namedex/bench by default" },
  ...reportOptions,
});

const MAX_SECONDS = 600;
const MAX_MIB = 1_024;
/** What callers have left of their answers a second beside an export. */
const MIN_SHARE = 0.9;
const CONNECTIONS = 4;
/** The database continues until the halted export's buffers are full. */
const HALT_MS = 500;

const asker = startAsker<Load, Seen>(new URL("../api/load.ts", import.meta.url));

async function ask(load: Omit<Load, "connections">): Promise<Seen> {
  const seen = await asker.ask({ connections: CONNECTIONS, ...load });
  if (seen.failed > 0) throw new Error(`${seen.failed} answers were errors`);
  return seen;
}

const say = (line: string) => console.error(line);
const row = (name: string, value: number, unit: string): Row => judge({ bench: "export", name, value, unit });

/** Figures of a program by itself. */
function rowsOf(name: string, { seconds: taken, cpuSeconds, peakBytes }: Taken): Row[] {
  const mib = peakBytes / 2 ** 20;
  return [
    judge({
      bench: "export",
      name,
      value: taken,
      unit: "s",
      target: { of: "value", atMost: MAX_SECONDS },
    }),
    row(`${name}: its own processor`, cpuSeconds, "s"),
    judge({
      bench: "export",
      name: `${name}: peak memory`,
      value: mib,
      unit: "MiB",
      target: { of: "value", atMost: MAX_MIB },
    }),
  ];
}

const bytesIn = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

type Pair = { beside: Seen; alone: Seen };

/** Callers beside an export and without, in turn, until it has ended. */
async function askBeside(server: Server, start: (folder: string) => Working): Promise<Pair[]> {
  const { names: asked } = await takeSamples(server.pool);
  const load = {
    url: server.url,
    seconds,
    requests: asked.map(({ name }) => ({ path: `/whois/${encodeURIComponent(name)}` })),
  };
  await ask(load);
  const folder = join(top, "beside");
  const { pid, ended } = start(folder);
  let isAtWork = true;
  const end = () => {
    isAtWork = false;
  };
  const over = ended.then(end, end);
  while (isAtWork && !existsSync(join(folder, "unfinished.json"))) await sleep(20);
  const pairs: Pair[] = [];
  while (isAtWork && pairs.length < rounds) {
    const beside = await ask(load);
    if (!isAtWork) break;
    process.kill(pid, "SIGSTOP");
    await sleep(HALT_MS);
    pairs.push({ beside, alone: await ask(load) });
    process.kill(pid, "SIGCONT");
  }
  if (isAtWork) process.kill(pid, "SIGKILL");
  await over;
  return pairs;
}

function lossRows(pairs: readonly Pair[]): Row[] {
  const of = (pick: (pair: Pair) => number) => median(pairs.map(pick));
  return [
    row(
      "callers without an export",
      of(({ alone }) => alone.perSecond),
      "answers/s",
    ),
    judge({
      bench: "export",
      name: "callers beside an export",
      unit: "answers/s",
      value: of(({ beside }) => beside.perSecond),
      ratio: of(({ beside, alone }) => beside.perSecond / alone.perSecond),
      target: { of: "ratio", atLeast: MIN_SHARE },
    }),
    judge({
      bench: "export",
      name: "callers beside an export, slowest of a hundred",
      unit: "ms p99",
      value: of(({ beside }) => beside.p99),
      ratio: of(({ beside, alone }) => beside.p99 / alone.p99),
    }),
  ];
}

const top = mkdtempSync(join(tmpdir(), "namedex-bench-export-"));
const node = await startBlockNode();
const server = await startServer({ names, data, say });
const restore = await makeExportable(server.pool);
try {
  const env = {
    DATABASE_URL: server.databaseUrl,
    DATABASE_SCHEMA: SCHEMA,
    ENS_NETWORK: "mainnet",
    RPC_URL_1: node.url,
  };
  const start = (folder: string) => startProgram("export", ["--to", folder], env);
  const folder = join(top, "whole");
  say("exporting");
  const written = await start(folder).ended;
  say(written.output);
  const bytes = bytesIn(folder);
  say("checking");
  const checked = await startProgram("export", ["--check", folder], env).ended;
  rmSync(folder, { recursive: true });
  say("asking beside an export");
  const pairs = await askBeside(server, start);
  const rows = [
    ...rowsOf("export", written),
    row("export: the files", bytes / 1e6, "MB"),
    ...rowsOf("check", checked),
    ...lossRows(pairs),
  ];
  const made = `${names.toLocaleString("en")} generated names; callers: ${CONNECTIONS} connections, ${pairs.length} times ${seconds} s beside an export and without it, in turn`;
  report(rows, { ...files, made });
} finally {
  await restore();
  await server.stop();
  node.close();
  asker.stop();
  rmSync(top, { recursive: true, force: true });
}
