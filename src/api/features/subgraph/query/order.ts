import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import {
  type Derived,
  type Entity,
  type Env,
  idOf,
  leadsToSameRow,
  type OrderOfTarget,
  type Relation,
  type Row,
  type ScalarField,
} from "../table/entity.ts";
import type { Filter } from "./filter.ts";
import { linked, type Names } from "./filterSql.ts";
import type { ListArguments, Order } from "./listArguments.ts";

/* The order of a list. Nulls come last ascending and first descending, as PostgreSQL has them; equal ones are by id. */

/** A row of a statement. */
export type Of = { row: Row; entity: Entity; env: Env; names: Names };

/** For a list that is read in the order of an index of all entities. */
export const whole = (env: Env): Env => ({ ...env, reading: "whole" });

/** The terms that sort a list, all in its direction. */
export function orderTerms({ order, filter }: Pick<ListArguments, "order" | "filter">, of: Of): SQL[] {
  const byId = idTerm(of);
  return isById(order, of.entity) ? [byId] : [...orderValues(order as Order, filter, of), byId];
}

const isById = (order: Order | null, entity: Entity): boolean =>
  order === null || (order.kind === "own" && order.field === idOf(entity));

function idTerm({ entity, row, env }: Of): SQL {
  const id = idOf(entity);
  const value = id.value(row, env);
  if (env.reading === "found") return sql`(${value} || '')${id.isHex ? sql`` : sql` collate "C"`}`;
  return id.isHex ? value : sql`${value} collate "C"`;
}

/** The order of a list in an index by the targets of a relation; undefined where there is none, or it has not all of them. */
export function orderInIndex(
  { order }: Pick<ListArguments, "order">,
  { via, entity, ids }: { via: Relation; entity: Entity; ids: readonly string[] },
): OrderOfTarget | undefined {
  if (order?.kind !== "own") return undefined;
  const found = Object.entries(via.orders ?? {}).find(([name]) => entity.fields[name] === order.field)?.[1];
  return found && ids.every(found.isOf) ? found : undefined;
}

/** Whether an index of all names has the order of a list. */
export function isOrderOfIndex({ order }: Pick<ListArguments, "order">, entity: Entity, env: Env): boolean {
  if (entity.isRowOfDomains !== true) return false;
  if (order === null || isById(order, entity)) return true;
  const field = order.kind === "own" ? order.field : undefined;
  return field?.kind === "scalar" && field.orderOfAll?.("e", env) !== undefined;
}

function orderValues(order: Order, filter: Filter, of: Of): readonly SQL[] {
  if (order.kind === "own") return fieldTerms(order.field, of);
  const { entity, field } = order;
  if (leadsToSameRow(of.entity, field, entity)) {
    const child = { ...of, entity };
    if (field.isRequired || hasTarget(filter, field)) return fieldTerms(order.of, child);
    return [sql`case when ${entity.where(of.row, of.env)} then ${fieldValue(order.of, child)} end`];
  }
  if (field.kind === "relation" && entity.rowOf !== undefined) {
    const key = field.key(of.row, of.env);
    const value = fieldValue(order.of, { ...of, row: entity.rowOf(key), entity });
    return [sql`case when ${key[0]} is not null then ${value} end`];
  }
  const row = of.names.next();
  return [
    sql`(select ${fieldValue(order.of, { ...of, row, entity })} from ${entity.from(row, of.env)}
    where ${entity.where(row, of.env)} and ${linked(field, { parent: of, child: { row, entity } })} limit 1)`,
  ];
}

/** Whether a filter leaves only entities that have a target of a field. */
function hasTarget(filter: Filter, field: Relation | Derived): boolean {
  if (filter.kind === "and") return filter.of.some((one) => hasTarget(one, field));
  return filter.kind === "child" && filter.field === field;
}

/**
 * The terms of a field. An index of all entities has the order of whole lists. In others it must not look like one: PostgreSQL
 * would read it to its end for the few names of an owner that are all there.
 */
export function fieldTerms(field: ScalarField | Relation, of: Of): readonly SQL[] {
  const ofAll = field.kind === "scalar" ? field.orderOfAll?.(of.row, of.env) : undefined;
  if (ofAll !== undefined && of.env.reading === "whole") return ofAll;
  const value = fieldValue(field, of);
  const isNumber = field.kind === "scalar" && (field.type === "BigInt" || field.type === "Int");
  return [ofAll !== undefined && isNumber ? sql`(${value} + 0)` : value];
}

function fieldValue(field: ScalarField | Relation, { row, env }: Of): SQL {
  if (field.kind === "relation") return sql`${field.id(row, env)} collate "C"`;
  const value = field.order?.(row) ?? field.value(row, env);
  const isText = !field.isList && ["ID", "String", "Bytes"].includes(field.type) && !field.isHex;
  return isText ? sql`${value} collate "C"` : value;
}
