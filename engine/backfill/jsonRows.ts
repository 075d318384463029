// Part of the patch quickCache.

const sqlNames = new Map<string, string>();

/** The name in SQL of a column of Ponder's cache; there are some dozen of them. */
function sqlNameOf(column: string): string {
  const known = sqlNames.get(column);
  if (known !== undefined) return known;
  const name = column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  sqlNames.set(column, name);
  return name;
}

function toJson(row: Record<string, unknown>): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const column in row) {
    const value = row[column];
    columns[sqlNameOf(column)] = typeof value === "bigint" ? value.toString() : value;
  }
  return columns;
}

/** Rows of Ponder's cache as one parameter for `json_populate_recordset`. */
export const jsonRows = (rows: readonly Record<string, unknown>[]): string =>
  JSON.stringify(rows.map(toJson));
