import { getTableColumns, type SQL, type Table } from "drizzle-orm";
import { sql } from "ponder";

/** Names of which a table's columns are remembered; statements with more rows than this make the others again. */
const MAX_REMEMBERED = 64;

/** The columns of a row of a table by another name in a statement. */
type Columns<Of extends Table> = { readonly [Column in keyof Of["_"]["columns"]]: SQL };

/**
 * Rows of a table by other names in a statement. A statement names hundreds of columns, and drizzle's `alias` makes each one
 * again: that took longer than to find the rows.
 */
export function aliased<Of extends Table>(table: Of): (name: string) => Columns<Of> {
  const keys = Object.keys(getTableColumns(table));
  const remembered = new Map<string, Columns<Of>>();
  return (name) => {
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const columns = Object.fromEntries(
      keys.map((key) => [key, columnAt(name, columnName(key))]),
    ) as Columns<Of>;
    if (remembered.size < MAX_REMEMBERED) remembered.set(name, columns);
    return columns;
  };
}

/** A column of a row by its name in a statement, as one piece of text: a statement has hundreds. Both names are of the program. */
export const columnAt = (row: string, column: string): SQL => sql.raw(`"${row}"."${column}"`);

/** The name of a column in the database: `blockNumber` is `block_number`. */
export const columnName = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
