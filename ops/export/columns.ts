import pg from "pg";

/** Forms of files. */
export const fileFormats = ["parquet", "csv", "ndjson"] as const;
export type FileFormat = (typeof fileFormats)[number];

/** A column of a view, with its type in files. */
export type Column = { name: string; type: FileType };

/** Types that Parquet and every tool of analysts have. */
export const fileTypes = ["BOOLEAN", "INTEGER", "BIGINT", "DECIMAL(38,0)", "VARCHAR"] as const;
export type FileType = (typeof fileTypes)[number];

/**
 * Columns of numeric(78) that hold amounts and times. The contracts that log them bound them far below 38 digits, the most
 * that tools calculate with: they make a float of a wider number, without a word. All other
 * such columns hold any number of 256 bits (token ids, roles, coin types), which no type of a tool has: they are text.
 */
const isAmount = (name: string): boolean =>
  /(_timestamp|_wei|_seconds)$/.test(name) ||
  ["expiry", "amount", "base", "premium", "token_amount"].includes(name);

/**
 * The type of a column in files. CSV and JSON have no types, and readers guess floats for wide numbers: there they are text.
 *
 * @param type as PostgreSQL writes it (`format_type`)
 */
export function fileTypeOf({ name, type }: { name: string; type: string }, format: FileFormat): FileType {
  if (type === "boolean") return "BOOLEAN";
  if (type === "integer") return "INTEGER";
  if (type === "bigint") return "BIGINT";
  if (format === "parquet" && type.startsWith("numeric") && isAmount(name)) return "DECIMAL(38,0)";
  return "VARCHAR";
}

/** Quotes a name, for PostgreSQL and for DuckDB. */
export const quoted = pg.escapeIdentifier;

/**
 * SQL for a number that follows from all rows of a query, whatever their order: the sum of 60 bits of each row's MD5. Two
 * programs that agree in it have the same rows. PostgreSQL and DuckDB calculate the same, from each value as text.
 *
 * @param toNumber makes a number of 15 hex digits
 */
const fingerprintBy =
  (toNumber: (hex: string) => string) =>
  (columns: readonly string[]): string => {
    const values = columns.map((name) => `coalesce(${quoted(name)}::text, chr(1))`);
    const hex = `left(md5(${values.join(" || chr(31) || ")}), 15)`;
    return `coalesce(sum(${toNumber(hex)})::text, '0')`;
  };

export const fingerprintInPostgres = fingerprintBy((hex) => `('x' || ${hex})::bit(60)::bigint`);
export const fingerprintInDuckDb = fingerprintBy((hex) => `('0x' || ${hex})::bigint`);
