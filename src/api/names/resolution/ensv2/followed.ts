import type { Ctx } from "../../../server/http/context.ts";
import { isLinkedAt } from "../../query/ensv2.ts";
import type { ParsedName } from "../../schemas/input.ts";
import type { IndexedName } from "../indexedName.ts";
import { readMainRows } from "../indexedRows.ts";
import { readIndexed } from "../nameFacts.ts";
import type { Walk } from "./walk.ts";

/**
 * An ENSv2 registry can be linked at more names than the index follows, a newly linked one waits for its turn, and the logs of an
 * unknown implementation mean nothing. The walk still finds the current state of such a name. The tables may lack its history and
 * its subnames, in which case answers say so.
 */

/** The field of an answer whose list may be incomplete; absent if it is complete. */
type Incomplete = { is_incomplete?: true };

/** Reports whether a name's history may be incomplete: its row does not belong to the entry that controls it. */
export const historyGap = async (ctx: Ctx, name: ParsedName): Promise<Incomplete> =>
  historyGapOf(ctx, name, await find(ctx, name));

/** The same for a name that was already read. */
export const historyGapOf = (
  ctx: Ctx,
  { node }: ParsedName,
  found: IndexedName | undefined,
): Promise<Incomplete> =>
  gap(found, async ({ entry }) => {
    if (entry === null || !entry.isRegistered) return false;
    return (await readMainRows(ctx, [node])).get(node)?.registry !== entry.registry;
  });

/** Reports whether the list of a name's direct subnames may be incomplete: its registry is not linked there in the tables. */
export const childrenGap = async (ctx: Ctx, name: ParsedName): Promise<Incomplete> =>
  gap(await find(ctx, name), async ({ entry }) => {
    const { subregistry: registry = null, isRegistered } = entry ?? {};
    if (registry === null || !isRegistered) return false;
    return !(await isLinkedAt(ctx.db, { chainId: ctx.contracts.chainId, node: name.node, registry }));
  });

async function find(ctx: Ctx, name: ParsedName): Promise<IndexedName | undefined> {
  if (ctx.contracts.ensv2 === undefined) return undefined;
  return (await readIndexed(ctx, [name])).get(name.node);
}

async function gap(
  found: IndexedName | undefined,
  isMissing: (walk: Walk) => Promise<boolean>,
): Promise<Incomplete> {
  const ensv2 = found?.state.ensv2;
  if (ensv2?.protocol !== "ensv2") return {};
  return !ensv2.walk.isKnown || (await isMissing(ensv2.walk)) ? { is_incomplete: true } : {};
}
