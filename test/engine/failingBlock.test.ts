import { afterEach, expect, test } from "vitest";
import { type FailingBlock, failures, notingFailures } from "../../engine/failures/failures.ts";
import { runTrial } from "./runTrial.ts";

afterEach(() => {
  globalThis.namedexFailures = undefined;
});

test("each attempt of a block's transaction that failed is noted once, wherever in it the database failed", () => {
  const lines: string[] = [];
  const logger = notingFailures({ warn: ({ msg }) => lines.push(msg), level: "warn" }, 1, 7);
  const error = new Error("could not extend file: No space left on device");
  logger.warn({ msg: "Failed database query", error }); // One statement of the transaction.
  expect(failures().block).toBeNull();
  for (const retry_count of [0, 1]) logger.warn({ msg: "Failed database query", retry_count, error });
  expect(failures().block).toMatchObject({ chainId: 1, blockNumber: 7, attempts: 2, why: String(error) });
  expect([lines.length, logger.level]).toEqual([3, "warn"]);
});

test("where all addresses of a host refuse, the reason is the code", () => {
  const refused = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
  const logger = { warn: (_: { msg: string; retry_count?: number; error?: unknown }) => {} };
  notingFailures(logger, 1, 7).warn({ msg: "x", retry_count: 0, error: refused });
  expect(failures().block?.why).toBe("AggregateError: ECONNREFUSED");
});

test("blocks that Ponder tries in vain are noted for the API, with the reason", async () => {
  const { noted } = await runTrial<{ noted: FailingBlock }>("failingTrial.ts");
  const why = "RetryableError: the node does not answer";
  expect(noted).toMatchObject({ chainId: 1, blockNumber: null, attempts: 3, why });
});
