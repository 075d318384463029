import { test } from "vitest";
import { openIndexing } from "../openIndexing.ts";
import { ponderModule } from "../ponders.ts";
import { expectFault } from "./fault.ts";

test("a handler that fails by reason of the log ends the index, and no code of the program is asked", async () => {
  const { NonRetryableUserError } = await ponderModule("internal/errors.js");
  globalThis.namedexRecordFailedLog = async () => {};
  const { indexing, eventOf } = await openIndexing(() => {
    throw new TypeError("this text is no number");
  });
  const outcome = await indexing
    .processRealtimeEvents({ events: [eventOf(1)] })
    .catch((error: unknown) => error);
  globalThis.namedexRecordFailedLog = undefined;
  expectFault("failedLogs", outcome instanceof NonRetryableUserError);
});
