import type { Entity, ScalarField } from "../table/entity.ts";
import type { Filter } from "./filter.ts";
import type { ListArguments } from "./listArguments.ts";
import { isBeginning } from "./textFilters.ts";

/**
 * A list of names that begin with a text, in the order of their labels: by what the labels begin with, which is a part of the
 * index that has the order. The same names: a text without a dot is of the first label, and a name that is written by its node,
 * or whose label is unknown, begins with a bracket.
 */
export function byFirstLabels(list: ListArguments, entity: Entity): ListArguments {
  const { order } = list;
  return order?.kind === "own" ? { ...list, filter: filterByLabels(list.filter, order.field, entity) } : list;
}

function filterByLabels(filter: Filter, order: unknown, entity: Entity): Filter {
  if (filter.kind === "and")
    return { ...filter, of: filter.of.map((one) => filterByLabels(one, order, entity)) };
  if (filter.kind !== "field" || filter.field.kind !== "scalar") return filter;
  const { field, suffix, values } = filter;
  const label = entity.fields[field.stored?.firstLabel ?? ""] as ScalarField | undefined;
  const text = String(values[0]);
  const isOfLabel = isBeginning({ suffix, text }) && !text.includes(".") && !text.startsWith(BRACKET);
  if (label === undefined || label !== order || !isOfLabel) return filter;
  return {
    kind: "and",
    of: [
      { kind: "field", field: label, suffix, values: [text] },
      { kind: "field", field, suffix: "not_starts_with", values: [BRACKET] },
    ],
  };
}

/** With which an unknown label is written, and a name by its node. */
const BRACKET = "[";
