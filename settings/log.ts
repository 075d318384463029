import { digits, oneOf } from "./kinds.ts";
import { type ValuesOf, withDefault } from "./variable.ts";

/** Which requests and queries are logged. */
export type LogSettings = {
  /** Which requests get a line in the log. */
  requestLog: "all" | "failed" | "none";
  /** Queries that take longer are logged, in milliseconds. */
  slowQueryMs: number;
};

export const logVariables = {
  REQUEST_LOG: withDefault("failed", oneOf("all", "failed", "none"), {
    meaning: "Which requests get a line of JSON in the log. `failed` means status 500 and above.",
  }),
  SLOW_QUERY_MS: withDefault(1_000, digits({ from: 1, to: 60_000, unit: "milliseconds" }), {
    meaning: "Queries that take longer are logged with their operation.",
  }),
};

export const toLogSettings = (known: ValuesOf<typeof logVariables>): LogSettings => ({
  requestLog: known.REQUEST_LOG,
  slowQueryMs: known.SLOW_QUERY_MS,
});
