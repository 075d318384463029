import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { entityOf } from "../table/entities.ts";
import {
  type Derived,
  type Entity,
  type Env,
  type KeyOfRelation,
  leadsToSameRow,
  NONE,
  type Relation,
  type Row,
  type ScalarField,
  type StoredText,
  soughtValue,
} from "../table/entity.ts";
import type { Filter } from "./filter.ts";
import { isOneOfTexts, isText, patternOf, storedPatternSql, storedRangeSql } from "./textFilters.ts";

/** Gives each table of a statement a name of its own. */
export type Names = { next: () => Row };

export const createNames = (): Names => {
  let count = 0;
  return { next: () => `e${count++}` };
};

type Of = { row: Row; entity: Entity; env: Env; names: Names };
type Plain = string | number | boolean | null;

/** The condition of a filter, for a row. */
export function filterSql(filter: Filter, of: Of): SQL {
  switch (filter.kind) {
    case "and":
    case "or":
      return combined(
        filter.kind,
        filter.of.map((one) => filterSql(one, of)),
      );
    case "changed":
      return of.entity.changedSince(of.row, sql`${filter.block}::numeric`, of.env);
    case "existed":
      return of.entity.existedAt?.(of.row, sql`${filter.block}::int`) ?? sql`true`;
    case "child":
      return childSql(filter, of);
    case "field":
      return filter.field.kind === "relation"
        ? relationSql(filter.field, filter, of)
        : scalarSql(filter.field, filter, of);
  }
}

export const combined = (word: "and" | "or", conditions: readonly SQL[]): SQL => {
  if (conditions.length === 0) return word === "and" ? sql`true` : sql`false`;
  return sql`(${sql.join([...conditions], sql.raw(` ${word} `))})`;
};

const isNone = ([first]: readonly (string | number)[]): boolean => first === NONE;

/** The condition that a relation leads to a key. */
export const relationIs = (field: Relation, { row, env }: Pick<Of, "row" | "env">, key: KeyOfRelation): SQL =>
  field.matches?.(row, key, env) ??
  combined(
    "and",
    field.key(row, env).map((column, i) => sql`${column} = ${key.values[i]}`),
  );

function childSql({ field, entity, of: inside }: Extract<Filter, { kind: "child" }>, of: Of): SQL {
  if (leadsToSameRow(of.entity, field, entity))
    return sql`(${entity.where(of.row, of.env)} and ${filterSql(inside, { ...of, entity })})`;
  if (field.kind === "relation" && entity.rowOf !== undefined) {
    const key = field.key(of.row, of.env);
    const met = filterSql(inside, { ...of, row: entity.rowOf(key), entity });
    return sql`(${key[0]} is not null and ${met})`;
  }
  const row = of.names.next();
  const met = filterSql(inside, { ...of, row, entity });
  return sql`exists (select from ${entity.from(row, of.env)} where ${entity.where(row, of.env)}
    and ${linked(field, { parent: of, child: { row, entity } })} and ${met})`;
}

/** That a row of a relation's type belongs to another row. */
export function linked(
  field: Relation | Derived,
  { parent, child }: { parent: Pick<Of, "row" | "entity" | "env">; child: { row: Row; entity: Entity } },
): SQL {
  const { env } = parent;
  if (field.kind === "derived") {
    const back = child.entity.fields[field.via] as Relation;
    const values = parent.entity.key.columns(parent.row);
    return relationIs({ ...back, ...plainly(back) }, { row: child.row, env }, { values, isNone: false });
  }
  return relationIs(field, parent, { values: child.entity.key.columns(child.row), isNone: false });
}

/** Between two tables it is not known whether a key is the zero address: the relation's own value decides. */
const plainly = (back: Relation): Pick<Relation, "matches"> =>
  back.matches === undefined
    ? {}
    : { matches: (row, { values }, env) => sql`${back.id(row, env)} = ${values[0]}` };

const text = (value: Plain): SQL => sql`${String(value)}::text`;
const textList = (values: readonly unknown[]): SQL => sql`${sql.param(values.map(String))}::text[]`;
const texts = (values: readonly unknown[]): SQL => sql`any(${textList(values)})`;

function relationSql(field: Relation, { suffix, values }: FieldFilter, { row, env }: Of): SQL {
  const id = field.id(row, env);
  if (suffix === "null") return sql`${field.key(row, env)[0]} is null`;
  if (suffix === "not_null") return sql`${field.key(row, env)[0]} is not null`;
  if (suffix === "" || suffix === "in") return leadsTo(field, values, { row, env });
  return textSql(id, { suffix, values });
}

type FieldFilter = Pick<Extract<Filter, { kind: "field" }>, "suffix" | "values">;

/** By the columns of the target's key, which have indexes. Null in a list is "none". */
function leadsTo(field: Relation, ids: readonly Plain[], of: Pick<Of, "row" | "env">): SQL {
  const target = entityOf(field.type);
  const keys = ids
    .flatMap((id) => (id === null ? [] : [target.key.read(String(id))]))
    .filter((one) => one !== null);
  const plain = keys.filter((one) => !isNone(one));
  const parts = keys
    .filter(isNone)
    .map((one) => relationIs(field, of, { values: one.map(literal), isNone: true }));
  if (plain.length > 0 && target.key.types.length === 1) {
    parts.push(
      relationIs(field, of, {
        values: [oneOrMore(plain.flat(), of.env)],
        isNone: false,
        texts: plain.flat().map(String),
      }),
    );
  } else
    parts.push(...plain.map((one) => relationIs(field, of, { values: one.map(literal), isNone: false })));
  if (ids.includes(null)) parts.push(sql`${field.key(of.row, of.env)[0]} is null`);
  return combined("or", parts);
}

/** One value is compared as such: of a list the database cannot know how long it is, and plans each use by itself. */
const oneOrMore = (values: readonly (string | number)[], env: Env): SQL =>
  values.length === 1 ? soughtValue(literal(values[0]), env) : texts(values);

const literal = (value: string | number | undefined): SQL =>
  typeof value === "number" ? sql`${value}::int` : text(value ?? null);

const comparisons: Record<string, SQL> = {
  "": sql.raw("="),
  not: sql.raw("<>"),
  gt: sql.raw(">"),
  gte: sql.raw(">="),
  lt: sql.raw("<"),
  lte: sql.raw("<="),
};

function scalarSql(field: ScalarField, filter: FieldFilter, { row, env, entity }: Of): SQL {
  const value = field.value(row, env);
  if (filter.suffix === "null") return sql`${value} is null`;
  if (filter.suffix === "not_null") return sql`${value} is not null`;
  if (field === entity.fields.id && (filter.suffix === "" || filter.suffix === "in"))
    return isId(entity, filter.values, { row, value, env });
  if (field.isList) return listSql(field, value, filter);
  if (field.type === "Boolean") return comparedSql(value, filter, "boolean");
  if (field.type === "BigInt" || field.type === "Int")
    return comparedSql(value, filter, typeOfNumber(field, filter));
  if (field.type === "Bytes" && /contains$/.test(filter.suffix)) return bytesSql(value, filter);
  const exact = textSql(field.isHex ? value : sql`${value} collate "C"`, filter);
  return field.stored === undefined ? exact : storedSql(field.stored, filter, { exact, row, env });
}

/** By an index, where it has what the filter says. */
function storedSql(
  stored: StoredText,
  { suffix, values }: FieldFilter,
  { exact, row, env }: { exact: SQL; row: Row; env: Env },
): SQL {
  const [value] = values;
  if (value === undefined || values.includes(null)) return exact;
  if (suffix === "") return sql`(${isText(stored, text(value), row)} and ${exact})`;
  if (suffix === "in") return sql`(${isOneOfTexts(stored, textList(values), row)} and ${exact})`;
  const filter = { suffix, text: String(value) };
  const range = env.reading === "whole" ? storedRangeSql(stored, filter, { row, env }) : undefined;
  if (range !== undefined) return sql`(${range} and ${exact})`;
  return storedPatternSql(stored, filter, { row, env }) ?? exact;
}

/** By the columns of the key. Two ids of events can mean one key, so the id is compared too. */
function isId(
  entity: Entity,
  ids: readonly Plain[],
  { row, value, env }: { row: Row; value: SQL; env: Env },
): SQL {
  const known = ids.filter((id) => id !== null).map(String);
  const keys = known.flatMap((id) => [entity.key.read(id)]).filter((one) => one !== null);
  const columns = entity.key.columns(row);
  const [only] = columns;
  const byKey =
    columns.length === 1
      ? [sql`${only} = ${oneOrMore(keys.flat(), env)}`]
      : keys.map((one) =>
          combined(
            "and",
            one.map((part, i) => sql`${columns[i]} = ${literal(part)}`),
          ),
        );
  if (keys.length === 0) return sql`false`;
  return entity.isLog
    ? sql`(${combined("or", byKey)} and ${value} = ${texts(known)})`
    : combined("or", byKey);
}

export function textSql(value: SQL, filter: FieldFilter): SQL {
  const { suffix } = filter;
  const pattern = patternOf({ suffix, text: String(filter.values[0] ?? null) });
  if (pattern === undefined) return comparedSql(value, filter, "text");
  const like = suffix.endsWith("_nocase") ? "ilike" : "like";
  const word = sql.raw(suffix.startsWith("not_") ? `not ${like}` : like);
  return sql`${caseless(value, suffix)} ${word} ${text(pattern)}`;
}

/** Case is ignored by the database's own locale: that of `C` knows ASCII alone. */
const caseless = (value: SQL, suffix: string): SQL =>
  suffix.endsWith("_nocase") ? sql`(${value}) collate "default"` : value;

type SqlType = "text" | "boolean" | "int8" | "numeric";

/** Null in a list is a value that is absent; as in graph-node, no value is in an empty list, nor not in it. */
function isIn(value: SQL, { suffix, values }: FieldFilter, type: SqlType): SQL {
  const isNot = suffix === "not_in";
  if (values.length === 0) return sql`false`;
  const known = values.filter((one) => one !== null).map(String);
  const parts: SQL[] = [];
  if (known.length < values.length) parts.push(isNot ? sql`${value} is not null` : sql`${value} is null`);
  const list = sql`${sql.param(known)}::${sql.raw(type)}[]`;
  if (known.length > 0) parts.push(isNot ? sql`${value} <> all(${list})` : sql`${value} = any(${list})`);
  return combined("or", parts);
}

const INT8 = 9_223_372_036_854_775_807n;

/** A number in the type of its column, which an index has; beyond that type as a number of any length. */
function typeOfNumber({ column }: ScalarField, { suffix, values: [given] }: FieldFilter): "int8" | "numeric" {
  if (column !== "int8" || suffix === "in" || suffix === "not_in") return "numeric";
  const number = BigInt(String(given));
  return number <= INT8 && number >= -INT8 ? "int8" : "numeric";
}

function comparedSql(value: SQL, { suffix, values }: FieldFilter, type: SqlType): SQL {
  if (suffix === "in" || suffix === "not_in") return isIn(value, { suffix, values }, type);
  return sql`${value} ${comparisons[suffix]} ${String(values[0])}::${sql.raw(type)}`;
}

/** Bytes in bytes: at an even place of the digits. */
function bytesSql(value: SQL, { suffix, values }: FieldFilter): SQL {
  const part = String(values[0]).slice(2);
  const isIn = sql`position(decode(${part}, 'hex') in decode(substr(${value}, 3), 'hex')) > 0`;
  return suffix === "contains" ? isIn : sql`not (${isIn})`;
}

/** For lists: all values are in it, or none. */
function listSql(field: ScalarField, value: SQL, { suffix, values }: FieldFilter): SQL {
  const type = field.type === "BigInt" ? "numeric" : "text";
  const given = sql`${sql.param(values.map(String))}::${sql.raw(type)}[]`;
  const isNocase = suffix.endsWith("_nocase") && type === "text";
  const [own, list] = isNocase ? [lowerCase(value), lowerCase(given)] : [value, given];
  if (suffix === "") return sql`${own} = ${list}`;
  if (suffix === "not") return sql`${own} <> ${list}`;
  return suffix.startsWith("not_") ? sql`not ${own} && ${list}` : sql`${own} @> ${list}`;
}

const lowerCase = (list: SQL): SQL => sql`lower((${list})::text collate "default")::text[]`;
