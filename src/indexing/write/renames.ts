import type { Context } from "ponder:registry";
import { domain, nameLink, rename, waitingRename } from "ponder:schema";
import type { Hex } from "viem";
import type { LogRef } from "./logRef.ts";
import { findLabel, namingAt } from "./naming.ts";

/**
 * How many domains are named again in one block of a chain. A label can stand in any number of names, and one log is
 * enough to make it known. This many take less than a second; all others wait for later blocks.
 */
export const MAX_RENAMES_PER_BLOCK = 500;

/**
 * Domains to name again: a domain and all that follow it in a list of `name_links`. New domains are put before the head
 * of a list, and are named by what is known then, so no list that waits grows.
 */
export type RenameList = Pick<typeof waitingRename.$inferSelect, "list" | "node">;

/**
 * Names domains of the chain again: those of the given lists with all their descendants, and those that earlier blocks left, as many
 * as the block still may. What is left is stored. Each domain is named by the name that its parent has then, and its
 * children follow if its own name changed: so at the end each name is right, in whatever order labels became known.
 * Writes: domains, renames, waiting_renames.
 */
export async function nameAgain(
  context: Context,
  { chainId, blockNumber }: Pick<LogRef, "chainId" | "blockNumber">,
  lists: readonly RenameList[] = [],
): Promise<void> {
  const before = await context.db.find(rename, { chainId });
  let renamed = before?.blockNumber === blockNumber ? before.renamed : 0;
  let waiting = before?.waiting ?? 0;
  const isWaiting = waiting > 0 && renamed < MAX_RENAMES_PER_BLOCK;
  if (lists.length === 0 && !isWaiting) return;
  // Only what is left at the end is stored; `waiting` counts the stored lists that were not taken.
  const stack = [...lists];
  for (; renamed < MAX_RENAMES_PER_BLOCK && stack.length + waiting > 0; renamed++) {
    const next = stack.pop() ?? (await context.db.find(waitingRename, { chainId, position: --waiting }));
    if (next != null) stack.push(...(await nameFirst(context, next)));
  }
  for (const list of stack) await putWaiting(context, { chainId, position: waiting++ }, list);
  const columns = { blockNumber, renamed, waiting };
  await context.db
    .insert(rename)
    .values({ chainId, ...columns })
    .onConflictDoUpdate(columns);
}

/** Where this process last looked for domains that wait, by chain. */
const looked = new Map<number, Pick<LogRef, "blockHash" | "logIndex">>();

/**
 * Goes on with domains that earlier blocks left to be named. The first log of a block looks for them, whatever it says;
 * the others need not. A block that is indexed again looks again, and so does one that takes its place in a
 * reorganisation. Writes: domains, renames, waiting_renames.
 */
export async function goOnNaming(context: Context, log: LogRef): Promise<void> {
  const { chainId, blockHash, logIndex } = log;
  const last = looked.get(chainId);
  if (last?.blockHash === blockHash && last.logIndex < logIndex) return;
  looked.set(chainId, { blockHash, logIndex });
  await nameAgain(context, log);
}

function putWaiting(
  context: Context,
  place: { chainId: number; position: number },
  { list, node }: RenameList,
) {
  const columns = { list, node };
  return context.db
    .insert(waitingRename)
    .values({ ...place, ...columns })
    .onConflictDoUpdate(columns);
}

/**
 * Names the first domain of a list. Gives the rest of the list, and the domain's children if they have to follow.
 * Writes: domains.
 */
export async function nameFirst(context: Context, { list, node }: RenameList): Promise<RenameList[]> {
  const chainId = context.chain.id;
  const link = await context.db.find(nameLink, { chainId, node });
  const isChanged = await nameOne(context, { chainId, node }, (row) => {
    if (list === "same_label") return findLabel(context, row.labelhash);
    // A domain whose label was learnt is in the list of that label, so here its own row has the label.
    return row.isLabelKnown ? row.label : null;
  });
  const lists: RenameList[] = [];
  const next = list === "same_label" ? link?.nextSameLabel : link?.nextSibling;
  if (next) lists.push({ list, node: next });
  // Last, so first in turn: children are named before the rest of the list, which keeps the stack short.
  if (isChanged && link?.firstChild) lists.push({ list: "siblings", node: link.firstChild });
  return lists;
}

type Row = typeof domain.$inferSelect & { labelhash: Hex };

/**
 * Names one domain by its label, null if unknown, and by the name that its parent has now. True if its children have to
 * be named again, too. Writes: domains.
 */
export async function nameOne(
  context: Context,
  { chainId, node }: { chainId: number; node: Hex },
  labelOf: (row: Row) => Promise<string | null> | string | null,
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
