import type { Context } from "ponder:registry";
import { label, nameLink } from "ponder:schema";
import type { Hex } from "viem";
import { isSecondLevel, registrarNode } from "../../ens/managedNames.ts";
import { childNode, isPrintable } from "../../ens/name.ts";
import { type WorkList, work } from "./blockQueue.ts";
import { givenLabel } from "./givenLabels.ts";
import type { LogRef } from "./logRef.ts";
import { findLabel, findParentNaming, type Naming, namingOf, type Place } from "./naming.ts";
import { put } from "./put.ts";
import { childrenOf, nameNewest, nameOne } from "./renames.ts";

/**
 * Names a new domain by its label, if known, and its parent, and links it so that it is named again when more becomes
 * known. Writes: labels, name_links (only for names that are not wholly known), and what {@link learnLabel} writes if others
 * than the chain's logs gave the label.
 */
export async function nameNewDomain(context: Context, log: LogRef, place: Place): Promise<Naming> {
  const { node, parentNode, labelhash } = place;
  const known = (await findLabel(context, labelhash)) ?? (await applyImportedLabel(context, log, place));
  const parent = await findParentNaming(context, place);
  if (known === null && !isSecondLevel(place)) await linkLabel(context, node, labelhash);
  if (!parent.isNameKnown) await linkChild(context, node, parentNode);
  return namingOf(node, { known, labelhash, parent });
}

/** A new domain has a label that others than the chain's logs gave. Gives its text; null if no one did. */
async function applyImportedLabel(context: Context, log: LogRef, place: Place): Promise<string | null> {
  const given = givenLabel(place.labelhash);
  if (given === null) return null;
  const row = await context.db.find(label, { chainId: place.chainId, labelhash: place.labelhash });
  await work(context, log, await storeLabel(context, given, row, place.node));
  return given.label;
}

/**
 * Stores a label's text, and names again every domain of the chain that shows its hash, with all descendants: two of
 * them at once, all others as soon as the block may, or a later one. The caller has checked that the text hashes to the
 * labelhash; a text that cannot be shown in a name is ignored. Writes: labels, domains, and what renames need.
 */
export async function learnLabel(context: Context, log: LogRef, labelhash: Hex, text: string): Promise<void> {
  if (!isPrintable(text)) return;
  const { chainId } = log;
  const row = await context.db.find(label, { chainId, labelhash });
  if (row?.label == null) {
    await work(context, log, await storeLabel(context, { labelhash, label: text, source: "event" }, row));
  } else if (row.source !== "event") {
    await context.db.update(label, { chainId, labelhash }).set({ source: "event" });
  }
}

/** A label that becomes known, and where its text is from. */
type Learnt = { labelhash: Hex; label: string; source: string };

/**
 * Stores a label's text, and names two of the domains that show its hash. Gives the lists of the others. `named` is a domain
 * that the caller names itself. Writes: labels, domains.
 */
export async function storeLabel(
  context: Context,
  { labelhash, label: text, source }: Learnt,
  row: typeof label.$inferSelect | null,
  named?: Hex,
): Promise<WorkList[]> {
  const chainId = context.chain.id;
  if (row === null) await context.db.insert(label).values({ chainId, labelhash, label: text, source });
  else await context.db.update(label, { chainId, labelhash }).set({ label: text, source });
  const lists: WorkList[] = [];
  // The newest domain with the label, which most often the log itself is about, and the registrar's name, of which there
  // is one at most and which is found by its node: these two wait for no later block.
  if (row?.firstNode) lists.push(...(await nameNewest(context, labelhash, row.firstNode)));
  const registered = { chainId, node: childNode(registrarNode(chainId), labelhash) };
  if (registered.node !== named && (await nameOne(context, registered, () => text)))
    lists.push(...(await childrenOf(context, registered.node)));
  return lists;
}

/**
 * Puts a domain at the head of the list of those that wait for a label. A name of the registrar needs no link: the label
 * gives its node.
 */
async function linkLabel(context: Context, node: Hex, labelhash: Hex): Promise<void> {
  const chainId = context.chain.id;
  const row = await context.db.find(label, { chainId, labelhash });
  await put(context, nameLink, { chainId, node }, { nextSameLabel: row?.firstNode ?? null });
  await put(context, label, { chainId, labelhash }, { firstNode: node });
}

/** Puts a domain at the head of the list of children that are named again when their parent is. */
async function linkChild(context: Context, node: Hex, parentNode: Hex): Promise<void> {
  const chainId = context.chain.id;
  const parent = await context.db.find(nameLink, { chainId, node: parentNode });
  await put(context, nameLink, { chainId, node }, { nextSibling: parent?.firstChild ?? null });
  await put(context, nameLink, { chainId, node: parentNode }, { firstChild: node });
}
