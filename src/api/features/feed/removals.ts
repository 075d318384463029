import type { Batch } from "./batch.ts";
import { type ChangeRow, changeColumns } from "./rows.ts";
import type { Value } from "./source.ts";

/** A removed change, with the value that its slot has again. */
export type Removed = {
  source: string;
  slot: string;
  key: readonly string[];
  value: Value | null;
};

/**
 * Takes back each change whose block is no longer the chain's, the newest first, and says so once. Call it only where the chain
 * stands at least as high as the feed: then a lost block has another one in its place. Blocks without logs can be absent from the
 * journal, so a change that no log brought is lost only where there is another block.
 *
 * @returns what holds again, the oldest change last: of one slot the last one counts
 */
export async function removeLost(batch: Batch, { finalNumber }: { finalNumber: number }): Promise<Removed[]> {
  const rows = await batch.db.query<Removed & { number: string }>(
    `with lost as (
       select f.*, row_number() over (order by f.number desc) as place
       from feed_changes f left join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
       where f.chain_id = $1 and f.state = 'new' and not f.is_taken_back and f.source is not null and f.source <> '${TIME}'
         and f.block_number > $2 and ${IS_LOST}
     ), noted as (
       update feed_changes f set is_taken_back = true from lost where f.number = lost.number
     )
     ${insertRemovals("lost")}
     returning number, source, slot, key, new_value as value`,
    [batch.chainId, finalNumber, batch.newest],
  );
  batch.newest += rows.length;
  return rows.sort((a, b) => Number(a.number) - Number(b.number));
}

/** The source of what time brings: it has no table. */
export const TIME = "time";

/** SQL: the block of a change `f` is not the chain's; `b` is the chain's block of that number. */
const IS_LOST =
  "b.hash is distinct from f.block_hash and (b.hash is not null or f.transaction_hash is not null)";

/** How the removal of a change differs from it, as SQL. */
const removal: Partial<Record<keyof ChangeRow, string>> = {
  number: "$3::bigint + place",
  state: "'removed'",
  oldValue: "new_value",
  newValue: "old_value",
  takenBack: "number",
};

/** SQL that adds the removal of each row; `$3` is the newest number. */
export const insertRemovals = (rows: string): string => {
  const columns = Object.entries(changeColumns);
  return `
  insert into feed_changes (${columns.map(([, [column]]) => column).join(", ")})
  select ${columns.map(([field, [column]]) => removal[field as keyof ChangeRow] ?? column).join(", ")} from ${rows}`;
};

/** One text for each slot of each row. */
export const slotKey = ({ source, key, slot }: Pick<Removed, "source" | "key" | "slot">): string =>
  JSON.stringify([source, slot, ...key]);
