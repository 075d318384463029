import { type Entity, idOf, type Relation, type ScalarField } from "../table/entity.ts";
import type { Filter } from "./filter.ts";

/*
 * Which lists have one plan that is right for every value: those that an index leads to by a value that few rows have. Their
 * values are hidden from PostgreSQL. It plans others for their values, because what is best for a holder of three names is slow
 * for one that has a hundred thousand.
 */

/** Whether a filter leads to few entities by an index. `common`: texts that many rows have. */
export function isNarrow(filter: Filter, entity: Entity, common: ReadonlySet<string>): boolean {
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

const isCommon = ({ field, values }: FieldFilter, entity: Entity, common: ReadonlySet<string>): boolean =>
  !(field === idOf(entity)) && values.some((value) => common.has(String(value)));
