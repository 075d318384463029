import type { Context } from "ponder:registry";
import { missingTransaction, transactionProgress, waitingNode } from "ponder:schema";
import type { Address, Hex } from "viem";
import { ADDR_REVERSE_NODE } from "../../ens/name.ts";
import type { Domain } from "./domains.ts";
import type { LogRef } from "./logRef.ts";
import { findLabel } from "./naming.ts";

/*
 * The backfill fetches a limited number of transactions. What the others would have told is written down here, in the order of
 * the logs, and worked off in that order (applyTransactions.ts). Then the tables are those of an index that had them.
 *
 * A text waits alone: its row is there, and only the value is missing. The address of a reverse node decides more: its claims
 * are rows by address, so they wait, too, behind the transaction, until it is known whether their address was known then.
 */

/** What handlers read of a transaction. */
export type NeededTransaction = { hash: Hex; from: Address; to: Address | null; input: Hex };

/** Past transactions that the backfill did not fetch; the API does behind a ready index (`src/api/core/transactions.ts`). */
export type LateTransactions = {
  /** Says from which number of `missing_transactions` on a chain waits. Gives whether the first of them can be worked off. */
  follow: (chainId: number, first: number) => boolean;
  /** A transaction that has come; null if it has not. */
  find: (chainId: number, hash: Hex) => NeededTransaction | null;
};

declare global {
  /** Not set where no API runs in the process. */
  var namedexLateTransactions: LateTransactions | undefined;
}

type Row = typeof missingTransaction.$inferInsert;
type Late = Omit<Row, "number" | keyof LogRef>;

export const findProgress = (context: Context, chainId: number) =>
  context.db.find(transactionProgress, { chainId });

/** Puts something at the end of what waits. Writes: missing_transactions, transaction_progress. */
async function append(context: Context, log: LogRef, late: Late): Promise<void> {
  const { chainId, blockNumber, blockTimestamp, transactionIndex, transactionHash, logIndex } = log;
  const progress = await findProgress(context, chainId);
  const { first, next, missing } = progress ?? { first: 0, next: 0, missing: 0 };
  const place = { chainId, blockNumber, blockTimestamp, transactionIndex, transactionHash, logIndex };
  await context.db.insert(missingTransaction).values({ ...late, ...place, number: next });
  const columns = { first, next: next + 1, missing: late.kind === "claim" ? missing : missing + 1 };
  await context.db
    .insert(transactionProgress)
    .values({ chainId, ...columns })
    .onConflictDoUpdate(columns);
}

type LateText = { node: Hex; version: number; keyHash: Hex; earlierSets: number };

/** The value of a text is in a transaction that comes later. Writes: missing_transactions, transaction_progress. */
export const awaitText = (context: Context, log: LogRef, text: LateText): Promise<void> =>
  append(context, log, { ...text, kind: "text", resolver: log.contractAddress });

/**
 * The address of a reverse node may be the sender of a transaction that comes later. Writes: missing_transactions,
 * transaction_progress, waiting_nodes.
 */
export async function awaitAddress(
  context: Context,
  log: LogRef,
  { node, labelhash }: { node: Hex; labelhash: Hex },
): Promise<void> {
  if ((await findLabel(context, labelhash)) === null)
    await appendOfNode(context, log, { node, kind: "reverse_node" });
}

/** Whether it may turn out that the address of a reverse node was known before. */
export async function isAddressAwaited(
  context: Context,
  { chainId, node, parentNode }: Domain,
): Promise<boolean> {
  if (parentNode !== ADDR_REVERSE_NODE) return false;
  const progress = await findProgress(context, chainId);
  if (progress === null || progress.first === progress.next) return false;
  return (await context.db.find(waitingNode, { chainId, node })) !== null;
}

type LateClaim = {
  node: Hex;
  name: string | null;
  isNameKnown: boolean;
  isAddressKnown: boolean;
  isRepeatable: boolean;
};

/** Stores what a waiting reverse node claims. Writes: missing_transactions, transaction_progress, waiting_nodes. */
export const awaitClaim = (context: Context, log: LogRef, claim: LateClaim): Promise<void> =>
  appendOfNode(context, log, { ...claim, kind: "claim" });

async function appendOfNode(context: Context, log: LogRef, late: Late): Promise<void> {
  const { chainId } = log;
  await append(context, log, late);
  await context.db
    .insert(waitingNode)
    .values({ chainId, node: late.node, rows: 1, isKnown: false })
    .onConflictDoUpdate(({ rows }) => ({ rows: rows + 1 }));
}
