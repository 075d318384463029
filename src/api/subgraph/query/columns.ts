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
export const columnsOf = (plan: EntityPlan, row: Row, env: Env): SQL =>
  sql.join(
    valuesOf(plan, row, env).map(([name, value]) => sql`${value} as ${sql.identifier(name)}`),
    sql`, `,
  );

type Named = [name: string, value: SQL];

function valuesOf(plan: EntityPlan, row: Row, env: Env): Named[] {
  const { entity, types } = plan;
  const values = entity.key.columns(row).map((value, part): Named => [keyColumn(part), value]);
  if (types.length > 1) values.push([TYPE, typeOfRow(membersOf(entity), row)]);
  for (const [t, { type, selections }] of types.entries()) {
    // What a field is of one type need not be a value of its kind of another.
    const only = (value: SQL): SQL =>
      types.length === 1 ? value : sql`case when ${type.kind?.(row)} then ${value} end`;
    for (const [s, selection] of selections.entries()) {
      const column = (part = 0) => columnOfSelection(t, s, part);
      if (selection.kind === "scalar" && selection.field.count === undefined)
        values.push([column(), only(textIfList(selection.field, row, env))]);
      if (selection.kind === "relation")
        values.push(
          ...selection.field.key(row, env).map((value, part): Named => [column(part), only(value)]),
        );
      if (selection.kind === "derived" && isOfSameRow(type, selection))
        values.push(
          [column(), selection.of.entity.where(row, env)],
          ...valuesOf(selection.of, row, env).map(([name, value]): Named => [`${column()}_${name}`, value]),
        );
    }
  }
  return values;
}

/** Whether what a field leads to is the row itself: it is read with it. */
export const isOfSameRow = (type: Entity, { field, of }: DerivedSelection): boolean =>
  !field.isList && type.isRowOfDomains === true && of.entity.isRowOfDomains === true;

type DerivedSelection = Extract<Selection, { kind: "derived" }>;

/** What a row has of another entity that is the same row, under a column's name; undefined if it is none. */
export function rawOfSameRow(raw: Raw, column: string): Raw | undefined {
  if (raw[column] !== true) return undefined;
  const prefix = `${column}_`;
  return Object.fromEntries(
    Object.entries(raw).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  );
}

/** Lists of numbers come from the driver as PostgreSQL writes them, lists of texts as lists. */
const textIfList = ({ value, isList }: ScalarField, row: Row, env: Env): SQL =>
  isList ? sql`${value(row, env)}::text[]` : value(row, env);
