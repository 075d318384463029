import type { Ctx } from "./context.ts";
import { countAnomalies, listProgress, readIndexerState } from "./query/progress.ts";

/** Figures of the index in Prometheus' text format, beside Ponder's own at `/metrics`. */
export async function indexMetrics({ db, contracts, now }: Ctx): Promise<string> {
  const [indexer, chains, anomalies] = await Promise.all([
    readIndexerState(db),
    listProgress(db),
    countAnomalies(db),
  ]);
  const labelled = chains.map((chain) => ({ chain, labels: { chain: contracts.chainName(chain.chainId) } }));
  return [
    gauge("namedex_index_ready", "1 once every past event is indexed.", [{ value: indexer.isReady ? 1 : 0 }]),
    gauge(
      "namedex_indexed_block",
      "Newest indexed block.",
      labelled.map(({ chain, labels }) => ({ labels, value: chain.blockNumber })),
    ),
    gauge(
      "namedex_index_lag_seconds",
      "Seconds since the newest indexed block.",
      labelled.map(({ chain, labels }) => ({ labels, value: Math.max(0, now - chain.blockTimestamp) })),
    ),
    gauge(
      "namedex_anomalies",
      "Logs that could not be understood; they are kept in the event log.",
      anomalies.map(({ reason, count }) => ({ labels: { reason }, value: count })),
    ),
  ].join("\n");
}

type Sample = { labels?: Record<string, string>; value: number };

function gauge(name: string, help: string, samples: Sample[]): string {
  const lines = samples.map(({ labels, value }) => `${name}${labels ? writeLabels(labels) : ""} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...lines, ""].join("\n");
}

const writeLabels = (labels: Record<string, string>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(",")}}`;

const escapeLabel = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
