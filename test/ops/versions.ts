import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import type { Deployment } from "../../abis/deployments.ts";
import { trackChild } from "../../devnet/children.ts";
import { freePort } from "../../devnet/ports.ts";
import { metaTable } from "../../engine/ponderInternals.ts";
import { withoutAsOf } from "../support/asOf.ts";
import { bareEnvironment } from "../support/environment.ts";

const pathOf = (file: string) => fileURLToPath(new URL(`../../ops/${file}`, import.meta.url));
const START_PATIENCE_MS = 300_000;

const folders = mkdtempSync(join(tmpdir(), "namedex-versions-"));
// Several test files use this module in one process.
process.once("exit", () => rmSync(folders, { recursive: true, force: true }));

/** One version of the index as `npm start` runs it, or a replica as `npm run serve` does. */
export type Version = {
  url: string;
  output: () => string;
  start: () => void;
  /** Waits until it answers. */
  ready: () => Promise<void>;
  stop: () => Promise<void>;
};

/** A version that is not started yet, with its own address. */
export async function prepareVersion(
  deployment: Deployment,
  env: Record<string, string>,
  command: "start" | "serve" = "start",
): Promise<Version> {
  const folder = mkdtempSync(join(folders, "version-")); // Without settings files.
  const file = join(folder, "deployment.json");
  writeFileSync(file, JSON.stringify(deployment));
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  let output = "";
  let stop = async () => {};
  const start = () => {
    const before = output.length;
    const child = spawn(process.execPath, [pathOf(`${command}.ts`)], {
      cwd: folder,
      env: { ...bareEnvironment, ENS_DEPLOYMENT: file, PORT: port, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    trackChild(child, "SIGTERM");
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    const exit = new Promise<void>((resolve) => child.once("close", () => resolve()));
    stop = async () => {
      child.kill("SIGTERM");
      await exit;
      await untilUnlocked(output.slice(before));
    };
  };
  const ready = () =>
    waitFor(
      async () => (await readStatus(url))?.ready === true,
      () => `${url} is not ready:\n${output}`,
    );
  return {
    url,
    start,
    ready,
    output: () => output,
    stop: async () => {
      await stop();
      stop = async () => {};
    },
  };
}

const GIVES_UP = "Failed to shutdown within 5 seconds";
const HEARTBEAT_MS = 31_000;

/**
 * A Ponder that is held up while ending leaves its tables locked until its last heartbeat is too
 * old to count.
 */
export async function untilUnlocked(output: string): Promise<void> {
  if (output.includes(GIVES_UP)) await sleep(HEARTBEAT_MS);
}

type Status = { ready: boolean; active: boolean; schema: string; build: string };

export async function readStatus(url: string): Promise<Status | null> {
  const reply = await fetch(`${url}/indexing-status`).catch(() => null);
  return reply?.status === 200 ? ((await reply.json()) as Status) : null;
}

export async function waitFor(look: () => Promise<boolean>, describe: () => string): Promise<void> {
  const deadline = Date.now() + START_PATIENCE_MS;
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(describe());
    await sleep(100);
  }
}

/** Several run side by side. Without this, they would occupy the whole processor. */
const LOAD_PAUSE_MS = 5;

/** Repeats something until told to stop. Returns how often, and what it threw. */
export function keepDoing(work: () => Promise<void>): () => Promise<{ times: number; failures: string[] }> {
  let isStopped = false;
  let times = 0;
  const failures: string[] = [];
  const done = (async () => {
    for (; !isStopped; times++) {
      await work().catch((error: Error) => failures.push(error.message));
      await sleep(LOAD_PAUSE_MS);
    }
  })();
  return async () => {
    isStopped = true;
    await done;
    return { times, failures };
  };
}

/** Sends a request, and fails unless the answer is a 200 with this body, whatever its block. */
export async function expectAnswer(url: string, body: string): Promise<void> {
  const reply = await fetch(url);
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${reply.status}: ${text}`);
  const [told, expected] = [JSON.parse(text), JSON.parse(body)];
  if (!isDeepStrictEqual(withoutAsOf(told), withoutAsOf(expected)))
    throw new Error(`another answer: ${text}`);
  if (told.as_of?.length !== expected.as_of?.length) throw new Error(`other chains: ${text}`);
}

/**
 * An analyst on a connection of her own who queries the views repeatedly and records which builds
 * she saw.
 */
export async function startAnalyst(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => {}); // The database may be dropped first if a test failed.
  await client.connect();
  const seen: string[] = [];
  // The schemas of all views at one moment: more than one would be half a switch.
  const viewed = `select string_agg(distinct t.relnamespace::regnamespace::text, '+') as schemas
    from pg_class v join pg_rewrite r on r.ev_class = v.oid
    join pg_depend d on d.objid = r.oid and d.classid = 'pg_rewrite'::regclass
    join pg_class t on t.oid = d.refobjid and t.relkind = 'r'
    where v.relnamespace = 'namedex'::regnamespace`;
  const stop = keepDoing(async () => {
    const { rows } = await client.query(
      `select m.value ->> 'build_id' as build, (select count(*)::int from domains) as domains from ${metaTable} m`,
    );
    if (!(rows[0]?.domains > 10)) throw new Error(`the views show ${JSON.stringify(rows)}`);
    const schemas = (await client.query(viewed)).rows[0]?.schemas;
    if (seen.at(-1) !== schemas) seen.push(schemas);
  });
  return {
    seen,
    stop: async () => {
      const result = await stop();
      await client.end();
      return result;
    },
  };
}
