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
  labelhash,
  ROOT_NODE,
  unknownLabel,
} from "../../ens/name.ts";
import { wellKnownLabels } from "../../ens/wellKnownLabels.ts";

/** How a domain is called; the columns of `domains` that a label learnt later may change. */
export type Naming = Pick<
  typeof domain.$inferSelect,
  "label" | "isLabelKnown" | "labelLength" | "fullName" | "isNameKnown"
>;

/** The two parents of nearly all names, whose own names are known from the start. */
const namedParents: ReadonlyMap<Hex, Naming> = new Map(
  [[ETH_NODE, "eth", "eth"] as const, [ADDR_REVERSE_NODE, "addr", "addr.reverse"] as const].map(
    ([node, label, fullName]) => [
      node,
      { label, isLabelKnown: true, labelLength: label.length, fullName, isNameKnown: true },
    ],
  ),
);

/** Naming of the root and, but for the hash, of a node of which no event told the parent. */
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

/** Naming below a parent whose name is known from the start, for as long as the label is not; else nothing. */
export function namingBelow(parentNode: Hex, hash: Hex): Naming | undefined {
  const parent = namedParents.get(parentNode);
  return parent && namingOf(null, hash, parent);
}

/**
 * Names a new domain by its label, if known, and its parent, and sees to it that it is named again when more becomes
 * known. Writes: labels, name_links (only for names not wholly known).
 */
export async function nameNewDomain(
  context: Context,
  node: Hex,
  parentNode: Hex,
  hash: Hex,
): Promise<Naming> {
  const naming = await readNaming(context, parentNode, hash);
  if (!naming.isLabelKnown && parentNode !== ETH_NODE) await linkLabel(context, node, hash);
  if (!naming.parent.isNameKnown) await linkChild(context, node, parentNode);
  return naming.own;
}

/**
 * Takes note of a label's text, and names again every domain that shows its hash, with all descendants. Texts that do
 * not hash to the labelhash must not be given; texts that cannot stand in a name are ignored.
 * Writes: labels, domains.
 */
export async function learnLabel(context: Context, hash: Hex, text: string): Promise<void> {
  if (!isPrintable(text) || wellKnownLabels.has(hash)) return;
  const row = await context.db.find(label, { labelhash: hash });
  if (row?.label != null) return;
  if (row === null) await context.db.insert(label).values({ labelhash: hash, label: text });
  else await context.db.update(label, { labelhash: hash }).set({ label: text });
  const learnt = { hash, text };
  await renameDomain(context, context.chain.id, childNode(ETH_NODE, hash), learnt);
  let next = row?.firstNode ? { chainId: row.firstChainId ?? context.chain.id, node: row.firstNode } : null;
  while (next !== null) {
    await renameDomain(context, next.chainId, next.node, learnt);
    const link: typeof nameLink.$inferSelect | null = await context.db.find(nameLink, next);
    next = link?.nextSameLabel
      ? { chainId: link.nextSameLabelChainId ?? next.chainId, node: link.nextSameLabel }
      : null;
  }
}

/** True if the text is the label that hashes to this. */
export const isLabelOf = (hash: Hex, text: string): boolean => labelhash(text) === hash;

/** A label's text and its hash. */
type Learnt = { hash: Hex; text: string };

/** How a domain is to be called; a label that was learnt this moment need not be looked up. */
async function readNaming(context: Context, parentNode: Hex, hash: Hex, learnt?: Learnt) {
  const known = learnt?.hash === hash ? learnt.text : await findLabel(context, hash);
  const parent = await findParentNaming(context, parentNode);
  const own = namingOf(known, hash, parent);
  return { own, parent, isLabelKnown: own.isLabelKnown };
}

function namingOf(known: string | null, hash: Hex, parent: Naming): Naming {
  const text = known ?? unknownLabel(hash);
  return {
    label: text,
    isLabelKnown: known !== null,
    labelLength: known === null ? null : codePoints(known),
    fullName: joinName(text, parent.fullName),
    isNameKnown: known !== null && parent.isNameKnown,
  };
}

const findLabel = async (context: Context, hash: Hex): Promise<string | null> =>
  wellKnownLabels.get(hash) ?? (await context.db.find(label, { labelhash: hash }))?.label ?? null;

async function findParentNaming(context: Context, parentNode: Hex): Promise<Naming> {
  if (parentNode === ROOT_NODE) return namingWithoutParent(ROOT_NODE);
  const named = namedParents.get(parentNode);
  if (named !== undefined) return named;
  const row = await context.db.find(domain, { chainId: context.chain.id, node: parentNode });
  return row ?? namingWithoutParent(parentNode);
}

/** Names a domain and its descendants by what is known now. The links were laid when the names were not known. */
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

/** Puts a domain at the head of the list of those that wait for a label. .eth names need none: their node follows. */
async function linkLabel(context: Context, node: Hex, hash: Hex): Promise<void> {
  const chainId = context.chain.id;
  const row = await context.db.find(label, { labelhash: hash });
  const rest = { nextSameLabel: row?.firstNode ?? null, nextSameLabelChainId: row?.firstChainId ?? null };
  await context.db
    .insert(nameLink)
    .values({ chainId, node, ...rest })
    .onConflictDoUpdate(rest);
  const first = { firstNode: node, firstChainId: chainId };
  await context.db
    .insert(label)
    .values({ labelhash: hash, ...first })
    .onConflictDoUpdate(first);
}

/** Puts a domain at the head of its parent's children that are to be named again with it. */
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
