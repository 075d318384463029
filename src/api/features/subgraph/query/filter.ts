import {
  MAX_CONDITIONS,
  MAX_FILTER_LEVELS,
  MAX_FILTER_TEXT,
  MAX_PART,
  MAX_RELATIONS,
  MAX_RELATIONS_IN_ALL,
} from "../bounds.ts";
import { QueryError } from "../queryError.ts";
import { entityOf } from "../table/entities.ts";
import type { Derived, Entity, Relation, Scalar, ScalarField } from "../table/entity.ts";
import { type FilterName, filtersOf } from "./suffixes.ts";
import { patternOf } from "./textFilters.ts";
import { isObject, readValue, readValues, type Value } from "./values.ts";

type Plain = string | number | boolean | null;

/** What a list is filtered by, checked. */
export type Filter =
  | { kind: "and" | "or"; of: readonly Filter[] }
  | { kind: "field"; field: ScalarField | Relation; suffix: string; values: readonly Plain[] }
  | { kind: "child"; field: Relation | Derived; entity: Entity; of: Filter }
  | { kind: "changed"; block: string }
  /** No filter of a caller: entities that were there at a past block. */
  | { kind: "existed"; block: number };

/** What all entities of a filter meet, each by itself. */
export const partsOf = (filter: Filter): readonly Filter[] =>
  filter.kind === "and" ? filter.of.flatMap(partsOf) : [filter];

const comparisons: readonly string[] = ["gt", "gte", "lt", "lte"];

/** Whether a filter is a bound of a field: an index of the field begins or ends there. */
export const isBoundOf = (filter: Filter, field: ScalarField | Relation): boolean =>
  filter.kind === "field" && filter.field === field && comparisons.includes(filter.suffix);

/** How much of a filter's bounds is used up: of one query, and at one place. */
export type FilterCount = { conditions: number; characters: number; relations: number };
type Place = { entity: Entity; levels: number; relations: number; count: FilterCount };

const all: Filter = { kind: "and", of: [] };

/** Reads `where`. @throws QueryError */
export function readFilter(entity: Entity, value: Value | undefined, count: FilterCount): Filter {
  if (value === undefined || value === null) return all;
  return readObject(value, { entity, levels: 0, relations: 0, count });
}

function readObject(value: Value, place: Place): Filter {
  if (!isObject(value)) throw new QueryError("Filter must be an object");
  if (place.levels > MAX_FILTER_LEVELS)
    throw new QueryError(`A filter has at most ${MAX_FILTER_LEVELS} levels of \`and\`, \`or\` and relations`);
  const entries = Object.entries(value);
  if ("or" in value && entries.length > 1)
    throw new QueryError(
      "`or` cannot stand beside other filters: repeat them in each of its filters, or put both into the list of `and`",
    );
  return { kind: "and", of: entries.map(([name, one]) => readEntry(name, one, place)) };
}

function readEntry(name: string, value: Value, place: Place): Filter {
  countConditions(place.count, 1);
  if (name === "and" || name === "or") return readLists(name, value, place);
  if (name === "_change_block") return readChanged(value);
  const filter = filtersOf(place.entity).get(name);
  if (filter === undefined)
    throw new QueryError(`The type \`${place.entity.name}\` has no filter \`${name}\``);
  return filter.isChild ? readChild(filter, value, place) : readField(filter, value, place.count);
}

function countConditions(count: FilterCount, more: number): void {
  count.conditions += more;
  if (count.conditions > MAX_CONDITIONS)
    throw new QueryError(`The filters of a query have at most ${MAX_CONDITIONS} conditions and values`);
}

function countValues(count: FilterCount, values: readonly Plain[]): void {
  countConditions(count, values.length);
  for (const value of values) count.characters += String(value).length;
  if (count.characters > MAX_FILTER_TEXT)
    throw new QueryError(`The values of the filters of a query have at most ${MAX_FILTER_TEXT} characters`);
}

function readLists(kind: "and" | "or", value: Value, place: Place): Filter {
  if (value === null) return all;
  const list = (Array.isArray(value) ? value : [value]) as readonly Value[];
  countConditions(place.count, list.length);
  return { kind, of: list.map((one) => readObject(one, { ...place, levels: place.levels + 1 })) };
}

function readChanged(value: Value): Filter {
  if (value === null) return all;
  const block = isObject(value) ? readValue("Int", value.number_gte ?? null) : null;
  if (block === null) throw new QueryError("`_change_block` requires `number_gte`, a block number");
  return { kind: "changed", block: String(block) };
}

function readChild({ field, name }: FilterName, value: Value, place: Place): Filter {
  if (field.kind === "scalar") throw new Error(`Invariant(subgraph): ${name} is no relation`);
  if (value === null) return all;
  if (place.relations >= MAX_RELATIONS)
    throw new QueryError(`A filter spans at most ${MAX_RELATIONS} relations; \`${name}\` is one more`);
  place.count.relations++;
  if (place.count.relations > MAX_RELATIONS_IN_ALL)
    throw new QueryError(`The filters of a query span at most ${MAX_RELATIONS_IN_ALL} relations in total`);
  const entity = entityOf(field.type);
  const inside = { ...place, entity, levels: place.levels + 1, relations: place.relations + 1 };
  return { kind: "child", field, entity, of: readObject(value, inside) };
}

const typeOf = (field: ScalarField | Relation): Scalar => (field.kind === "relation" ? "String" : field.type);

/** Suffixes that take null: a value is there or is not. */
const withNull = ["", "not", "in", "not_in"];

function readField(filter: FilterName & { isChild: false }, value: Value, count: FilterCount): Filter {
  const { field, suffix } = filter;
  if (field.kind === "derived") throw new Error(`Invariant(subgraph): ${filter.name} is derived`);
  const isList = suffix === "in" || suffix === "not_in" || (field.kind === "scalar" && field.isList === true);
  if (value === null && (isList ? suffix === "" || suffix === "not" : withNull.includes(suffix)))
    return { kind: "field", field, suffix: suffix === "" ? "null" : "not_null", values: [] };
  if (value === null) throw new QueryError(`unsupported filter \`${filter.name}\` for value \`null\``);
  const values = isList ? readValues(typeOf(field), value) : [readValue(typeOf(field), value)];
  countValues(count, values);
  if (!isList && patternOf({ suffix, text: "" }) !== undefined && String(values[0]).length > MAX_PART)
    throw new QueryError(`The value of \`${filter.name}\` has at most ${MAX_PART} characters`);
  return { kind: "field", field, suffix, values };
}
