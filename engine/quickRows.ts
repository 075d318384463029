// What Ponder does with every column of every row, written out as code for each table: V8 finds a column at once where
// its name stands in the code and all rows have one shape, and usual values (a number in an integer's column, a text
// without NUL) are recognised without asking the column. Whatever is unusual goes to Ponder's own functions, so that
// defaults, mistakes and their messages are Ponder's.

/** A column, as far as rows need it. */
type Column = { columnType: string; notNull: boolean; hasDefault: boolean };

type Table = object;
type Row = Record<string, unknown>;
/** The key columns of each table, as Ponder keeps them. */
type PrimaryKeys = Map<Table, [name: string, column: Column][]>;

/** Ponder's own functions, and drizzle's. */
export type Originals = {
  getTableColumns: (table: Table) => Record<string, Column>;
  normalizeColumn: (column: Column, value: unknown, isUpdate: boolean) => unknown;
  normalizeRow: (table: Table, row: Row, isUpdate: boolean) => Row;
  getCopyText: (table: Table, rows: Row[]) => string;
};

/** Whether a value is as the driver would give it back, so that nothing is to be done with it; in code, of `v`. */
const usual: Record<string, string> = {
  PgInteger: 'typeof v === "number"',
  PgBigInt53: 'typeof v === "number"',
  PgBoolean: "true",
  PgEnumColumn: "true",
  PgEvmBigint: 'typeof v === "bigint"',
  PgHex: 'typeof v === "string" && v.length % 2 === 0 && v === v.toLowerCase()',
  PgText: 'typeof v === "string" && !v.includes("\\0")',
};

const testOf = ({ columnType }: Column): string => usual[columnType] ?? "false";

/** Characters that COPY's text form writes otherwise. */
const ESCAPED = /[\\\b\f\n\r\t\v]/;

/** What is written out for one table; both give null where a row is to be left to Ponder. */
type Written = { normal: (row: Row) => Row | null; line: (row: Row) => string | null };

/** Ponder's functions for rows, quicker, with the same results. */
export function quickRows(ponder: Originals) {
  const written = new WeakMap<Table, Written>();

  const writtenFor = (table: Table): Written => {
    const known = written.get(table);
    if (known !== undefined) return known;
    const columns = Object.entries(ponder.getTableColumns(table));
    const fresh = { normal: writeNormal(columns, ponder.normalizeColumn), line: writeLine(columns) };
    written.set(table, fresh);
    return fresh;
  };

  /** A new row of its columns alone, where Ponder changes the one that it is given, which nobody else holds. */
  const normalizeRow = (table: Table, row: Row, isUpdate: boolean): Row =>
    writtenFor(table).normal(row) ?? ponder.normalizeRow(table, { ...row }, isUpdate);

  const getCopyText = (table: Table, rows: Row[]): string => {
    const { line } = writtenFor(table);
    const lines: string[] = [];
    for (const row of rows) lines.push(line(row) ?? ponder.getCopyText(table, [row]));
    return lines.join("\n");
  };

  const partOfKey = (column: Column, value: unknown): string => {
    const isUsual =
      typeof value === "number"
        ? column.columnType === "PgInteger"
        : typeof value === "string" && column.columnType === "PgHex" && isLowerCase(value);
    return String(isUsual ? value : ponder.normalizeColumn(column, value, false));
  };

  const getCacheKey = (table: Table, key: Row, primaryKeys: PrimaryKeys): string => {
    const parts = primaryKeys.get(table) ?? [];
    let text = "";
    for (const [name, column] of parts) {
      const part = partOfKey(column, key[name]);
      if (parts.length === 1) return part;
      text += `${part}_`;
    }
    return text;
  };

  return { normalizeRow, getCacheKey, getCopyText, getBytes };
}

const isLowerCase = (text: string): boolean => text.length % 2 === 0 && text === text.toLowerCase();

type Columns = [name: string, column: Column][];

/** A row as Ponder keeps it, or null if a column that needs more than a null has none. */
function writeNormal(columns: Columns, normalizeColumn: Originals["normalizeColumn"]): Written["normal"] {
  const parts = columns.map(([name, column], i) => {
    const isRequired = column.notNull || column.hasDefault;
    return `v = row[${JSON.stringify(name)}];
      if (v === null || v === undefined) ${isRequired ? "return null" : `c${i} = null`};
      else c${i} = ${testOf(column)} ? v : other(columns[${i}][1], v, false);`;
  });
  const names = columns.map((_, i) => `c${i}`);
  const row = columns.map(([name], i) => `${JSON.stringify(name)}: c${i}`);
  const code = `return (row) => { let v, ${names}; ${parts.join("\n")} return { ${row} }; };`;
  return new Function("columns", "other", code)(columns, normalizeColumn);
}

/** A row as COPY takes it, or null if a value is unusual or has a character that must be written otherwise. */
function writeLine(columns: Columns): Written["line"] {
  const parts = columns.map(([name, column], i) => {
    const isText = column.columnType === "PgHex" || column.columnType === "PgText";
    return `v = row[${JSON.stringify(name)}];
      ${i > 0 ? 'line += "\\t";' : ""}
      if (v === null || v === undefined) line += "\\\\N";
      else if (${testOf(column)}) { line += v; ${isText ? "texts += v;" : ""} }
      else return null;`;
  });
  const code = `return (row) => {
    let v, line = "", texts = ""; ${parts.join("\n")}
    return escaped.test(texts) ? null : line;
  };`;
  return new Function("escaped", code)(ESCAPED);
}

/** Bytes of a row or a key, as Ponder counts them. */
function getBytes(value: unknown): number {
  if (typeof value === "string") return 2 * value.length;
  if (typeof value === "number") return 8;
  if (value === null || value === undefined) return 8;
  if (typeof value === "boolean") return 4;
  if (typeof value === "bigint") return 48;
  let size = 24;
  for (const part in value as Row) size += 8 + getBytes((value as Row)[part]);
  return size;
}
