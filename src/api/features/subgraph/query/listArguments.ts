import { FIRST, MAX_SKIP } from "../bounds.ts";
import { QueryError } from "../queryError.ts";
import { entityOf } from "../table/entities.ts";
import type { Derived, Entity, Relation, ScalarField } from "../table/entity.ts";
import { type Filter, type FilterCount, readFilter } from "./filter.ts";
import { readNumber, type Value } from "./values.ts";

/** What a list is ordered by: a field, or a field of the entity that one leads to. */
export type Order =
  | { kind: "own"; field: ScalarField | Relation }
  | { kind: "child"; field: Relation | Derived; entity: Entity; of: ScalarField | Relation };

/** Which entities a list has. Without an order it is by id, ascending, whatever the direction. */
export type ListArguments = {
  first: number;
  skip: number;
  order: Order | null;
  direction: "asc" | "desc";
  filter: Filter;
};

export type Given = Readonly<Record<string, Value>>;

/** @throws QueryError */
export function readListArguments(entity: Entity, given: Given, count: FilterCount): ListArguments {
  const order = readOrder(entity, given.orderBy);
  return {
    first: readNumber("first", given.first, { byDefault: FIRST.byDefault, least: 1, most: FIRST.most }),
    skip: readNumber("skip", given.skip, {
      byDefault: 0,
      least: 0,
      most: MAX_SKIP,
      beyond: ": to continue, request the entities after the last one, `where: { id_gt: … }`, without `skip`",
    }),
    order,
    direction: readDirection(given.orderDirection, order),
    filter: readFilter(entity, given.where, count),
  };
}

function readDirection(value: Value | undefined, order: Order | null): "asc" | "desc" {
  if (value === undefined || value === null) return "asc";
  if (value !== "asc" && value !== "desc")
    throw new QueryError(`Invalid value provided for argument \`orderDirection\`: ${JSON.stringify(value)}`);
  return order === null ? "asc" : value;
}

function readOrder(entity: Entity, value: Value | undefined): Order | null {
  if (value === undefined || value === null) return null;
  const order = orderOf(entity, String(value));
  if (order === null)
    throw new QueryError(`Invalid value provided for argument \`orderBy\`: ${JSON.stringify(value)}`);
  return order;
}

/** The order for a name in a type's enumeration; null if unknown. */
function orderOf(entity: Entity, name: string): Order | null {
  const own = fieldAt(entity, name);
  if (own !== undefined) return own.kind === "derived" ? null : { kind: "own", field: own };
  const [parent = "", child = "", ...more] = name.split("__");
  const field = fieldAt(entity, parent);
  if (field === undefined || field.kind === "scalar" || more.length > 0) return null;
  if (field.kind === "derived" && field.isList) return null;
  const target = entityOf(field.type);
  const of = fieldAt(target, child);
  return of?.kind === "scalar" ? { kind: "child", field, entity: target, of } : null;
}

const fieldAt = (entity: Entity, name: string) =>
  Object.hasOwn(entity.fields, name) ? entity.fields[name] : undefined;

/** The names of the orders of a type. */
export const orderNamesOf = (entity: Entity): string[] =>
  Object.entries(entity.fields).flatMap(([name, field]) => {
    if (field.kind === "scalar") return [name];
    const isOne = field.kind === "relation" || !field.isList;
    const below = isOne
      ? Object.entries(entityOf(field.type).fields).flatMap(([child, one]) =>
          one.kind === "scalar" ? [`${name}__${child}`] : [],
        )
      : [];
    return field.kind === "relation" ? [name, ...below] : below;
  });
