// Part of the patch logSync: says how far the logs of a chain are fetched.

const EVERY_MS = 10_000;
/** Time over which speeds are measured: logs are rare in some years of a chain and dense in others. */
const WINDOW_MS = 5 * 60_000;

/** What has been done at a moment. */
type Sample = { at: number; block: number; logs: number; requests: number };

/** Values of a line of the log; Ponder prints them for people, or as JSON. */
export type ProgressLine = {
  percentage: number;
  block: number;
  logs_per_second: number;
  requests: number;
  /** Requests of the whole backfill, and minutes that are left, at the pace of the last minutes. */
  requests_expected: number;
  minutes_left: number;
};

type Range = { first: number; last: number; say: (line: ProgressLine) => void; clock?: () => number };

/** Counts what a backfill fetches, and says so every ten seconds while it asks the node. */
export class FetchProgress {
  readonly #range: Required<Range>;
  #samples: Sample[];
  #requests = 0;
  #logs = 0;
  #saidAt: number;

  constructor({ first, last, say, clock = () => performance.now() }: Range) {
    this.#range = { first, last, say, clock };
    this.#saidAt = clock();
    this.#samples = [{ at: this.#saidAt, block: first - 1, logs: 0, requests: 0 }];
  }

  /** The node answered a request. */
  requested(): void {
    this.#requests++;
    const now = this.#range.clock();
    if (now - this.#saidAt < EVERY_MS) return;
    this.#saidAt = now;
    const line = this.#line();
    if (line !== null) this.#range.say(line);
  }

  /** All logs up to this block are in the cache. */
  fetched(block: number, logs: number): void {
    this.#logs += logs;
    const at = this.#range.clock();
    const [oldest] = this.#samples;
    const recent = this.#samples.filter((sample) => at - sample.at <= WINDOW_MS);
    const kept = recent.length > 0 || oldest === undefined ? recent : [oldest];
    this.#samples = [...kept, { at, block, logs: this.#logs, requests: this.#requests }];
  }

  #line(): ProgressLine | null {
    const { first, last } = this.#range;
    const [from, to] = [this.#samples[0], this.#samples.at(-1)];
    if (from === undefined || to === undefined || to.block <= from.block) return null;
    const seconds = (to.at - from.at) / 1_000;
    const [blocks, left] = [to.block - from.block, last - to.block];
    return {
      percentage: Math.floor(((to.block - first + 1) / (last - first + 1)) * 1_000) / 10,
      block: to.block,
      logs_per_second: Math.round((to.logs - from.logs) / seconds),
      requests: this.#requests,
      requests_expected: Math.max(
        this.#requests,
        Math.round(to.requests + ((to.requests - from.requests) / blocks) * left),
      ),
      minutes_left: Math.ceil(((seconds / blocks) * left) / 60),
    };
  }
}
