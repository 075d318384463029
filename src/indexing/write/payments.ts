import type { Context } from "ponder:registry";
import { pendingPayment } from "ponder:schema";
import type { LogRef } from "./logRef.ts";
import { put } from "./put.ts";

/*
 * A controller of Basenames logs the price before the purchase, without the name. A transaction can hold several purchases:
 * each takes the last price that its controller logged in the transaction, which is then used up.
 */

/** Keeps a price for the purchase that follows. Writes: pending_payments. */
export async function putPayment(context: Context, log: LogRef, priceWei: bigint): Promise<void> {
  const { chainId, contractAddress: controller, transactionHash } = log;
  await put(context, pendingPayment, { chainId, controller }, { transactionHash, priceWei });
}

/** The price of a purchase; null if its controller logged none before it. Writes: pending_payments. */
export async function takePayment(context: Context, log: LogRef): Promise<bigint | null> {
  const { chainId, contractAddress: controller, transactionHash } = log;
  const row = await context.db.find(pendingPayment, { chainId, controller });
  if (row === null || row.priceWei === null || row.transactionHash !== transactionHash) return null;
  const { priceWei } = row;
  await context.db.update(pendingPayment, { chainId, controller }).set({ priceWei: null });
  return priceWei;
}
