import type { Context } from "ponder:registry";
import { domain, missingTransaction, textRecord, transactionProgress, waitingNode } from "ponder:schema";
import type { Hex } from "viem";
import { isLabelOf } from "../../ens/name.ts";
import { exactText } from "../../ens/storable.ts";
import { writtenText } from "../../ens/textCalldata.ts";
import { putTextValue } from "./events.ts";
import type { LogRef } from "./logRef.ts";
import { findProgress, type NeededTransaction } from "./missingTransactions.ts";
import { learnLabel } from "./names.ts";
import { findAddress, putNewClaim } from "./primaryNames.ts";
import { exactKeyOf, putLateValue } from "./records.ts";

type Row = typeof missingTransaction.$inferSelect;

/** Most rows of a chain applied in one block. */
export const MAX_LATE_PER_BLOCK = 2_000;
/** After this many milliseconds, the rest wait for the next block. */
export const LATE_MS_PER_BLOCK = 1_000;

/**
 * Applies the rows that wait for past transactions, in log order, up to the first transaction that is still missing. Progress is a
 * row of the index, so a reorganisation or restart rolls it back together with the applied values. Writes: missing_transactions,
 * transaction_progress, waiting_nodes, events, text_records, primary_names, primary_name_changes, and as {@link learnLabel}.
 */
export async function applyTransactions(context: Context, log: LogRef): Promise<void> {
  const { chainId } = log;
  const progress = await findProgress(context, chainId);
  if (progress === null || progress.first === progress.next) return;
  const late = globalThis.namedexLateTransactions;
  if (!late?.follow(chainId, progress.first)) return;
  const end = performance.now() + LATE_MS_PER_BLOCK;
  const last = Math.min(progress.next, progress.first + MAX_LATE_PER_BLOCK);
  let { first, missing } = progress;
  while (first < last && performance.now() < end) {
    const row = await context.db.find(missingTransaction, { chainId, number: first });
    if (row === null) throw new Error(`missing_transactions has no row ${first} of chain ${chainId}`);
    if (row.kind === "claim") {
      await applyClaim(context, row);
    } else {
      const transaction = late.find(chainId, row.transactionHash);
      if (transaction === null) break;
      if (row.kind === "text") await applyText(context, row, transaction);
      else await applySender(context, log, row, transaction);
      missing--;
    }
    await context.db.delete(missingTransaction, { chainId, number: first });
    first++;
  }
  if (first === progress.first) return;
  await context.db.update(transactionProgress, { chainId }).set({ first, missing });
}

/** Sets the value of a text, if the call contains it. Writes: events, text_records. */
async function applyText(context: Context, row: Row, transaction: NeededTransaction): Promise<void> {
  const { chainId, node } = row;
  // Rows of this kind have these columns.
  const [resolver, keyHash] = [row.resolver as Hex, row.keyHash as Hex];
  const version = row.version ?? 0;
  const text = await context.db.find(textRecord, { chainId, resolver, node, version, keyHash });
  if (text === null) return;
  const key = exactKeyOf(text);
  const value = writtenText(transaction, { resolver, node, key, earlierSets: row.earlierSets ?? 0 });
  if (value === undefined) return;
  await putTextValue(context, row, { key, value, valueSource: "calldata" });
  await putLateValue(context, text, row, value);
}

/** Sets the sender as a reverse node's address, if its labelhash matches. Writes: waiting_nodes, and as {@link learnLabel}. */
async function applySender(
  context: Context,
  log: LogRef,
  { chainId, node }: Row,
  { from }: NeededTransaction,
): Promise<void> {
  const labelhash = (await context.db.find(domain, { chainId, node }))?.labelhash ?? null;
  const label = from.slice(2);
  const isKnown = labelhash !== null && isLabelOf(labelhash, label);
  if (isKnown) await learnLabel(context, log, labelhash, label);
  await leave(context, { chainId, node }, isKnown);
}

/** Stores a claim if its address was known at that time, as far as is known now. Writes: waiting_nodes, and as {@link putNewClaim}. */
async function applyClaim(context: Context, row: Row): Promise<void> {
  const { chainId, node } = row;
  const wasKnown = row.isAddressKnown || (await context.db.find(waitingNode, { chainId, node }))?.isKnown;
  const reverse = wasKnown ? await context.db.find(domain, { chainId, node }) : null;
  const address = reverse && (await findAddress(context, reverse));
  if (address !== null) {
    const claim = { address, name: exactText(row.name), isNameKnown: row.isNameKnown ?? true };
    await putNewClaim(context, row, claim, row.isRepeatable ?? false);
  }
  await leave(context, { chainId, node }, false);
}

/** Counts down the rows that wait for a node, and removes the node after the last one. Writes: waiting_nodes. */
async function leave(context: Context, key: { chainId: number; node: Hex }, isKnown: boolean): Promise<void> {
  const waiting = await context.db.find(waitingNode, key);
  if (waiting === null) return;
  if (waiting.rows <= 1) await context.db.delete(waitingNode, key);
  else
    await context.db
      .update(waitingNode, key)
      .set({ rows: waiting.rows - 1, isKnown: waiting.isKnown || isKnown });
}
