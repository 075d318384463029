import type { Context } from "ponder:registry";
import { event, holder } from "ponder:schema";
import type { Hex } from "viem";
import { ADDR_REVERSE_NODE } from "../../ens/name.ts";
import { type HandlerArgs, type LogEvent, type LogRef, nullIfZero } from "./logRef.ts";
import { put } from "./put.ts";

type Row = typeof event.$inferInsert;

/** What an event says besides where it was logged; arguments without a column go into `details`. */
export type EventValues = Partial<Omit<Row, keyof LogRef | "details">> & {
  details?: Record<string, unknown>;
};

/**
 * Appends one log for one name. Names right under addr.reverse have no holders, because they do not count as anybody's
 * names, nor have nodes that are no names: handlers give the domain with its parent, or null. Writes: events, holders
 * (receivers and owners of the name).
 */
export async function appendEventAndHolders(
  context: Context,
  log: LogRef,
  values: EventValues,
  domain: { parentNode?: Hex | null } | null = {},
): Promise<void> {
  await appendEvent(context, log, values);
  const { node, toAddress, newOwnerAddress, ownerAddress } = values;
  if (!node || domain === null || domain.parentNode === ADDR_REVERSE_NODE) return;
  for (const address of new Set([toAddress, newOwnerAddress, ownerAddress])) {
    if (address && nullIfZero(address)) await putHolder(context, log, address, node);
  }
}

/**
 * Appends one log, and no holder: the log names no new owner, or another log of the same transaction moved the token to the
 * owner and wrote the holder. Writes: events.
 */
export async function appendEvent(context: Context, log: LogRef, values: EventValues): Promise<void> {
  await context.db.insert(event).values({ ...log, ...columnsOf(values) });
}

function columnsOf(values: EventValues) {
  const { details, ...columns } = withoutNul(values);
  return { ...columns, details: details === undefined ? null : toJson(details) };
}

/** Adds the value of a text to its log's row, which does not have one. Writes: events. */
export async function putTextValue(
  context: Context,
  place: Pick<LogRef, "chainId" | "blockNumber" | "logIndex">,
  values: { key: string; value: string; valueSource: string },
): Promise<void> {
  const { chainId, blockNumber, logIndex } = place;
  await context.db.update(event, { chainId, blockNumber, logIndex, ordinal: 0 }).set(columnsOf(values));
}

/** The row of the preceding log in the block; null if it was not one of ours. */
export const findLogBefore = (context: Context, { chainId, blockNumber, logIndex }: LogRef) =>
  context.db.find(event, { chainId, blockNumber, logIndex: logIndex - 1, ordinal: 0 });

/** Appends a log that concerns no name, with all its arguments. Writes: events. */
export const appendArguments = ({
  event,
  context,
  log,
}: HandlerArgs<LogEvent & { args: Record<string, unknown> }>): Promise<void> =>
  appendEvent(context, log, { details: event.args });

function putHolder(context: Context, log: LogRef, address: Hex, node: Hex) {
  const last = { lastOwnedBlockNumber: log.blockNumber, lastOwnedBlockTimestamp: log.blockTimestamp };
  return put(context, holder, { address, chainId: log.chainId, node }, last);
}

/**
 * PostgreSQL's `text` cannot hold NUL, and Ponder would drop it silently: such texts go into the JSON, which escapes
 * it.
 */
function withoutNul(values: EventValues): EventValues {
  const hidden = (["key", "value", "name"] as const).filter((column) => values[column]?.includes("\0"));
  if (hidden.length === 0) return values;
  return {
    ...values,
    ...Object.fromEntries(hidden.map((column) => [column, null])),
    details: { ...values.details, ...Object.fromEntries(hidden.map((column) => [column, values[column]])) },
  };
}

/** JSON with integers that JavaScript cannot hold as decimal strings; NUL becomes the six characters `\u0000`. */
const toJson = (details: Record<string, unknown>): string =>
  JSON.stringify(details, (_, value) => (typeof value === "bigint" ? value.toString() : value));
