import { z } from "zod";
import { wholeNumber } from "./words.ts";

/** What is told of requests and queries. */
export type LogSettings = {
  /** Which requests get a line in the log. */
  requestLog: "all" | "failed" | "none";
  /** Queries that take longer are told, in milliseconds. */
  slowQueryMs: number;
};

export const logVariables = z.object({
  REQUEST_LOG: z.enum(["all", "failed", "none"]).default("failed"),
  SLOW_QUERY_MS: wholeNumber(1, 60_000).default(1_000),
});

export const logExpectations = {
  REQUEST_LOG: ["all, failed or none", "failed"],
  SLOW_QUERY_MS: ["a whole number of milliseconds from 1 to 60000", "1000"],
} as const;

export const toLogSettings = (known: z.output<typeof logVariables>): LogSettings => ({
  requestLog: known.REQUEST_LOG,
  slowQueryMs: known.SLOW_QUERY_MS,
});
