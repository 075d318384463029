import type { Endpoint } from "../http/endpoint.ts";
import { nameOf } from "../http/pipeline.ts";
import { toApiError } from "../schemas/errors.ts";
import type { Meters } from "./meters.ts";
import { inOperation } from "./queries.ts";

/** The operation, with its queries known by its name, and its outcomes counted whichever way it is asked. */
export const observedOperation = (operation: Endpoint, { operations }: Meters): Endpoint => ({
  ...operation,
  handle: (input, ctx, caller) => {
    const name = nameOf(operation);
    return inOperation(name, async () => {
      try {
        const reply = await operation.handle(input, ctx, caller);
        operations.inc({ operation: name, outcome: "answered" });
        return reply;
      } catch (thrown) {
        operations.inc({ operation: name, outcome: toApiError(thrown).code });
        throw thrown;
      }
    });
  },
});
