// What Ponder does with every column of every row, done at once for a whole table: the plan of a table is made once, and
// the usual values (a number in an integer's column, a text without NUL) are recognised without asking the column.
// Whatever is unusual goes to Ponder's own functions, so that defaults, mistakes and their messages are Ponder's.

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

type Plan = {
  columns: { name: string; column: Column; isUsual: IsUsual; isRequired: boolean; isText: boolean }[];
  /** A row of nulls. Rows made of it have one shape, by which V8 finds their columns at once. */
  blank: Row;
};

/** Whether a value is as PostgreSQL's driver would give it back, so that nothing is to be done with it. */
type IsUsual = (value: unknown) => boolean;

const isNumber: IsUsual = (value) => typeof value === "number";
const isLowerCase: IsUsual = (value) =>
  typeof value === "string" && value.length % 2 === 0 && value === value.toLowerCase();

const usual: Record<string, IsUsual> = {
  PgInteger: isNumber,
  PgBigInt53: isNumber,
  PgBoolean: () => true,
  PgEnumColumn: () => true,
  PgEvmBigint: (value) => typeof value === "bigint",
  PgHex: isLowerCase,
  PgText: (value) => typeof value === "string" && !value.includes("\0"),
};

/** Characters that COPY's text form writes otherwise; all but the backslash are control characters. */
const ESCAPED = /[\\\b\f\n\r\t\v]/;

/** Ponder's functions for rows, quicker, with the same results. */
export function quickRows(ponder: Originals) {
  const plans = new WeakMap<Table, Plan>();

  const planOf = (table: Table): Plan => {
    const known = plans.get(table);
    if (known !== undefined) return known;
    const columns = Object.entries(ponder.getTableColumns(table)).map(([name, column]) => ({
      name,
      column,
      isUsual: usual[column.columnType] ?? (() => false),
      isRequired: column.notNull || column.hasDefault,
      isText: column.columnType === "PgHex" || column.columnType === "PgText",
    }));
    const blank = Object.fromEntries(columns.map(({ name }) => [name, null]));
    const plan = { columns, blank };
    plans.set(table, plan);
    return plan;
  };

  /** A new row of its columns alone, where Ponder changes the one that it is given, which nobody else holds. */
  const normalizeRow = (table: Table, row: Row, isUpdate: boolean): Row => {
    const { columns, blank } = planOf(table);
    const normal = { ...blank };
    for (const { name, column, isUsual, isRequired } of columns) {
      const value = row[name];
      if (value === undefined || value === null) {
        if (isRequired) return ponder.normalizeRow(table, { ...row }, isUpdate);
      } else normal[name] = isUsual(value) ? value : ponder.normalizeColumn(column, value, isUpdate);
    }
    return normal;
  };

  const partOfKey = ([name, column]: [string, Column], key: Row): string => {
    const value = key[name];
    const isUsual = usual[column.columnType];
    return String(isUsual?.(value) ? value : ponder.normalizeColumn(column, value, false));
  };

  const getCacheKey = (table: Table, key: Row, primaryKeys: PrimaryKeys): string => {
    const parts = primaryKeys.get(table) ?? [];
    const [first] = parts;
    if (parts.length === 1 && first !== undefined) return partOfKey(first, key);
    let text = "";
    for (const part of parts) text += `${partOfKey(part, key)}_`;
    return text;
  };

  /** Rows as COPY takes them. Those with a character that must be written otherwise, or an unusual value, are Ponder's. */
  const getCopyText = (table: Table, rows: Row[]): string => {
    const { columns } = planOf(table);
    const lines: string[] = [];
    for (const row of rows) lines.push(lineOf(columns, row) ?? ponder.getCopyText(table, [row]));
    return lines.join("\n");
  };

  return { normalizeRow, getCacheKey, getCopyText, getBytes };
}

function lineOf(columns: Plan["columns"], row: Row): string | null {
  let line = "";
  let texts = "";
  for (const { name, isUsual, isText } of columns) {
    const value = row[name];
    if (line !== "") line += "\t";
    if (value === null || value === undefined) line += "\\N";
    else if (isUsual(value)) {
      line += value;
      if (isText) texts += value;
    } else return null;
  }
  return ESCAPED.test(texts) ? null : line;
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
