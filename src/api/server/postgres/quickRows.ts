import { Column, getTableName, is } from "drizzle-orm";
import { type Decoder, decoderOf, type Prepared } from "./drizzleInternals.ts";

/** A column of the answer: where it is, its field, and how its value is read; null where it is what the driver gives. */
type ReadColumn = { at: number; name: string; decoder: Decoder | null };

/** The columns of one object of a row: of the row itself, or of a table in it. */
type Group = { name: string | null; columns: ReadColumn[] };

/**
 * Makes a prepared selection read its rows in a quarter of the time. Drizzle finds out for each value of each row what its column
 * is, which takes longer than reading it; this does so once for each column. The rows are the same. Where a joined table gives
 * an object of its own, which is null without a match, drizzle goes on reading them.
 */
export function withQuickRows<Statement extends object>(statement: Statement): Statement {
  const prepared: Prepared = statement;
  const groups = groupsOf(prepared);
  if (groups !== null) prepared.customResultMapper = (rows) => rows.map((row) => readRow(groups, row));
  return statement;
}

function groupsOf({ fields, joinsNotNullableMap = {} }: Prepared): Group[] | null {
  const groups = new Map<string | null, Group>();
  for (const [at, { path, field }] of (fields ?? []).entries()) {
    const [first = "", second, ...deeper] = path;
    const table = is(field, Column) ? getTableName(field.table) : null;
    const mayBeNull = second !== undefined && (table === null || joinsNotNullableMap[table] !== true);
    if (mayBeNull || deeper.length > 0) return null;
    const name = second === undefined ? null : first;
    const group = groups.get(name) ?? { name, columns: [] };
    groups.set(name, group);
    group.columns.push({ at, name: second ?? first, decoder: decoderOf(field) });
  }
  return groups.size === 0 ? null : [...groups.values()];
}

function readRow(groups: readonly Group[], row: readonly unknown[]): object {
  const read: Record<string, unknown> = {};
  for (const { name, columns } of groups) {
    const object = name === null ? read : {};
    if (name !== null) read[name] = object;
    readColumns(columns, row, object as Record<string, unknown>);
  }
  return read;
}

function readColumns(
  columns: readonly ReadColumn[],
  row: readonly unknown[],
  into: Record<string, unknown>,
): void {
  for (const { at, name, decoder } of columns) {
    const value = row[at];
    into[name] = value === null || decoder === null ? value : decoder.mapFromDriverValue(value);
  }
}
