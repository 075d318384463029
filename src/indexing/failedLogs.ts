import { startBlock } from "./write/blockStart.ts";
import { appendEvent } from "./write/events.ts";
import { type Entry, familyOf } from "./write/families.ts";
import { type HandlerArgs, type LogEvent, logRefOf } from "./write/logRef.ts";

/** A log whose handler failed, from the patch `failedLogs`. */
type Failure = { eventName: string; errorName: string; why: string };

/** `FoundResolver:TextChanged(bytes32 ...)` as the columns have it: the emitter's family and the event's name. */
function namesOf(eventName: string): { contract: string; eventType: string } {
  const [entry, signature = ""] = eventName.split(":");
  return { contract: familyOf(entry as Entry), eventType: signature.split("(")[0] ?? "" };
}

const isNode = (value: unknown): value is `0x${string}` =>
  typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value);

/**
 * Writes a row for a log whose handler failed, instead of everything the handler would have written, and resumes the
 * work it had resumed. The log appears in its name's history, and is counted. Its reason contains no strangers' words,
 * because reasons are labels of a metric. Writes: events.
 */
async function recordFailedLog(args: unknown, { eventName, errorName, why }: Failure): Promise<void> {
  const { event, context } = args as HandlerArgs<LogEvent & { args?: Record<string, unknown> }>;
  const { contract, eventType } = namesOf(eventName);
  const node = event.args?.node;
  const log = logRefOf(context, event, contract, eventType);
  await startBlock(context, log);
  await appendEvent(context, log, {
    ...(isNode(node) && { node }),
    anomaly: `the handler failed: ${errorName}`,
    details: { error: why },
  });
}

Object.assign(globalThis, { namedexRecordFailedLog: recordFailedLog });
