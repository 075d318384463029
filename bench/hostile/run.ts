/**
 * `npm run bench:hostile`: what a stranger can do to others. Each attack of test/hostile is made on one chain with one
 * Namedex, while another caller asks for a name now and then.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { mineBlocks } from "../../devnet/acts.ts";
import { startTemporaryPostgres } from "../../devnet/postgres.ts";
import { MAX_JSON_BYTES } from "../../src/api/server/http/writeReply.ts";
import { withEnsv2 } from "../../test/chain/ensv2Logs.ts";
import { askAll, questionsAbout } from "../../test/hostile/ask.ts";
import type { Attack } from "../../test/hostile/attack.ts";
import { attacksByBranches } from "../../test/hostile/attacks/branches.ts";
import { attacksAtGateway } from "../../test/hostile/attacks/connections.ts";
import { attacksByQueues } from "../../test/hostile/attacks/queues.ts";
import { familiesOf } from "../../test/hostile/attacks.ts";
import {
  DEEP_CHAIN_ID,
  feedBehind,
  type HostilePlan,
  type HostileStage,
  openHostileStage,
  VICTIM,
} from "../../test/hostile/stage.ts";
import { isAsked, readOptions, reportOptions } from "../commandLine.ts";
import { type Figure, judge, type Row, report } from "../report.ts";
import type { Asking, Seen } from "./prober.ts";

const MAX_BLOCK_SECONDS = 2;
const MAX_PAUSE_MS = 100;
/** A look of the feed begins at least each two seconds. */
const MAX_FEED_SECONDS = 10;
const MAX_GROWTH_MIB = 100;
/** How long memory may take to be given back. */
const SETTLE_MS = 20_000;

const options = readOptions("npm run bench:hostile", {
  only: { value: "TEXT", meaning: "only attacks whose name has this text; several with `|` between" },
  leaves: { value: "N", meaning: "how many names the largest reveal has; 20000 unless told" },
  seed: { value: "N", meaning: "of the random logs" },
  ...reportOptions,
});

/** What this machine does to the figures by itself: some empty blocks, and the questions that follow every attack. */
const noAttack: Attack = {
  name: "no attack",
  run: async ({ chain }) => {
    await mineBlocks(chain, { count: 10 });
    return { names: [VICTIM] };
  },
};

type Scene = { stage: HostileStage; prober: ChildProcess };

async function openScene(databaseServer: string, plan: HostilePlan = {}): Promise<Scene> {
  const collect = fileURLToPath(new URL("./collectOnSignal.ts", import.meta.url));
  const env = { NODE_OPTIONS: `--import=${collect}` };
  const stage = await openHostileStage({ ...plan, databaseServer, env });
  const prober = fork(fileURLToPath(new URL("./prober.ts", import.meta.url)));
  const { databaseUrl, schema } = stage.stack;
  const paths = [`/whois/${VICTIM}`, "/indexing-status"];
  prober.send({
    url: stage.front,
    paths,
    rpcUrl: stage.local.anvil.url,
    databaseUrl,
    schema,
  } satisfies Asking);
  await sleep(1_000);
  return { stage, prober };
}

async function closeScene({ stage, prober }: Scene): Promise<void> {
  prober.kill();
  await stage.close();
}

async function take(prober: ChildProcess): Promise<Seen> {
  prober.send("take");
  const [seen] = (await once(prober, "message")) as [Seen];
  return seen;
}

/**
 * Memory of the indexer after a garbage collection, in MiB. The collection takes half a second, in which nothing is
 * answered: two answers in turn tell that it is over, so that it is not taken for a pause that an attack has made.
 */
async function memoryOf({ stack }: HostileStage): Promise<number> {
  process.kill(stack.pid(), "SIGUSR2");
  for (let answer = 0; answer < 2; answer++) await fetch(`${stack.url}/indexing-status`);
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${stack.pid()}/status`, "utf8"))?.[1];
  return Number(kilobytes ?? 0) / 1_024;
}

/** The least that it has within some seconds. */
async function settledMemory(stage: HostileStage, enough: number): Promise<number> {
  let least = await memoryOf(stage);
  for (const end = Date.now() + SETTLE_MS; least > enough && Date.now() < end; ) {
    await sleep(1_000);
    least = Math.min(least, await memoryOf(stage));
  }
  return least;
}

/** How long the feed takes to cover the index's newest block; infinite if it is stuck. */
async function secondsOfFeed(stage: HostileStage): Promise<number> {
  for (const began = performance.now(); ; await sleep(50)) {
    const seconds = (performance.now() - began) / 1_000;
    if ((await feedBehind(stage)).length === 0) return seconds;
    if (seconds > 60) return Number.POSITIVE_INFINITY;
  }
}

/** Makes one attack, and asks every operation about what it has touched. */
async function measure({ stage, prober }: Scene, { name, run }: Attack): Promise<Row[]> {
  const before = await memoryOf(stage);
  await take(prober);
  const traces = await run(stage);
  await stage.stack.waitForHead();
  const feed = await secondsOfFeed(stage);
  const answers = await askAll(stage, questionsAbout(stage, traces));
  const { longestBlock, longestPause, failed } = await take(prober);
  const memory = await settledMemory(stage, before + MAX_GROWTH_MIB);
  await take(prober);
  const largest = Math.max(0, ...answers.map(({ bytes }) => bytes));
  return rowsOf(name, {
    block: longestBlock / 1_000,
    pause: longestPause,
    largest,
    growth: memory - before,
    failed,
    feed,
  });
}

type Measured = {
  block: number;
  pause: number;
  largest: number;
  growth: number;
  failed: number;
  feed: number;
};

function rowsOf(name: string, { block, pause, largest, growth, failed, feed }: Measured): Row[] {
  const figure = (what: string, value: number, unit: string, atMost: number): Figure => ({
    bench: "hostile",
    name: `${name}: ${what}`,
    value,
    unit,
    target: { of: "value", atMost },
  });
  return [
    figure("longest block", block, "s", MAX_BLOCK_SECONDS),
    figure("longest pause", pause, "ms", MAX_PAUSE_MS),
    figure("largest answer", largest, "bytes", MAX_JSON_BYTES),
    figure("growth of memory", Math.max(0, growth), "MiB", MAX_GROWTH_MIB),
    figure("answers refused to others", failed, "", 0),
    figure("feed behind the index", feed, "s", MAX_FEED_SECONDS),
  ].map(judge);
}

/** An attack after which the indexer is gone, or no longer follows, has no bound at all. */
const failedRows = (name: string): Row[] =>
  rowsOf(name, {
    block: Infinity,
    pause: Infinity,
    largest: 0,
    growth: Infinity,
    failed: 0,
    feed: Infinity,
  });

async function measureAll(databaseServer: string): Promise<Row[]> {
  const size = {
    leaves: options.leaves ?? 20_000,
    leavesBelowSeveral: 1_500,
    reveals: 10,
    logs: 6_000,
    burstMegabytes: 12,
    bulk: 100,
    inputs: 1_000,
    approvals: 100_000,
    gifts: 100_000,
    pointed: 100_000,
    randomLogs: 10_000,
    reorganisations: 20,
    oddTexts: 27,
  };
  const seed = options.seed ?? 20_200_204;
  const families = familiesOf({ ...size, seed });
  const attacks = [noAttack, ...families.flatMap((family) => family.attacks)];
  return [
    ...(await measureOn({ databaseServer, attacks })),
    ...(await measureOn({
      databaseServer,
      attacks: attacksByQueues({ entries: 2_000 }),
      plan: { deploymentOf: withEnsv2 },
    })),
    ...(await measureOn({ databaseServer, attacks: attacksAtGateway, plan: { hasGateway: true } })),
    ...(await measureOn({
      databaseServer,
      attacks: attacksByBranches({ seed, turns: size.reorganisations, depth: 64 }),
      plan: { chainId: DEEP_CHAIN_ID },
    })),
  ];
}

/** Runs attacks on one chain in turn. */
async function measureOn({
  databaseServer,
  attacks,
  plan = {},
}: {
  databaseServer: string;
  attacks: readonly Attack[];
  plan?: HostilePlan;
}): Promise<Row[]> {
  const wanted = attacks.filter((one) => isAsked(options.only ?? "", one));
  if (wanted.length === 0) return [];
  const rows: Row[] = [];
  let scene = await openScene(databaseServer, plan);
  for (const attack of wanted) {
    console.error(attack.name);
    try {
      rows.push(...(await measure(scene, attack)));
    } catch (error) {
      console.error(`  ${error instanceof Error ? error.message.slice(0, 2_000) : error}`);
      rows.push(...failedRows(attack.name));
      await closeScene(scene);
      scene = await openScene(databaseServer, plan);
    }
  }
  await closeScene(scene);
  return rows;
}

const postgres = await startTemporaryPostgres();
try {
  const rows = await measureAll(postgres.url);
  report(rows, { ...options, made: "One chain, one Namedex, one other caller" });
} finally {
  await postgres.stop();
}
