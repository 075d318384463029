import autocannon, { type Request } from "autocannon";

/*
 * A process of its own, so that those who ask and those who answer do not share one event loop: reads loads from its
 * parent, one message each, and answers with what it saw.
 */

/** How to ask: the requests are repeated in turn, each connection from another place on. */
export type Load = { url: string; requests: Request[]; connections: number; seconds: number };

/** What came of it; times in milliseconds, each answer's own. */
export type Seen = {
  perSecond: number;
  p50: number;
  p99: number;
  max: number;
  answers: number;
  failed: number;
};

process.on("message", (load: Load) => {
  run(load).then(
    (seen) => process.send?.({ seen }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});

/**
 * A slice with too few answers is run again, three times as long: a request that never answers would pass for quick.
 * A slice longer than this is the last.
 */
const MAX_SECONDS = 40;

async function run(load: Load): Promise<Seen> {
  for (let seconds = load.seconds; ; seconds *= 3) {
    const seen = await runFor({ ...load, seconds });
    if (seen.answers >= load.connections) return seen;
    if (seconds > MAX_SECONDS) throw new Error(`${load.requests[0]?.path}: no answers within ${seconds} s`);
  }
}

async function runFor({ url, requests, connections, seconds }: Load): Promise<Seen> {
  const times: number[] = [];
  let connection = 0;
  const setupClient = (client: { setRequests: (requests: Request[]) => void }) => {
    const from = Math.floor((connection++ * requests.length) / connections);
    client.setRequests([...requests.slice(from), ...requests.slice(0, from)]);
  };
  const cannon = autocannon({ url, connections, duration: seconds, setupClient });
  cannon.on("response", (_client, _status, _bytes, milliseconds) => void times.push(milliseconds));
  const started = performance.now();
  const { non2xx, errors, timeouts } = await cannon;
  const passed = (performance.now() - started) / 1_000;
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  const failed = non2xx + errors + timeouts;
  return {
    perSecond: times.length / passed,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
    answers: times.length,
    failed,
  };
}
