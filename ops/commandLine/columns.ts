import { lineOf } from "./foreignText.ts";

/** Rows as lines of a terminal, each column as wide as its widest cell. Cells may hold a stranger's text. */
export function alignColumns(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(lineOf));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}
