import type { Context } from "ponder:registry";
import { ensv2Entry, ensv2Purchase } from "ponder:schema";
import type { Hex } from "viem";
import { storageIdOfNumber } from "../../../ens/ensv2.ts";
import { childNode, ETH_NODE, isPrintable, labelhash } from "../../../ens/name.ts";
import { addressesOf } from "../contracts.ts";
import { appendEvent } from "../events.ts";
import { type HandlerArgs, type LogRef, placeOf } from "../logRef.ts";

/** A registration or renewal that was paid in tokens. */
export type TokenPurchase = Pick<
  typeof ensv2Purchase.$inferInsert,
  "paymentToken" | "amount" | "base" | "premium" | "durationSeconds" | "referrer"
> & {
  tokenId: bigint;
  label: string;
  values: { ownerAddress?: Hex; resolverAddress?: Hex; expiryTimestamp?: bigint };
  details: Record<string, unknown>;
};

/** Appends a purchase. Writes: ensv2_purchases, events. */
export async function appendTokenPurchase(
  { context, log }: HandlerArgs,
  { tokenId, label, values, details, ...price }: TokenPurchase,
): Promise<void> {
  const hash = await findLabelhash(context, log, tokenId, label);
  const isText = labelhash(label) === hash;
  const { chainId, contractAddress, eventType } = log;
  const node = childNode(ETH_NODE, hash);
  const place = { chainId, contractAddress, eventType, ...placeOf(log) };
  await context.db.insert(ensv2Purchase).values({ ...place, node, ...price });
  const { paymentToken, amount, durationSeconds, referrer } = price;
  await appendEvent(context, log, {
    ...values,
    node,
    durationSeconds,
    referrer,
    paymentToken,
    tokenAmount: amount,
    ...(isText && isPrintable(label) && { name: `${label}.eth` }),
    details: { ...details, registry: addressesOf(context, "Ensv2EthRegistry")[0], tokenId },
  });
}

/** The hash of the purchased label. Bytes that are not UTF-8 arrive altered, so it comes from the registry's entry. */
async function findLabelhash(
  context: Context,
  { chainId }: LogRef,
  tokenId: bigint,
  label: string,
): Promise<Hex> {
  const [registry] = addressesOf(context, "Ensv2EthRegistry");
  const key = { chainId, registry: registry ?? "0x", storageId: storageIdOfNumber(tokenId) };
  return (await context.db.find(ensv2Entry, key))?.labelhash ?? labelhash(label);
}
