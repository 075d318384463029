import type { Context } from "ponder:registry";
import { missingTransaction, transactionProgress, waitingNode } from "ponder:schema";
import type { Address, Hex } from "viem";
import { ADDR_REVERSE_NODE } from "../../ens/name.ts";
import type { Domain } from "./domains.ts";
import { type LogRef, placeOf } from "./logRef.ts";
import { findLabel } from "./naming.ts";
import { put } from "./put.ts";

/*
 * The backfill fetches a limited number of transactions. What depends on the others is queued here in log order and applied in that
 * order (applyTransactions.ts). The final tables equal those of an index that had all transactions.
 *
 * A text waits alone: its row exists, and only the value is missing. The address of a reverse node affects more: claims are rows by
 * address, so later claims of the node wait behind its transaction, until it is clear whether the address was known at their time.
 */

/** The fields of a transaction that handlers read. */
export type NeededTransaction = { hash: Hex; from: Address; to: Address | null; input: Hex };

/** Past transactions that the backfill did not fetch. The API fetches them once the index is ready (`src/api/core/transactions.ts`). */
export type LateTransactions = {
  /** Announces the first waiting `number` of a chain in `missing_transactions`. Returns whether it can be applied now. */
  follow: (chainId: number, first: number) => boolean;
  /** A fetched transaction; null if it is still missing. */
  find: (chainId: number, hash: Hex) => NeededTransaction | null;
};

declare global {
  /** Not set if no API runs in the process. */
  var namedexLateTransactions: LateTransactions | undefined;
}

type Row = typeof missingTransaction.$inferInsert;
type Late = Omit<Row, "number" | keyof LogRef>;

export const findProgress = (context: Context, chainId: number) =>
  context.db.find(transactionProgress, { chainId });

/** Appends a row to the queue. Writes: missing_transactions, transaction_progress. */
async function append(context: Context, log: LogRef, late: Late): Promise<void> {
  const { chainId, transactionIndex } = log;
  const progress = await findProgress(context, chainId);
  const { first, next, missing } = progress ?? { first: 0, next: 0, missing: 0 };
  const place = { chainId, transactionIndex, ...placeOf(log) };
  await context.db.insert(missingTransaction).values({ ...late, ...place, number: next });
  const columns = { first, next: next + 1, missing: late.kind === "claim" ? missing : missing + 1 };
  await put(context, transactionProgress, { chainId }, columns);
}

type LateText = { node: Hex; version: number; keyHash: Hex; earlierSets: number };

/** Queues a text whose value is in a missing transaction. Writes: missing_transactions, transaction_progress. */
export const awaitText = (context: Context, log: LogRef, text: LateText): Promise<void> =>
  append(context, log, { ...text, kind: "text", resolver: log.contractAddress });

/**
 * Queues a reverse node whose address may be the sender of a missing transaction. Writes: missing_transactions,
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

/** Whether a missing transaction may show that a reverse node's address was already known. */
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

/** Queues a claim of a waiting reverse node. Writes: missing_transactions, transaction_progress, waiting_nodes. */
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
