import type { Context } from "ponder:registry";
import { event, holder } from "ponder:schema";
import type { Hex } from "viem";
import { ADDR_REVERSE_NODE } from "../../ens/name.ts";
import { type LogRef, nullIfZero } from "./logRef.ts";

type Row = typeof event.$inferInsert;

/** What an event says besides where it was logged; arguments without a column go into `details`. */
export type EventValues = Partial<Omit<Row, keyof LogRef | "details">> & {
  details?: Record<string, unknown>;
};

/**
 * Keeps one log for one name. Writes: events, holders (for receivers and owners of the name). Whoever may be given a
 * name below addr.reverse says so by its parent: such names count as nobody's, and have no holders.
 */
export async function appendEvent(
  context: Context,
  cause: LogRef,
  values: EventValues,
  { parentNode }: { parentNode?: Hex | null } = {},
): Promise<void> {
  await appendEventOnly(context, cause, values);
  const { node, toAddress, newOwnerAddress, ownerAddress } = values;
  if (!node || parentNode === ADDR_REVERSE_NODE) return;
  for (const address of new Set([toAddress, newOwnerAddress, ownerAddress])) {
    if (address && nullIfZero(address)) await putHolder(context, cause, address, node);
  }
}

/**
 * Keeps one log whose owner is who a token went to by another log of the same transaction, which noted the holder.
 * Writes: events.
 */
export async function appendEventOnly(context: Context, cause: LogRef, values: EventValues): Promise<void> {
  const { details, ...columns } = withoutNul(values);
  await context.db
    .insert(event)
    .values({ ...cause, ...columns, details: details === undefined ? null : toJson(details) });
}

function putHolder(context: Context, cause: LogRef, address: Hex, node: Hex) {
  const last = { lastOwnedBlockNumber: cause.blockNumber, lastOwnedBlockTimestamp: cause.blockTimestamp };
  return context.db
    .insert(holder)
    .values({ address, chainId: cause.chainId, node, ...last })
    .onConflictDoUpdate(last);
}

/** PostgreSQL's text has no NUL, and Ponder would drop it silently: such texts go into the JSON, which escapes it. */
function withoutNul(values: EventValues): EventValues {
  const hidden = (["key", "value", "name"] as const).filter((column) => values[column]?.includes("\0"));
  if (hidden.length === 0) return values;
  return {
    ...values,
    ...Object.fromEntries(hidden.map((column) => [column, null])),
    details: { ...values.details, ...Object.fromEntries(hidden.map((column) => [column, values[column]])) },
  };
}

/** JSON with integers beyond JavaScript's as decimal strings; NUL becomes the six characters `\u0000`. */
const toJson = (details: Record<string, unknown>): string =>
  JSON.stringify(details, (_, value) => (typeof value === "bigint" ? value.toString() : value));
