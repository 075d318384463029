import { check, type Given } from "./check.ts";
import { digits, oneOf } from "./kinds.ts";
import { optional, type ValuesOf, withDefault } from "./variable.ts";

/** Which requests and queries are logged. */
export type LogSettings = {
  /** Which requests get a line in the log. */
  requestLog: "all" | "failed" | "none";
  /** Queries that take longer are logged, in milliseconds. */
  slowQueryMs: number;
};

/** Of every program that runs until it is stopped: indexer, replicas, gateway. */
export const logFormatVariables = {
  LOG_FORMAT: optional(oneOf("json", "text"), {
    example: "json",
    unset: "`text` on a terminal, else `json`",
    meaning:
      "Log format of `npm start`, `npm run serve` and `npm run gateway`. `json` writes one JSON object per line.",
  }),
};

export const logVariables = {
  ...logFormatVariables,
  REQUEST_LOG: withDefault("failed", oneOf("all", "failed", "none"), {
    meaning: "Which requests are logged. `failed`: those with status 500 or above.",
  }),
  SLOW_QUERY_MS: withDefault(1_000, digits({ from: 1, to: 60_000, unit: "milliseconds" }), {
    meaning: "Queries slower than this are logged with their operation.",
  }),
};

/**
 * The form of the log; that of the place where it is read, if none is set.
 *
 * @throws SettingsError
 */
export const readLogFormat = (env: Given, { isTerminal }: { isTerminal: boolean }): "json" | "text" =>
  check(logFormatVariables, env).LOG_FORMAT ?? (isTerminal ? "text" : "json");

export const toLogSettings = (known: ValuesOf<typeof logVariables>): LogSettings => ({
  requestLog: known.REQUEST_LOG,
  slowQueryMs: known.SLOW_QUERY_MS,
});
