import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { membersOf } from "../table/entities.ts";
import type { Entity, Env, Row, ScalarField } from "../table/entity.ts";
import { typeOfRow } from "../table/events.ts";
import type { EntityPlan } from "./plan.ts";

/** A row as a statement gives it: columns by names that this file makes. */
export type Raw = Readonly<Record<string, unknown>>;

/** The column of the entity's type, of a part of its key, and of a selected field. */
const TYPE = "type";
const keyColumn = (part: number): string => `k${part}`;
export const columnOfSelection = (type: number, selection: number, part = 0): string =>
  `s${type}_${selection}_${part}`;

/** Which of a plan's types a row is of. */
export const typeIndexOf = ({ types }: EntityPlan, raw: Raw): number =>
  types.length === 1 ? 0 : types.findIndex(({ type }) => type.name === raw[TYPE]);

/** The key of a row. */
export const keyOfRaw = ({ key }: Entity, raw: Raw): Key =>
  key.types.map((_, part) => raw[keyColumn(part)] as string);

/** The window that numbers the rows has their order; a statement without ORDER BY outside has it by habit only. */
export const inPlace = (raws: readonly Raw[]): Raw[] =>
  [...raws].sort((a, b) => Number(a.place) - Number(b.place));

export type Key = readonly (string | number)[];

/** All that a plan needs of a row. */
export function columnsOf(plan: EntityPlan, row: Row, env: Env): SQL {
  const { entity, types } = plan;
  const columns = entity.key.columns(row).map((value, part) => named(value, keyColumn(part)));
  if (types.length > 1) columns.push(named(typeOfRow(membersOf(entity), row), TYPE));
  for (const [t, { type, selections }] of types.entries()) {
    // What a field is of one type need not be a value of its kind of another.
    const only = (value: SQL): SQL =>
      types.length === 1 ? value : sql`case when ${type.kind?.(row)} then ${value} end`;
    for (const [s, selection] of selections.entries()) {
      if (selection.kind === "scalar" && selection.field.count === undefined)
        columns.push(named(only(textIfList(selection.field, row, env)), columnOfSelection(t, s)));
      if (selection.kind === "relation")
        columns.push(
          ...selection.field
            .key(row, env)
            .map((value, part) => named(only(value), columnOfSelection(t, s, part))),
        );
    }
  }
  return sql.join(columns, sql`, `);
}

/** Lists of numbers come from the driver as PostgreSQL writes them, lists of texts as lists. */
const textIfList = ({ value, isList }: ScalarField, row: Row, env: Env): SQL =>
  isList ? sql`${value(row, env)}::text[]` : value(row, env);

const named = (value: SQL, name: string): SQL => sql`${value} as ${sql.identifier(name)}`;
