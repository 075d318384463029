import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { membersOf } from "../table/entities.ts";
import type { Entity, Env, Row, ScalarField } from "../table/entity.ts";
import { typeOfRow } from "../table/events.ts";
import type { EntityPlan, Selection } from "./plan.ts";

/** A row as a statement gives it: columns by names that this file makes. */
export type Raw = Readonly<Record<string, unknown>>;

/** The column of the entity's type, of a part of its key, and of a selected field. */
const TYPE = "type";
const keyColumn = (part: number): string => `k${part}`;
export const columnOfSelection = (type: number, selection: number, part = 0): string =>
  `s${type}_${selection}_${part}`;

/** The type of a row, among those of the plan. */
export const typeIndexOf = ({ types }: EntityPlan, raw: Raw): number =>
  types.length === 1 ? 0 : types.findIndex(({ type }) => type.name === raw[TYPE]);

/** The key of a row. */
export const keyOfRaw = ({ key }: Entity, raw: Raw): Key =>
  key.types.map((_, part) => raw[keyColumn(part)] as string);

export type Key = readonly (string | number)[];

/** All that a plan needs of a row. */
export function columnsOf({ entity, types }: EntityPlan, row: Row, env: Env): SQL {
  const columns = entity.key.columns(row).map((value, part): Named => [keyColumn(part), value]);
  if (types.length > 1) columns.push([TYPE, typeOfRow(membersOf(entity), row)]);
  for (const [t, { type, selections }] of types.entries()) {
    // What a field is of one type need not be a value of its kind of another.
    const only = (value: SQL): SQL =>
      types.length === 1 ? value : sql`case when ${type.kind?.(row)} then ${value} end`;
    for (const [s, one] of selections.entries())
      for (const [part, value] of valuesOf(one, row, env).entries())
        columns.push([columnOfSelection(t, s, part), only(value)]);
  }
  return sql.join(
    columns.map(([name, value]) => sql`${value} as ${sql.identifier(name)}`),
    sql`, `,
  );
}

type Named = [name: string, value: SQL];

/** What is read of a row for a field: the value, or the key of what a relation leads to. */
function valuesOf(one: Selection, row: Row, env: Env): SQL[] {
  if (one.kind === "relation") return one.field.key(row, env);
  return one.kind === "scalar" && one.field.count === undefined ? [textIfList(one.field, row, env)] : [];
}

/** Lists of numbers come from the driver as PostgreSQL writes them, lists of texts as lists. */
const textIfList = ({ value, isList }: ScalarField, row: Row, env: Env): SQL =>
  isList ? sql`${value(row, env)}::text[]` : value(row, env);
