import { failures, firstLineOf } from "./failures.ts";

// Part of the patch failedLogs: what becomes of a log whose handler failed.

/** Writes the row about a log whose handler failed (src/indexing/failedLogs.ts). */
export type RecordFailedLog = (
  args: unknown,
  failure: { eventName: string; errorName: string; why: string },
) => Promise<void>;

declare global {
  var namedexRecordFailedLog: RecordFailedLog | undefined;
}

/** Errors of JavaScript itself. `fetch` throws a TypeError too, where the network failed. */
const ownErrors = [RangeError, TypeError, SyntaxError, URIError];

/** viem's errors about data, by name. Those about nodes end with RpcError or RequestError, or name neither. */
const dataError =
  /^(Abi|Bytes|Integer|InvalidAddress|InvalidBytes|InvalidHex|Negative|Position|RecursiveRead|Size|Slice)/;

/** Ponder's errors about a handler's use of the store: the handler would repeat it. */
const storeErrors = ["RecordNotFoundError", "NotNullConstraintError", "BigIntSerializationError"];

/** Whether a handler failed because of the log: neither the node nor the database had a part in it. */
function isOfTheLog(error: unknown): error is Error {
  if (!(error instanceof Error) || error.message.includes("fetch failed")) return false;
  if (ownErrors.some((kind) => error instanceof kind)) return true;
  return dataError.test(error.name) || storeErrors.includes(error.name);
}

export type FailedLog = {
  event: { eventCallback: { name: string }; chain: { id: number; name: string } };
  /** The handler's arguments. */
  args: unknown;
  error: unknown;
  /** Rolls back everything the handler wrote; false if that is not possible. */
  undo: () => boolean;
  /** Runs the handler again. */
  again: () => Promise<unknown>;
  /** Whether the database failed meanwhile: then the whole block is tried again. */
  hasRetryableError: () => boolean;
  log: (line: Record<string, unknown>) => void;
};

/**
 * Continues after a log that makes its handler fail: rolls back its writes, tries once more, and then records the log
 * with the reason. Otherwise this one log would stop the index for good.
 *
 * @returns false if the error is of another kind, which the whole block's next attempt may mend
 */
export async function passOver(failed: FailedLog): Promise<boolean> {
  if (!(await isStored(failed)) || failed.hasRetryableError()) return false;
  const { event, error, log } = failed;
  log({
    msg: "Passed over a log whose handler failed",
    event: event.eventCallback.name,
    chain: event.chain.name,
    chain_id: event.chain.id,
    error,
  });
  return true;
}

/** Whether the handler succeeded after all, or the log is stored with the reason. */
async function isStored({ event, args, error, undo, again }: FailedLog): Promise<boolean> {
  const record = globalThis.namedexRecordFailedLog;
  if (record === undefined || !isOfTheLog(error) || !undo()) return false;
  try {
    await again();
    return true;
  } catch (second) {
    if (!isOfTheLog(second) || second.name !== error.name || !undo()) return false;
    const eventName = event.eventCallback.name;
    await record(args, { eventName, errorName: second.name, why: firstLineOf(second) });
    failures().logs++;
    return true;
  }
}
