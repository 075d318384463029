import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";

/**
 * `log`: rows are only ever added, each by a log of a block. Its files hold ranges of blocks, so they can be written on.
 * `state`: rows change. Its files hold the table as it is at the export's position, and are written whole.
 */
export type Kind = "log" | "state";

/** Tables whose rows each belong to a log and never change: their keys begin with chain, block and log. */
const logTables = [
  "events",
  "ownership_changes",
  "resolver_changes",
  "primary_name_changes",
  "ensv2_purchases",
];

/** Notes of the indexer, which answer no question about names. They are exported if they are asked for. */
export const indexersTables: readonly string[] = [
  "approved_claims",
  "controllers",
  "ensv2_mount_nodes",
  "ensv2_reaches",
  "ensv2_v1_controllers",
  "price_feed_phases",
  "label_progress",
  "missing_transactions",
  "transaction_progress",
  "waiting_nodes",
  "name_links",
  "pending_payments",
  "reverse_nodes",
  "short_name_claims",
  "unconfirmed_prices",
  "work_lists",
  "work_owners",
  "work_queues",
];

/** Columns by which rows are sorted, where these are not the primary key. */
const ownOrders: Record<string, readonly string[]> = {
  // Names below one name stand together in the order of their labels: a name is found by its row group's bounds, and a
  // question about .eth names reads no reverse nodes.
  domains: ["chain_id", "parent_node", "label", "node"],
};

export const kindOf = (table: string): Kind => (logTables.includes(table) ? "log" : "state");

/** The order in which a table's rows are written. */
export const orderOf = (table: string, key: readonly string[]): readonly string[] => ownOrders[table] ?? key;

/** Means every table on the command line. */
const ALL = "all";

/**
 * Which tables to export, in the order of the index.
 *
 * @param wanted names of the command line; null for those that answer questions
 * @throws CommandError for a name that no table has
 */
export function chooseTables(known: readonly string[], wanted: readonly string[] | null): string[] {
  if (wanted === null) return known.filter((table) => !indexersTables.includes(table));
  if (wanted.length === 1 && wanted[0] === ALL) return [...known];
  const strange = wanted.find((table) => !known.includes(table));
  if (strange === undefined) return known.filter((table) => wanted.includes(table));
  throw new CommandError(
    `--tables: unknown view "${onOneLine(strange)}". Expected some of ${known.join(", ")}, or "${ALL}".`,
  );
}
