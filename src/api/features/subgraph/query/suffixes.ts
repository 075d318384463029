import type { Entity, Field, Scalar } from "../table/entity.ts";

/* Which filters each kind of field has. Source: graphprotocol/graph-node, graph/src/schema/api.rs. */

const equality = ["", "not", "in", "not_in"] as const;
const ordered = ["", "not", "gt", "lt", "gte", "lte", "in", "not_in"] as const;
const patterns = ["contains", "starts_with", "ends_with"] as const;

const textual: readonly string[] = [
  ...ordered,
  ...patterns.flatMap((one) => [one, `${one}_nocase`, `not_${one}`, `not_${one}_nocase`]),
];

const ofScalar: Record<Scalar, readonly string[]> = {
  Boolean: equality,
  ID: ordered,
  BigInt: ordered,
  Int: ordered,
  Bytes: [...ordered, "contains", "not_contains"],
  String: textual,
};

const ofList: readonly string[] = [
  "",
  "not",
  "contains",
  "contains_nocase",
  "not_contains",
  "not_contains_nocase",
];

/** A filter of a field; `child` filters the entities that a relation leads to. */
export type FilterName = { name: string; fieldName: string; field: Field } & (
  | { suffix: string; isChild: false }
  | { isChild: true }
);

function suffixesOf(field: Field): readonly string[] {
  if (field.kind === "derived") return [];
  if (field.kind === "relation") return textual;
  return field.isList ? ofList : ofScalar[field.type];
}

const filtersOfField = (fieldName: string, field: Field): FilterName[] => [
  ...suffixesOf(field).map((suffix) => ({
    name: suffix === "" ? fieldName : `${fieldName}_${suffix}`,
    fieldName,
    field,
    suffix,
    isChild: false as const,
  })),
  ...(field.kind === "scalar" ? [] : [{ name: `${fieldName}_`, fieldName, field, isChild: true as const }]),
];

const made = new Map<Entity, ReadonlyMap<string, FilterName>>();

/** The filters of a type by their names. */
export function filtersOf(entity: Entity): ReadonlyMap<string, FilterName> {
  const known = made.get(entity);
  if (known !== undefined) return known;
  const all = Object.entries(entity.fields).flatMap(([name, field]) => filtersOfField(name, field));
  const filters = new Map(all.map((one) => [one.name, one]));
  made.set(entity, filters);
  return filters;
}
