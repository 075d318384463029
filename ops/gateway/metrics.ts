import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { type Indexer, parts, partsDown } from "./indexers.ts";

/** Metrics of the gateway in Prometheus' text format. */
export type Metrics = {
  /** A request was answered by an indexer (null: by the gateway itself), with this status, after this time. */
  answered: (answer: { indexer: Indexer | null; status: number; seconds: number }) => void;
  repeated: (indexer: Indexer) => void;
  /** An answer broke off after it had begun. */
  brokenOff: (indexer: Indexer) => void;
  text: () => Promise<string>;
};

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];

export function createMetrics(indexers: () => readonly Indexer[]): Metrics {
  const registers = [new Registry()];
  const plan = (name: string, help: string, labelNames: string[]) => ({
    name: `namedex_gateway_${name}`,
    help,
    labelNames,
    registers,
  });
  const answers = new Counter(plan("answers_total", "Answers by indexer and status.", ["indexer", "status"]));
  const seconds = new Histogram({
    ...plan("answer_seconds", "Time to the end of an answer.", ["indexer"]),
    buckets: BUCKETS,
  });
  const repeats = new Counter(plan("repeats_total", "Requests repeated at another indexer.", ["indexer"]));
  const broken = new Counter(plan("broken_answers_total", "Answers that broke off half-way.", ["indexer"]));
  observe(
    plan("indexer_synced", "1 while the indexer receives requests.", ["indexer"]),
    indexers,
    ({ state }) => (state === "synced" ? 1 : 0),
  );
  observe(
    plan("requests_in_flight", "Requests being answered.", ["indexer"]),
    indexers,
    (one) => one.inFlight,
  );
  new Gauge({
    ...plan("part_down", "1 while a part is down, by the indexer's status.", ["indexer", "part"]),
    collect() {
      for (const { url, claim } of indexers()) {
        const down = partsDown(claim);
        for (const part of parts) this.set({ indexer: url, part }, down.includes(part) ? 1 : 0);
      }
    },
  });
  return {
    answered: ({ indexer, status, seconds: taken }) => {
      const label = { indexer: indexer?.url ?? "gateway" };
      answers.inc({ ...label, status });
      seconds.observe(label, taken);
    },
    repeated: ({ url }) => repeats.inc({ indexer: url }),
    brokenOff: ({ url }) => broken.inc({ indexer: url }),
    text: async () => (await registers[0]?.metrics()) ?? "",
  };
}

type GaugePlan = ConstructorParameters<typeof Gauge>[0];

function observe(
  plan: GaugePlan,
  all: () => readonly Indexer[],
  readValue: (indexer: Indexer) => number,
): void {
  new Gauge({
    ...plan,
    collect() {
      for (const indexer of all()) this.set({ indexer: indexer.url }, readValue(indexer));
    },
  });
}
