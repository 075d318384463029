import type { Context } from "ponder:registry";
import { label, nameLink } from "ponder:schema";
import type { Hex } from "viem";
import { isSecondLevel, registrarNode } from "../../ens/managedNames.ts";
import { childNode, isPrintable } from "../../ens/name.ts";
import { wellKnownLabels } from "../../ens/wellKnownLabels.ts";
import { type WorkList, work } from "./blockQueue.ts";
import type { LogRef } from "./logRef.ts";
import { findLabel, findParentNaming, type Naming, namingOf, type Place } from "./naming.ts";
import { childrenOf, nameNewest, nameOne } from "./renames.ts";

/**
 * Names a new domain by its label, if known, and its parent, and links it so that it is named again when more becomes
 * known. Writes: labels, name_links (only for names that are not wholly known).
 */
export async function nameNewDomain(context: Context, place: Place): Promise<Naming> {
  const { node, parentNode, labelhash } = place;
  const known = await findLabel(context, labelhash);
  const parent = await findParentNaming(context, place);
  if (known === null && !isSecondLevel(place)) await linkLabel(context, node, labelhash);
  if (!parent.isNameKnown) await linkChild(context, node, parentNode);
  return namingOf(node, { known, labelhash, parent });
}

/**
 * Stores a label's text, and names again every domain of the chain that shows its hash, with all descendants: two of
 * them at once, all others as soon as the block may, or a later one. The caller has checked that the text hashes to the
 * labelhash; a text that cannot be shown in a name is ignored. Writes: labels, domains, and what renames need.
 */
export async function learnLabel(context: Context, log: LogRef, labelhash: Hex, text: string): Promise<void> {
  if (!isPrintable(text) || wellKnownLabels.has(labelhash)) return;
  const { chainId } = log;
  const row = await context.db.find(label, { chainId, labelhash });
  if (row?.label != null) return;
  if (row === null) await context.db.insert(label).values({ chainId, labelhash, label: text });
  else await context.db.update(label, { chainId, labelhash }).set({ label: text });
  const lists: WorkList[] = [];
  // The newest domain with the label, which most often the log itself is about, and the registrar's name, of which there
  // is one at most and which is found by its node: these two wait for no later block.
  if (row?.firstNode) lists.push(...(await nameNewest(context, labelhash, row.firstNode)));
  const registered = { chainId, node: childNode(registrarNode(chainId), labelhash) };
  if (await nameOne(context, registered, () => text))
    lists.push(...(await childrenOf(context, registered.node)));
  await work(context, log, lists);
}

/**
 * Puts a domain at the head of the list of those that wait for a label. A name of the registrar needs no link: the label
 * gives its node.
 */
async function linkLabel(context: Context, node: Hex, labelhash: Hex): Promise<void> {
  const chainId = context.chain.id;
  const row = await context.db.find(label, { chainId, labelhash });
  const rest = { nextSameLabel: row?.firstNode ?? null };
  await context.db
    .insert(nameLink)
    .values({ chainId, node, ...rest })
    .onConflictDoUpdate(rest);
  const first = { firstNode: node };
  await context.db
    .insert(label)
    .values({ chainId, labelhash, ...first })
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
