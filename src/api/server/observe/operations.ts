import { toApiError } from "../errors/errors.ts";
import type { Meters } from "./meters.ts";
import { inOperation } from "./queries.ts";

/** Runs an operation: its slow queries are logged under its name, and its outcome is counted, over HTTP and MCP alike. */
export const observeOperations =
  ({ operations }: Meters) =>
  <Reply>(operation: string, run: () => Promise<Reply>): Promise<Reply> =>
    inOperation(operation, async () => {
      try {
        const reply = await run();
        operations.inc({ operation, outcome: "answered" });
        return reply;
      } catch (thrown) {
        operations.inc({ operation, outcome: toApiError(thrown).code });
        throw thrown;
      }
    });
