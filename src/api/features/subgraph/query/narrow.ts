import type { Entity, Relation, ScalarField } from "../table/entity.ts";
import { idOf } from "../table/entity.ts";
import type { Filter } from "./filter.ts";
import type { ListArguments } from "./listArguments.ts";
import { isBeginning } from "./textFilters.ts";

/*
 * Which lists have one plan that is right for every value: those that an index leads to by a value that few rows have, and those
 * that are a part of an index's order. Their values are hidden from PostgreSQL. It plans others for their values, because what is best for
 * a holder of three names is slow for one that has a hundred thousand.
 */

/** Texts that many rows have. */
export type CommonValues = ReadonlySet<string>;

/** A list and its type. */
export type Asked = Pick<ListArguments, "filter" | "order"> & { entity: Entity };

/** Whether a list is a part of the index that has its order, and no other index leads to it: names that begin with a text. */
export const isPartOfOrder = ({ filter, order, entity }: Asked): boolean =>
  order?.kind === "own" && hasBeginning(filter, order.field) && !isNarrow(filter, entity, new Set());

function hasBeginning(filter: Filter, field: ScalarField | Relation): boolean {
  if (filter.kind === "and") return filter.of.some((one) => hasBeginning(one, field));
  if (filter.kind !== "field" || filter.field !== field || field.kind !== "scalar") return false;
  const [text] = filter.values;
  return field.stored !== undefined && isBeginning({ suffix: filter.suffix, text: String(text) });
}

/** Whether a filter leads to few entities by an index, whatever its values are. */
export function isNarrow(filter: Filter, entity: Entity, common: CommonValues): boolean {
  switch (filter.kind) {
    case "and":
      return filter.of.some((one) => isNarrow(one, entity, common));
    case "or":
      return filter.of.length > 0 && filter.of.every((one) => isNarrow(one, entity, common));
    case "child":
      return isNarrow(filter.of, filter.entity, common);
    case "field":
      return isNarrowField(filter.field, entity) && isValue(filter) && !isCommon(filter, entity, common);
    case "changed":
    case "existed":
      return false;
  }
}

const isNarrowField = (field: ScalarField | Relation, entity: Entity): boolean =>
  field === idOf(entity) || field.isNarrow === true;

type FieldFilter = Extract<Filter, { kind: "field" }>;

const isValue = ({ suffix, values }: FieldFilter): boolean =>
  (suffix === "" || suffix === "in") && values.length > 0 && !values.includes(null);

const isCommon = ({ field, values }: FieldFilter, entity: Entity, common: CommonValues): boolean =>
  !(field === idOf(entity)) && values.some((value) => common.has(String(value)));
