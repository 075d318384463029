import type { Context } from "ponder:registry";
import { domain, label, nameLink } from "ponder:schema";
import type { Hex } from "viem";
import {
  ADDR_REVERSE_NODE,
  childNode,
  codePoints,
  ETH_NODE,
  isPrintable,
  joinName,
  ROOT_NODE,
  unknownLabel,
} from "../../ens/name.ts";
import { wellKnownLabels } from "../../ens/wellKnownLabels.ts";

/** The columns of `domains` for a name; a label that becomes known later changes them. */
export type Naming = Pick<
  typeof domain.$inferSelect,
  "label" | "isLabelKnown" | "labelLength" | "fullName" | "isNameKnown"
>;

/** The parents of nearly all names; their own names are known from the start. */
const namedParents: ReadonlyMap<Hex, Naming> = new Map(
  [[ETH_NODE, "eth", "eth"] as const, [ADDR_REVERSE_NODE, "addr", "addr.reverse"] as const].map(
    ([node, label, fullName]) => [
      node,
      { label, isLabelKnown: true, labelLength: label.length, fullName, isNameKnown: true },
    ],
  ),
);

/** Naming of the root, and of a node whose parent no event has told: its node stands in for its label. */
export const namingWithoutParent = (node: Hex): Naming =>
  node === ROOT_NODE
    ? { label: "", isLabelKnown: true, labelLength: 0, fullName: "", isNameKnown: true }
    : {
        label: unknownLabel(node),
        isLabelKnown: false,
        labelLength: null,
        fullName: unknownLabel(node),
        isNameKnown: false,
      };

/** Naming below one of the well-known parents while the label is unknown; undefined for other parents. */
export function namingBelow(parentNode: Hex, labelhash: Hex): Naming | undefined {
  const parent = namedParents.get(parentNode);
  return parent && namingOf(null, labelhash, parent);
}

/**
 * Names a new domain by its label, if known, and its parent, and links it so that it is named again when more becomes
 * known. Writes: labels, name_links (only for names that are not wholly known).
 */
export async function nameNewDomain(
  context: Context,
  node: Hex,
  parentNode: Hex,
  labelhash: Hex,
): Promise<Naming> {
  const naming = await readNaming(context, parentNode, labelhash);
  if (!naming.isLabelKnown && parentNode !== ETH_NODE) await linkLabel(context, node, labelhash);
  if (!naming.parent.isNameKnown) await linkChild(context, node, parentNode);
  return naming.own;
}

/**
 * Stores a label's text, and names again every domain that shows its hash, with all descendants. The caller has checked
 * that the text hashes to the labelhash; a text that cannot be shown in a name is ignored. Writes: labels, domains.
 */
export async function learnLabel(context: Context, labelhash: Hex, text: string): Promise<void> {
  if (!isPrintable(text) || wellKnownLabels.has(labelhash)) return;
  const row = await context.db.find(label, { labelhash });
  if (row?.label != null) return;
  if (row === null) await context.db.insert(label).values({ labelhash, label: text });
  else await context.db.update(label, { labelhash }).set({ label: text });
  const learnt = { labelhash, text };
  await renameDomain(context, context.chain.id, childNode(ETH_NODE, labelhash), learnt);
  let next = row?.firstNode ? { chainId: row.firstChainId ?? context.chain.id, node: row.firstNode } : null;
  while (next !== null) {
    await renameDomain(context, next.chainId, next.node, learnt);
    const link: typeof nameLink.$inferSelect | null = await context.db.find(nameLink, next);
    next = link?.nextSameLabel
      ? { chainId: link.nextSameLabelChainId ?? next.chainId, node: link.nextSameLabel }
      : null;
  }
}

/** A label's text and its hash. */
type Learnt = { labelhash: Hex; text: string };

/** The naming of a domain by what is known now. A label that has just been learnt need not be looked up. */
async function readNaming(context: Context, parentNode: Hex, labelhash: Hex, learnt?: Learnt) {
  const known = learnt?.labelhash === labelhash ? learnt.text : await findLabel(context, labelhash);
  const parent = await findParentNaming(context, parentNode);
  const own = namingOf(known, labelhash, parent);
  return { own, parent, isLabelKnown: own.isLabelKnown };
}

function namingOf(known: string | null, labelhash: Hex, parent: Naming): Naming {
  const text = known ?? unknownLabel(labelhash);
  return {
    label: text,
    isLabelKnown: known !== null,
    labelLength: known === null ? null : codePoints(known),
    fullName: joinName(text, parent.fullName),
    isNameKnown: known !== null && parent.isNameKnown,
  };
}

const findLabel = async (context: Context, labelhash: Hex): Promise<string | null> =>
  wellKnownLabels.get(labelhash) ?? (await context.db.find(label, { labelhash }))?.label ?? null;

async function findParentNaming(context: Context, parentNode: Hex): Promise<Naming> {
  if (parentNode === ROOT_NODE) return namingWithoutParent(ROOT_NODE);
  const named = namedParents.get(parentNode);
  if (named !== undefined) return named;
  const row = await context.db.find(domain, { chainId: context.chain.id, node: parentNode });
  return row ?? namingWithoutParent(parentNode);
}

/** Names a domain and its descendants by what is known now, along the links made while their names were unknown. */
async function renameDomain(context: Context, chainId: number, node: Hex, learnt: Learnt): Promise<void> {
  const waiting = [node];
  for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
    const row = await context.db.find(domain, { chainId, node: current });
    if (row?.parentNode == null || row.labelhash === null) continue;
    const naming = await readNaming(context, row.parentNode, row.labelhash, learnt);
    if (naming.own.fullName === row.fullName) continue;
    await context.db.update(domain, { chainId, node: current }).set(naming.own);
    let child = (await context.db.find(nameLink, { chainId, node: current }))?.firstChild ?? null;
    while (child !== null) {
      waiting.push(child);
      child = (await context.db.find(nameLink, { chainId, node: child }))?.nextSibling ?? null;
    }
  }
}

/**
 * Puts a domain at the head of the list of those that wait for a label. A .eth name needs no link: the label gives its
 * node.
 */
async function linkLabel(context: Context, node: Hex, labelhash: Hex): Promise<void> {
  const chainId = context.chain.id;
  const row = await context.db.find(label, { labelhash });
  const rest = { nextSameLabel: row?.firstNode ?? null, nextSameLabelChainId: row?.firstChainId ?? null };
  await context.db
    .insert(nameLink)
    .values({ chainId, node, ...rest })
    .onConflictDoUpdate(rest);
  const first = { firstNode: node, firstChainId: chainId };
  await context.db
    .insert(label)
    .values({ labelhash, ...first })
    .onConflictDoUpdate(first);
}

/** Puts a domain at the head of the list of children that are named again when their parent is. */
async function linkChild(context: Context, node: Hex, parentNode: Hex): Promise<void> {
  const chainId = context.chain.id;
  const parent = await context.db.find(nameLink, { chainId, node: parentNode });
  const sibling = { nextSibling: parent?.firstChild ?? null };
  await context.db
    .insert(nameLink)
    .values({ chainId, node, ...sibling })
    .onConflictDoUpdate(sibling);
  const head = { firstChild: node };
  await context.db
    .insert(nameLink)
    .values({ chainId, node: parentNode, ...head })
    .onConflictDoUpdate(head);
}
