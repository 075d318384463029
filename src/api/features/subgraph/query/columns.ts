import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { membersOf } from "../table/entities.ts";
import { type Entity, type Env, leadsToSameRow, type Row, type ScalarField } from "../table/entity.ts";
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
export const columnsOf = (plan: EntityPlan, row: Row, env: Env): SQL =>
  sql.join(
    valuesOf(plan, row, { env, level: 0 }).map(([name, value]) => sql`${value} as ${sql.identifier(name)}`),
    sql`, `,
  );

type Named = [name: string, value: SQL];

/** `level`: how many entities stand around this one in one row. Names of columns grow with it, and are short in PostgreSQL. */
type Place = { env: Env; level: number };

function valuesOf(plan: EntityPlan, row: Row, { env, level }: Place): Named[] {
  const { entity, types } = plan;
  const values = entity.key.columns(row).map((value, part): Named => [keyColumn(part), value]);
  if (types.length > 1) values.push([TYPE, typeOfRow(membersOf(entity), row)]);
  for (const [t, { type, selections }] of types.entries()) {
    let besides = 0;
    // What a field is of one type need not be a value of its kind of another.
    const only = (value: SQL): SQL =>
      types.length === 1 ? value : sql`case when ${type.kind?.(row)} then ${value} end`;
    for (const [s, selection] of selections.entries()) {
      const column = (part = 0) => columnOfSelection(t, s, part);
      if (selection.kind === "scalar" && selection.field.count === undefined)
        values.push([column(), only(textIfList(selection.field, row, env))]);
      if (selection.kind === "relation") {
        const key = selection.field.key(row, env);
        values.push(...key.map((value, part): Named => [column(part), only(value)]));
        const target = level < MAX_LEVEL ? withinRow(type, selection, { row, key }) : null;
        if (target !== null)
          values.push(
            ...below(valuesOf(selection.of, target, { env, level: level + 1 }), withinColumn(column())),
          );
        else if (isBeside(selection) && besides++ < MAX_BESIDE)
          values.push([withinColumn(column()), only(besideOf(selection, key, env))]);
      }
      if (selection.kind === "derived" && isOfSameRow(type, selection))
        values.push(
          [column(), selection.of.entity.where(row, env)],
          ...below(valuesOf(selection.of, row, { env, level: level + 1 }), column()),
        );
    }
  }
  return values;
}

const below = (values: readonly Named[], column: string): Named[] =>
  values.map(([name, value]) => [`${column}_${name}`, value]);

type RelationSelection = Extract<Selection, { kind: "relation" }>;

/** Where the row of a relation's target has its columns, or its fields in a list. */
const withinColumn = (column: string): string => `${column}_to`;

/** Entities in the row of another, one in the other. */
const MAX_LEVEL = 2;

/** Names that are looked up beside each row: more are read by statements of their own, each name once. */
const MAX_BESIDE = 3;

/**
 * The row of a relation's target, where it is read with the row that leads to it: it is the same, or it follows from the key,
 * and no other entity of the page has it, or nothing is selected that has to be looked up.
 */
function withinRow(
  type: Entity,
  { field, of: { entity, types } }: RelationSelection,
  { row, key }: { row: Row; key: readonly SQL[] },
): Row | null {
  if (leadsToSameRow(type, field, entity)) return row;
  const isOnce = type.isRowOfDomains === true || isAllPlain(types);
  return entity.isBare || !isOnce ? null : (entity.rowOf?.(key) ?? null);
}

/** Scalars that read the same as text. */
const asText: readonly string[] = ["ID", "String", "Bytes", "BigInt"];

const isPlain = (one: Selection): boolean =>
  one.kind === "typename" ||
  (one.kind === "scalar" &&
    one.field.isFixed === true &&
    !one.field.isList &&
    asText.includes(one.field.type));

const isAllPlain = (types: EntityPlan["types"]): boolean =>
  types.every(({ selections }) => selections.every(isPlain));

/** Whether a relation leads to a name of which only columns are selected that never change: one look at an index gives them. */
const isBeside = ({ of: { entity, types } }: RelationSelection): boolean =>
  entity.isRowOfDomains === true && isAllPlain(types);

/** The fields of a name beside the row that leads to it, in a list of texts; null if there is no such name. */
function besideOf({ of }: RelationSelection, [key]: readonly SQL[], env: Env): SQL {
  const row = "beside";
  const texts = valuesOf(of, row, { env, level: MAX_LEVEL }).map(([, value]) => sql`(${value})::text`);
  return sql`(select array[${sql.join(texts, sql`, `)}] from ${of.entity.from(row, env)}
    where ${of.entity.where(row, env)} and ${of.entity.key.columns(row)[0]} = ${key})`;
}

/** The columns of `besideOf`, in its order. */
const namesBeside = ({ of: { types } }: RelationSelection): string[] => [
  keyColumn(0),
  ...(types[0]?.selections ?? []).flatMap((one, s) =>
    one.kind === "scalar" ? [columnOfSelection(0, s)] : [],
  ),
];

/**
 * What rows have of the target of a relation: null where there is none. Undefined if the target is read by a statement of its
 * own.
 */
export function rawsOfTarget(
  raws: readonly Raw[],
  column: string,
  selection: RelationSelection,
): (Raw | null)[] | undefined {
  const name = withinColumn(column);
  const [first = {}] = raws;
  if (name in first) {
    const names = namesBeside(selection);
    return raws.map((raw) => listed(raw[name] as readonly unknown[] | null, names));
  }
  if (!(`${name}_${keyColumn(0)}` in first)) return undefined;
  return partsOf(raws, name).map((raw) => (raw[keyColumn(0)] === null ? null : raw));
}

const listed = (values: readonly unknown[] | null, names: readonly string[]): Raw | null =>
  values && Object.fromEntries(names.map((name, i) => [name, values[i]]));

/** Of each row the columns that stand under another one's name. */
function partsOf(raws: readonly Raw[], column: string): Raw[] {
  const prefix = `${column}_`;
  const names = Object.keys(raws[0] ?? {}).filter((name) => name.startsWith(prefix));
  return raws.map((raw) => Object.fromEntries(names.map((name) => [name.slice(prefix.length), raw[name]])));
}

/** Whether what a field leads to is the row itself: it is read with it. */
export const isOfSameRow = (type: Entity, { field, of }: DerivedSelection): boolean =>
  leadsToSameRow(type, field, of.entity);

type DerivedSelection = Extract<Selection, { kind: "derived" }>;

/** What rows have of another entity that is the same row, under a column's name; null where it is none. */
export const rawsOfSameRow = (raws: readonly Raw[], column: string): (Raw | null)[] =>
  partsOf(raws, column).map((own, i) => (raws[i]?.[column] === true ? own : null));

/** Lists of numbers come from the driver as PostgreSQL writes them, lists of texts as lists. */
const textIfList = ({ value, isList }: ScalarField, row: Row, env: Env): SQL =>
  isList ? sql`${value(row, env)}::text[]` : value(row, env);
