import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { mineBlocks } from "../../devnet/acts.ts";
import { startDemoChain } from "../../devnet/localChain.ts";
import { runProgram } from "../ops/programs.ts";
import { launchStack } from "../support/stack.ts";

const PATHS = [
  "/whois/alice.eth",
  "/search-domains?availability_status=registered",
  "/search-domains?q=multi&sort_by=expiry_timestamp",
  "/ens-stats",
  "/address/0x70997970C51812dc3A010C7d01b50e0d17dc79C8/domain-count",
  "/domain/moved.eth/events",
];
/** Block interval: many answers straddle a block and are read from a snapshot. */
const BLOCK_MS = 300;
/**
 * How long a process keeps working on its tables after it is ready: indexes, counters, triggers
 * and views.
 */
const AFTER_READY_MS = 12_000;
const PATIENCE_MS = 120_000;

type Asked = { isReady: () => boolean; faults: string[]; answers: () => number; stop: () => Promise<void> };

/** Continuously asks a process for everything it claims to be ready for. */
function askContinuously(url: string): Asked {
  let [isStopped, isReady, answers] = [false, false, 0];
  const faults: string[] = [];
  const readReady = async () => {
    const reply = await fetch(`${url}/indexing-status`).catch(() => null);
    return reply?.status === 200 && ((await reply.json()) as { ready: boolean }).ready;
  };
  const look = async () => {
    isReady = await readReady();
  };
  const ask = async (path: string) => {
    if (!isReady) return;
    const reply = await fetch(url + path).catch(() => null); // The process has ended.
    if (reply === null) return;
    const text = await reply.text();
    answers++;
    // A process that reported not ready in the meantime may refuse.
    if (reply.status !== 200 && isReady && (await readReady()))
      faults.push(`${path}: ${reply.status} ${text}`);
  };
  const again = async (work: () => Promise<void>) => {
    while (!isStopped) {
      await work();
      await sleep(20);
    }
  };
  const loops = [look, ...PATHS.map((path) => () => ask(path))].map(again);
  const stop = async () => {
    isStopped = true;
    await Promise.all(loops);
  };
  return { isReady: () => isReady, faults, answers: () => answers, stop };
}

/** Waits until a process says it is ready, and then for the work it does afterwards. */
async function readyFor({ isReady }: Asked): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (!isReady()) {
    if (Date.now() > until) throw new Error("not ready");
    await sleep(20);
  }
  await sleep(AFTER_READY_MS);
}

test("a process that says it is ready answers after a start, a restart and a release, with blocks arriving all the time", async () => {
  const local = await startDemoChain();
  onTestFinished(() => local.anvil.stop());
  const stack = await launchStack({ deployment: local.deployment, rpcUrl: local.anvil.url });
  onTestFinished(() => stack.destroy());
  let isMining = true;
  const mining = (async () => {
    while (isMining) {
      await mineBlocks(local.chain, { count: 1 });
      await sleep(BLOCK_MS);
    }
  })();
  const asked = [askContinuously(stack.url)];
  try {
    const [indexer] = asked as [Asked];
    await readyFor(indexer);
    const replica = await stack.startReplica();
    asked.push(askContinuously(replica.url));
    await readyFor(asked[1] as Asked);

    await stack.stop();
    stack.restart();
    await readyFor(indexer);
    await readyFor(asked[1] as Asked);

    const release = await stack.startRelease("released");
    asked.push(askContinuously(release.url));
    const env = { DATABASE_URL: stack.databaseUrl };
    const switched = await runProgram("release.ts", ["switch", "released", "--wait"], env);
    expect(switched).toMatchObject({ code: 0 });
    for (const one of asked) await readyFor(one);
  } finally {
    isMining = false;
    await Promise.all([mining, ...asked.map(({ stop }) => stop())]);
  }
  for (const { answers } of asked) expect(answers()).toBeGreaterThan(100);
  expect(
    asked.map(({ faults }) => faults.slice(0, 5)),
    stack.log(),
  ).toEqual([[], [], []]);
});
