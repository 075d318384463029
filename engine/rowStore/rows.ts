// Part of the patch rowStore: what Ponder does with each column of each row, as code generated for each table. V8 finds
// a column at once if its name stands in the code and all rows have one shape, and a usual value (a number in a column of
// integers, a text without NUL) needs no call of the column. All other values go to Ponder's own functions, so defaults,
// errors and their messages are Ponder's.

/** What rows need to know of a column. */
type Column = { columnType: string; notNull: boolean; hasDefault: boolean };

type Table = object;
type Row = Record<string, unknown>;
/** The columns of each table's primary key, as Ponder holds them. */
type PrimaryKeys = Map<Table, [name: string, column: Column][]>;

/** The functions of Ponder and drizzle that are replaced, or used for unusual values. */
export type PonderFunctions = {
  getTableColumns: (table: Table) => Record<string, Column>;
  normalizeColumn: (column: Column, value: unknown, isUpdate: boolean) => unknown;
  normalizeRow: (table: Table, row: Row, isUpdate: boolean) => Row;
  getCopyText: (table: Table, rows: Row[]) => string;
};

/** Code that tests whether the value `v` is already what the driver would read back. Such a value stays as it is. */
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

/** Characters that COPY's text form escapes. */
const ESCAPED = /[\\\b\f\n\r\t\v]/;

/** The code generated for one table. Both functions return null for a row that Ponder's own functions must handle. */
type TableCode = { normal: (row: Row) => Row | null; line: (row: Row) => string | null };

/** Ponder's functions for rows with the same results in less time. */
export function rowFunctions(ponder: PonderFunctions) {
  const known = new WeakMap<Table, TableCode>();

  const codeFor = (table: Table): TableCode => {
    const found = known.get(table);
    if (found !== undefined) return found;
    const columns = Object.entries(ponder.getTableColumns(table));
    const code = { normal: generateNormal(columns, ponder.normalizeColumn), line: generateLine(columns) };
    known.set(table, code);
    return code;
  };

  /** Returns a new row with the table's columns only. Ponder changes the given row instead, which no other code holds. */
  const normalizeRow = (table: Table, row: Row, isUpdate: boolean): Row =>
    codeFor(table).normal(row) ?? ponder.normalizeRow(table, { ...row }, isUpdate);

  /** The text of rows for COPY. */
  const getCopyText = (table: Table, rows: Row[]): string => {
    const { line } = codeFor(table);
    const [first] = rows;
    if (first !== undefined && rows.length === 1) return line(first) ?? ponder.getCopyText(table, rows);
    return rows.map((row) => line(row) ?? ponder.getCopyText(table, [row])).join("\n");
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

/** Generates the function that makes a row as Ponder caches it. It returns null if a required column has no value. */
function generateNormal(
  columns: Columns,
  normalizeColumn: PonderFunctions["normalizeColumn"],
): TableCode["normal"] {
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

/** Generates the function that makes a line for COPY. It returns null for an unusual value, or one to be escaped. */
function generateLine(columns: Columns): TableCode["line"] {
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

/** The bytes of a row or a key, as Ponder counts them. */
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
