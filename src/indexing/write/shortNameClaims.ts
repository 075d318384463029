import type { Context } from "ponder:registry";
import { approvedClaim, shortNameClaim } from "ponder:schema";
import type { Address, Hex } from "viem";
import type { LogRef } from "./logRef.ts";
import { put } from "./put.ts";

/*
 * A claim is paid for when it is submitted. If it is approved, its name is registered and the contract keeps the payment; otherwise
 * the payment goes back. Only the registrar logs the registration.
 */

type Claim = { claimId: Hex; node: Hex; claimant: Address; paidWei: bigint };

/** Seconds for which an approved name is registered: `REGISTRATION_PERIOD`. */
const PERIOD = 31_536_000n;

/** A withdrawn claim can be submitted again. Writes: short_name_claims. */
export const putClaim = (
  context: Context,
  { chainId }: LogRef,
  { claimId, ...values }: Claim,
): Promise<void> => put(context, shortNameClaim, { chainId, claimId }, values);

export const findClaim = ({ db }: Context, { chainId }: LogRef, claimId: Hex): Promise<Claim | null> =>
  db.find(shortNameClaim, { chainId, claimId });

/** A claim was approved, or is no longer. Writes: approved_claims. */
export async function setApproved(
  { db }: Context,
  { chainId }: LogRef,
  { claim: { node, claimId }, isApproved }: { claim: Claim; isApproved: boolean },
): Promise<void> {
  const before = await db.find(approvedClaim, { chainId, node });
  if (isApproved)
    await db.insert(approvedClaim).values({ chainId, node, claimId }).onConflictDoUpdate({ claimId });
  else if (before?.claimId === claimId) await db.delete(approvedClaim, { chainId, node });
}

/** What was paid for a name that a claim just got its claimant; null for other registrations. Writes: approved_claims. */
export async function takeApproved(
  context: Context,
  log: LogRef,
  { node, owner, seconds }: { node: Hex; owner: Address; seconds: bigint },
): Promise<bigint | null> {
  const key = { chainId: log.chainId, node };
  const approved = await context.db.find(approvedClaim, key);
  const claim = approved && (await findClaim(context, log, approved.claimId));
  if (claim?.claimant.toLowerCase() !== owner.toLowerCase() || seconds !== PERIOD) return null;
  await context.db.delete(approvedClaim, key);
  return claim.paidWei;
}
