// Part of the patch metricsApart: where the API finds Ponder's metrics. Ponder and our code are loaded apart, so only
// `globalThis` is common to them.

type WriteMetrics = () => Promise<string>;

declare global {
  var namedexPonderMetrics: WriteMetrics | undefined;
}

/** Ponder's server gives its metrics here, and not at its port. */
export function giveMetrics(write: WriteMetrics): void {
  globalThis.namedexPonderMetrics = write;
}

/** Ponder's metrics in Prometheus' text format; null before its server runs. */
export const writePonderMetrics = async (): Promise<string | null> =>
  (await globalThis.namedexPonderMetrics?.()) ?? null;
