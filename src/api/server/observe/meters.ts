import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Buckets from the quickest answers of the index to those that wait for the chain. */
const SECONDS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The Prometheus metrics of one process. Labels hold only words of our own, never what a caller sent. */
export type Meters = ReturnType<typeof createMeters>;

/** Metrics in a registry of their own; Ponder's are at `/metrics`. */
export function createMeters() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "namedex_" });
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    registry,
    /** Makes a metric of a feature. */
    counter,
    gauge,
    requests: new Histogram({
      name: "namedex_request_seconds",
      help: "Time to answer a request, by its route and the answer's status.",
      labelNames: ["operation", "status"],
      buckets: SECONDS,
      registers: [registry],
    }),
    operations: counter(
      "namedex_operations_total",
      "Operations performed, by HTTP or as tools, by outcome.",
      ["operation", "outcome"],
    ),
    slowQueries: counter("namedex_slow_queries_total", "Queries over the limit of time.", ["operation"]),
    liveQuestions: counter(
      "namedex_live_questions_total",
      "Questions to the chain by where their answer came from: chain, store (asked before at this block), flight (being asked), failure (failed a moment ago).",
      ["from"],
    ),
    liveFailures: counter(
      "namedex_live_failures_total",
      "Questions that the chain did not answer, by the step that failed.",
      ["step"],
    ),
    liveCalls: counter("namedex_live_calls_total", "Calls to nodes and gateways for live answers.", ["to"]),
    comparedValues: counter(
      "namedex_compared_values_total",
      "Values that callers had compared with the contracts (/domain/{name}/verify): equal, different, not_compared.",
      ["outcome"],
    ),
    admissions: counter(
      "namedex_admissions_total",
      "Requests by the way they asked to be admitted, and what became of it.",
      ["way", "outcome"],
    ),
    ready: gauge(
      "namedex_index_ready",
      "1 while operations on names answer, by the rule that callers get; else 0, with the reason of /indexing-status.",
      ["reason"],
    ),
    block: gauge("namedex_indexed_block", "Newest indexed block.", ["chain"]),
    lag: gauge("namedex_index_lag_seconds", "Seconds since the newest indexed block.", ["chain"]),
    standbySeconds: gauge(
      "namedex_standby_lag_seconds",
      "Age of the newest transaction that the standby, which this process reads, has replayed; 0 if there is no later one, or it reads the primary.",
    ),
    standbyBytes: gauge(
      "namedex_standby_lag_bytes",
      "Bytes of the primary's log that the standby has not replayed; 0 if this process reads the primary.",
    ),
    waitingLists: gauge(
      "namedex_waiting_lists",
      "Lists of names that wait to be written in later blocks: below a label that became known, or a registry of ENSv2 that was linked.",
      ["chain"],
    ),
    unknownLabels: gauge("namedex_unknown_labels", "Names with a label of which only the hash is known."),
    healedLabels: gauge(
      "namedex_healed_labels",
      "Labels that no log spells out, and that have their text from a caller, a table or a service.",
    ),
    waitingLabels: gauge(
      "namedex_waiting_labels",
      "Labels that were given, and that the indexer has not applied on every chain yet.",
    ),
    waitingSeconds: gauge(
      "namedex_waiting_lists_seconds",
      "Seconds since the block in which the first of these lists was asked for, in the chain's time; 0 if none waits.",
      ["chain"],
    ),
    missingTransactions: gauge(
      "namedex_missing_transactions",
      "Texts and reverse nodes whose past transactions are still to be fetched.",
      ["chain"],
    ),
    missingIndexes: gauge(
      "namedex_missing_indexes",
      "Large indexes that are still to be built: until then some answers take longer.",
    ),
    databaseBytes: gauge("namedex_database_bytes", "Size of the database, with all its indexes."),
    databaseConnections: gauge(
      "namedex_database_connections",
      "Connections to the database server, of all programs.",
    ),
    databaseMaxConnections: gauge("namedex_database_max_connections", "Connections that the server allows."),
    failingAttempts: gauge(
      "namedex_failing_block_attempts",
      "How often the block that cannot be indexed was tried; 0 while blocks are indexed.",
    ),
    failedAttempts: gauge(
      "namedex_failed_attempts_total",
      "Attempts to index a block that failed, since the start.",
    ),
    failedLogs: gauge(
      "namedex_failed_logs_total",
      "Logs whose handler failed, since the start; they are in the event log with their reason.",
    ),
    verifiedAt: gauge(
      "namedex_verify_timestamp_seconds",
      "When the index was last compared with the contracts (npm run verify); 0 for never.",
    ),
    verifiedBlock: gauge("namedex_verify_block", "Block at which contracts were asked for that comparison."),
    verifiedSamples: gauge("namedex_verify_samples", "Names, records and primary names of that comparison."),
    verifiedValues: gauge("namedex_verify_values", "Values that it compared."),
    verifiedDifferences: gauge(
      "namedex_verify_differences",
      "Values that it found to differ from the chain's.",
    ),
    sourceBlocks: gauge("namedex_source_blocks", "Past blocks whose logs came from LOG_SOURCE.", ["chain"]),
    comparedBlocks: gauge(
      "namedex_source_compared_blocks",
      "Blocks of LOG_SOURCE whose logs were all compared with the node.",
      ["chain"],
    ),
    falseSource: gauge(
      "namedex_source_false",
      "1 if LOG_SOURCE differed from the node after the index was built: it may be false, and answers no longer.",
      ["chain"],
    ),
    anomalies: gauge(
      "namedex_anomalies",
      "Logs that could not be understood; they are stored in the event log.",
      ["reason"],
    ),
  };
}
