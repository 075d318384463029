import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import {
  columnOf,
  type Entity,
  type Env,
  idOf,
  leadsToSameRow,
  type Relation,
  type Row,
  soughtValue,
} from "../table/entity.ts";
import { columnsOf, type Key } from "./columns.ts";
import { createNames, filterSql, linked, type Names, relationIs } from "./filterSql.ts";
import type { ListArguments, Order } from "./listArguments.ts";
import type { EntityPlan } from "./plan.ts";
import type { BlockRange } from "./textOrder.ts";

type Of = { row: Row; entity: Entity; env: Env; names: Names };

/** A list of entities. Events of some blocks, where given, in the order of the blocks. */
export function listStatement(plan: EntityPlan, list: ListArguments, env: Env, blocks?: BlockRange): SQL {
  const names = createNames();
  return pageSql(plan, list, { row: names.next(), entity: plan.entity, env, names }, { blocks, more: [] });
}

type PageParts = { more: readonly SQL[]; blocks?: BlockRange | undefined };

function pageSql(
  plan: EntityPlan,
  { filter, first, skip, ...order }: ListArguments,
  of: Of,
  { more, blocks }: PageParts,
): SQL {
  const { row, entity, env } = of;
  const conditions = [entity.where(row, env), ...more, filterSql(filter, of)];
  if (blocks !== undefined)
    conditions.push(sql`${columnOf(row, "block_number")} between ${blocks.from}::int and ${blocks.to}::int`);
  const terms = orderSql(order, of, blocks === undefined ? [] : [columnOf(row, "block_number")]);
  return sql`select ${columnsOf(plan, row, env)}, row_number() over (order by ${terms}) as place
    from ${entity.from(row, env)} where ${sql.join(conditions, sql` and `)}
    order by ${terms} limit ${sql.raw(String(first))} ${skip === 0 ? sql`` : sql`offset ${skip}`}`;
}

/** Nulls come last ascending and first descending, as PostgreSQL has them; equal ones are by id in the same direction. */
function orderSql(
  { order, direction }: Pick<ListArguments, "order" | "direction">,
  of: Of,
  before: readonly SQL[],
): SQL {
  const id = idOf(of.entity);
  const byId = id.isHex ? id.value(of.row, of.env) : sql`${id.value(of.row, of.env)} collate "C"`;
  const isById = order === null || (order.kind === "own" && order.field === id);
  const values = [...before, ...(isById ? [] : [orderValue(order, of)]), byId];
  return sql.join(
    values.map((value) => sql`${value} ${sql.raw(direction)}`),
    sql`, `,
  );
}

function orderValue(order: Order, of: Of): SQL {
  if (order.kind === "own") return ordered(order.field, of);
  const { entity, field } = order;
  if (leadsToSameRow(of.entity, field, entity))
    return sql`case when ${entity.where(of.row, of.env)} then ${ordered(order.of, { ...of, entity })} end`;
  if (field.kind === "relation" && entity.rowOf !== undefined) {
    const key = field.key(of.row, of.env);
    const value = ordered(order.of, { ...of, row: entity.rowOf(key), entity });
    return sql`case when ${key[0]} is not null then ${value} end`;
  }
  const row = of.names.next();
  return sql`(select ${ordered(order.of, { ...of, row, entity })} from ${entity.from(row, of.env)}
    where ${entity.where(row, of.env)} and ${linked(field, { parent: of, child: { row, entity } })} limit 1)`;
}

function ordered(field: Extract<Order, { kind: "own" }>["field"], { row, env }: Of): SQL {
  if (field.kind === "relation") return sql`${field.id(row, env)} collate "C"`;
  const value = field.order?.(row) ?? field.value(row, env);
  const isText = !field.isList && ["ID", "String", "Bytes"].includes(field.type) && !field.isHex;
  return isText ? sql`${value} collate "C"` : value;
}

/** One entity by its key. */
export function oneStatement(plan: EntityPlan, key: Key, env: Env): SQL {
  const { rowOf, isThere } = plan.entity;
  if (rowOf === undefined || isThere === undefined) return keysStatement(plan, [key], env);
  const values = key.map((value, part) => sql`${value}::${sql.raw(plan.entity.key.types[part] ?? "text")}`);
  return sql`select ${columnsOf(plan, rowOf(values), env)} where ${isThere(values, env)}`;
}

/** The entities of some keys, each with the position of its key. */
export function keysStatement(plan: EntityPlan, keys: readonly Key[], env: Env): SQL {
  const { entity } = plan;
  const wanted = entity.key.types.map((_, part) => sql`wanted.${sql.identifier(`c${part}`)}`);
  if (entity.rowOf !== undefined)
    return sql`select wanted.n, ${columnsOf(plan, entity.rowOf(wanted), env)} from ${wantedKeys(entity, keys, env)}`;
  const row = createNames().next();
  const isSame = entity.key.columns(row).map((column, part) => sql`${column} = ${wanted[part]}`);
  return sql`select wanted.n, found.* from ${wantedKeys(entity, keys, env)} cross join lateral (
      select ${columnsOf(plan, row, env)} from ${entity.from(row, env)}
      where ${entity.where(row, env)} and ${sql.join(isSame, sql` and `)}) as found`;
}

/** One key is no list: how long a list is PostgreSQL cannot know, and plans each use by itself. */
const wantedKeys = ({ key }: Entity, keys: readonly Key[], env: Env): SQL => {
  const columns = key.types.map((type, part) => ({
    type: sql.raw(type),
    name: sql.identifier(`c${part}`),
    part,
  }));
  const [only, ...others] = keys;
  if (only !== undefined && others.length === 0) {
    const values = columns.map(
      ({ type, name, part }) => sql`${soughtValue(sql`${only[part]}::${type}`, env)} as ${name}`,
    );
    return sql`(select ${sql.join(values, sql`, `)}, 1 as n) as wanted`;
  }
  const lists = columns.map(({ type, part }) => sql`${sql.param(keys.map((one) => one[part]))}::${type}[]`);
  const names = columns.map(({ name }) => name);
  return sql`unnest(${sql.join(lists, sql`, `)}) with ordinality as wanted (${sql.join(names, sql`, `)}, n)`;
};

/** Of each of some entities, given by their keys, a list of those that lead to it. */
export function belowStatement(
  plan: EntityPlan,
  {
    list,
    via,
    parent,
    keys,
    isNone,
  }: {
    list: ListArguments;
    via: Relation;
    parent: Entity;
    keys: readonly Key[];
    isNone: boolean;
  },
  env: Env,
): SQL {
  const names = createNames();
  const of: Of = { row: names.next(), entity: plan.entity, env, names };
  const values = parent.key.types.map((_, part) => sql`wanted.${sql.identifier(`c${part}`)}`);
  const page = pageSql(plan, list, of, { more: [relationIs(via, of, { values, isNone })] });
  return sql`select wanted.n, found.* from ${wantedKeys(parent, keys, env)} cross join lateral (${page}) as found
    order by wanted.n, found.place`;
}
