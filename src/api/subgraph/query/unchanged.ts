import { entityOf } from "../table/entities.ts";
import type { Filter } from "./filter.ts";
import type { EntityPlan, Selection } from "./plan.ts";
import { listOfOne, type Reader, readList } from "./read.ts";

/** A field that follows from the logs of the entity itself. Counts and other entities change without these. */
const isOwn = (one: Selection): boolean => {
  if (one.kind === "typename") return true;
  if (one.kind === "scalar") return one.field.count === undefined;
  return one.kind === "relation" && entityOf(one.field.type).isBare === true && one.of.types.every(isPlain);
};

const isPlain = ({ selections }: EntityPlan["types"][number]): boolean =>
  selections.every(({ kind }) => kind === "typename" || kind === "scalar");

/** Types of which an entity can be gone: whether there was one is not known. */
const removable = ["WrappedDomain"];

/** Whether an entity, in what a plan reads of it, is what it was at an earlier block. */
export async function isUnchangedSince(
  reader: Reader,
  { plan, id, block }: { plan: EntityPlan; id: string | null; block: number },
): Promise<boolean> {
  if (id === null) return true;
  if (!plan.types.every(({ selections }) => selections.every(isOwn))) return false;
  const idAlone: EntityPlan = { ...plan, types: plan.types.map(({ type }) => ({ type, selections: [] })) };
  const list = listOfOne(plan.entity, id);
  const changed: Filter = { kind: "changed", block: String(block + 1) };
  const [now, since] = await Promise.all([
    readList(reader, idAlone, list),
    readList(reader, idAlone, { ...list, filter: { kind: "and", of: [list.filter, changed] } }),
  ]);
  return since.length === 0 && (now.length > 0 || !removable.includes(plan.entity.name));
}
