import type { Context } from "ponder:registry";
import { domain, nameLink } from "ponder:schema";
import type { Hex } from "viem";
import { defineWork, type WorkList } from "./blockQueue.ts";
import { findLabel, namingAt } from "./naming.ts";

/*
 * A label can stand in any number of names, and one log is enough to make it known. Then all names with it are written again,
 * and all below each of them. New domains are put before the head of a list, and are named by what is known then, so no list
 * that waits grows. Each domain is named by the name that its parent has then, and its children follow if its own name
 * changed: so at the end each name is right, in whatever order labels became known.
 */

type Row = typeof domain.$inferSelect & { labelhash: Hex };

const linkOf = (context: Context, node: Hex) =>
  context.db.find(nameLink, { chainId: context.chain.id, node });

/** Whose turn the lists of all labels are that others than the chain's logs gave. No node and no registry has this number. */
export const OF_GIVEN_LABELS: Hex = `0x${"0".repeat(63)}1`;

/** Lists that follow from a list. */
const inItsTurn = ({ owner }: WorkList, lists: WorkList[]): WorkList[] =>
  owner === OF_GIVEN_LABELS ? lists.map((list) => ({ ...list, owner })) : lists;

defineWork("same_label", {
  next: async (context, _list, node) => (await linkOf(context, node))?.nextSameLabel ?? null,
  visit: async (context, _log, list, node) =>
    inItsTurn(list, await nameInList(context, node, (row) => findLabel(context, row.labelhash))),
});

defineWork("children", {
  next: async (context, _list, node) => (await linkOf(context, node))?.nextSibling ?? null,
  // A domain whose label was learnt is in the list of that label, so here its own row has the label.
  visit: async (context, _log, list, node) =>
    inItsTurn(list, await nameInList(context, node, (row) => (row.isLabelKnown ? row.label : null))),
});

/** The domains that show a label by its hash, from one on. */
const sameLabelFrom = (labelhash: Hex, first: Hex | null): WorkList => ({
  kind: "same_label",
  owner: labelhash,
  node: labelhash,
  depth: 0,
  first,
});

/** Names a domain again. Gives its children if they have to follow. Writes: domains. */
async function nameInList(context: Context, node: Hex, labelOf: LabelOf): Promise<WorkList[]> {
  const isChanged = await nameOne(context, { chainId: context.chain.id, node }, labelOf);
  return isChanged ? childrenOf(context, node) : [];
}

/** Children that are named again when their parent is, or that a domain had before its own parent was told. */
export async function childrenOf(context: Context, node: Hex): Promise<WorkList[]> {
  const first = (await linkOf(context, node))?.firstChild;
  return first ? [{ kind: "children", owner: node, node, depth: 0, first }] : [];
}

type LabelOf = (row: Row) => Promise<string | null> | string | null;

/** Names the newest of the domains that show a label by its hash. Gives the lists that follow. Writes: domains. */
export async function nameNewest(context: Context, labelhash: Hex, node: Hex): Promise<WorkList[]> {
  const rest = sameLabelFrom(labelhash, (await linkOf(context, node))?.nextSameLabel ?? null);
  const below = await nameInList(context, node, () => findLabel(context, labelhash));
  return rest.first === null ? below : [...below, rest];
}

/**
 * Names a domain from its label (null if unknown) and its parent's present name. True if its children must be renamed
 * too. Writes: domains.
 */
export async function nameOne(
  context: Context,
  { chainId, node }: { chainId: number; node: Hex },
  labelOf: LabelOf,
): Promise<boolean> {
  const row = await context.db.find(domain, { chainId, node });
  if (row === null || row.parentNode === null || row.labelhash === null) return false;
  const { parentNode, labelhash } = row;
  const known = await labelOf(row as Row);
  const naming = await namingAt(context, { chainId, node, parentNode, labelhash }, known);
  const isChanged = naming.fullName !== row.fullName || naming.isNameKnown !== row.isNameKnown;
  if (isChanged || naming.label !== row.label) await context.db.update(domain, { chainId, node }).set(naming);
  return isChanged;
}
