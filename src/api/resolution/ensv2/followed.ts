import type { Ctx } from "../../http/context.ts";
import { isLinkedAt } from "../../query/ensv2.ts";
import type { ParsedName } from "../../schemas/input.ts";
import { readFound } from "../known.ts";
import { readMainRows } from "../rows.ts";
import type { Walk } from "./walk.ts";

/*
 * A registry of ENSv2 can be linked at more names than the index follows, one that was linked just now waits for its turn, and
 * the logs of unknown code say nothing. The walk still finds what such a name is now. What happened to it, and what is
 * below it, the tables may not have: answers then say so.
 */

/** The field of an answer whose list may lack something; no field where it has all. */
type Incomplete = { is_incomplete?: true };

/** Whether the history of a name may lack something: its row is not that of the entry that answers for it. */
export const historyGap = (ctx: Ctx, name: ParsedName): Promise<Incomplete> =>
  gap(ctx, name, async ({ entry }) => {
    if (entry === null || !entry.isRegistered) return false;
    return (await readMainRows(ctx, [name.node])).get(name.node)?.registry !== entry.registry;
  });

/** Whether the list of the names right below a name may lack some: its registry is not linked there in the tables. */
export const childrenGap = (ctx: Ctx, name: ParsedName): Promise<Incomplete> =>
  gap(ctx, name, async ({ entry }) => {
    const { subregistry: registry = null, isRegistered } = entry ?? {};
    if (registry === null || !isRegistered) return false;
    return !(await isLinkedAt(ctx.db, { chainId: ctx.contracts.chainId, node: name.node, registry }));
  });

async function gap(
  ctx: Ctx,
  name: ParsedName,
  isMissing: (walk: Walk) => Promise<boolean>,
): Promise<Incomplete> {
  if (ctx.contracts.ensv2 === undefined) return {};
  const ensv2 = (await readFound(ctx, [name])).get(name.node)?.state.ensv2;
  if (ensv2?.protocol !== "ensv2") return {};
  return !ensv2.walk.isKnown || (await isMissing(ensv2.walk)) ? { is_incomplete: true } : {};
}
