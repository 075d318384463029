import { setTimeout as sleep } from "node:timers/promises";
import { startRun } from "./chainRun.ts";
import { ponderModule } from "./ponders.ts";

// `node failingTrial.ts <database>`: lets Ponder index blocks whose handler fails. Prints the failure as its tables and metrics
// show it before and after some attempts, and the number of attempts.

const { RetryableError } = await ponderModule("internal/errors.js");
let attempts = 0;
const run = await startRun({
  databaseUrl: process.argv[2],
  finalized: 20,
  follows: "blocks" as const,
  handler: async () => {
    throw new RetryableError("the node does not answer");
  },
  onLog: (msg) => {
    if (msg === "Failed to index block range") attempts++;
  },
});
run.ended.catch(() => {});

/** The names of Ponder's metrics that count failures. */
async function failuresInMetrics(): Promise<string[]> {
  const text: string = await run.metrics.getMetrics();
  return [...text.matchAll(/^(\w*(?:fail|error|retr|attempt)\w*)(?:\{.*\})? [1-9]/gm)].map(
    ([, name]) => name ?? "",
  );
}
const tables = async () => {
  const { rows } = await run.pool.query("select value - 'heartbeat_at' as value from trial._ponder_meta");
  return rows;
};
const before = await tables();
while (attempts < 3) await sleep(20);
const outcome = { attempts, before, after: await tables(), metrics: await failuresInMetrics() };
process.stdout.write(JSON.stringify({ ...outcome, noted: globalThis.namedexFailures?.block ?? null }), () =>
  process.exit(),
);
