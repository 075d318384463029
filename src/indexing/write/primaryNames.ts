import type { Context } from "ponder:registry";
import { primaryName, primaryNameChange, resolverNode } from "ponder:schema";
import type { Address } from "viem";
import { ETHEREUM_COIN_TYPE } from "../../ens/coinType.ts";
import { ADDR_REVERSE_NODE, fitsInBytes, MAX_NAME_BYTES } from "../../ens/name.ts";
import { exactText, storable } from "../../ens/storable.ts";
import { readRecord } from "./archive.ts";
import { addressesOf, isStaticResolver, mayRead } from "./contracts.ts";
import type { Domain } from "./domains.ts";
import { type LogRef, placeOf } from "./logRef.ts";
import { awaitClaim, isAddressAwaited } from "./missingTransactions.ts";
import { findLabel } from "./naming.ts";
import { put } from "./put.ts";

/** The name that an address claims. `isNameKnown` false: only the chain knows the name. */
export type NameClaim = {
  address: Address;
  coinType: number;
  name: string | null;
  isNameKnown: boolean;
  registrar: "REVERSE_REGISTRAR" | "DEFAULT_REVERSE_REGISTRAR" | "L2_REVERSE_REGISTRAR";
};

/** The log of a claim. */
export type ClaimPlace = Pick<
  LogRef,
  "chainId" | "blockNumber" | "blockTimestamp" | "transactionHash" | "logIndex"
>;

/** Stores a claim. Writes: primary_names, primary_name_changes. */
export async function putClaim(context: Context, log: ClaimPlace, claim: NameClaim): Promise<void> {
  const { address, coinType, ...rest } = claim;
  const { chainId, blockNumber, transactionHash } = log;
  const columns = { ...rest, name: storableName(claim.name), chainId, blockNumber, transactionHash };
  await put(context, primaryName, { address, coinType }, columns);
  await appendClaim(context, log, claim);
}

/** Stores that an address claimed a name then. Writes: primary_name_changes. */
export async function appendClaim(context: Context, log: ClaimPlace, claim: NameClaim): Promise<void> {
  const place = { chainId: log.chainId, ...placeOf(log) };
  await context.db.insert(primaryNameChange).values({ ...claim, name: storableName(claim.name), ...place });
}

/** A name that is too long is no primary name, and is not stored: one short log could make us store it again. */
export const storableName = (name: string | null): string | null =>
  name !== null && fitsInBytes(name, MAX_NAME_BYTES) ? storable(name) : null;

/**
 * Stores the name that a node below `addr.reverse` gives its address, after its resolver or one of its records changed.
 * Does nothing while the node's label (the address) is unknown. While a transaction may tell that it was known already,
 * the claim waits for it. Writes: primary_names, primary_name_changes, missing_transactions.
 *
 * @param isClaim true if the log itself is a claim: it is stored even if it repeats the last one
 */
export async function refreshClaim(
  context: Context,
  log: LogRef,
  reverse: Domain,
  isClaim = false,
): Promise<void> {
  const address = await findAddress(context, reverse);
  const isWaiting = await isAddressAwaited(context, reverse);
  if (address === null && !isWaiting) return;
  const now = await readClaimedName(context, log, reverse);
  const { name, isNameKnown } = now;
  if (isWaiting) {
    const stored = { name: storableName(name), isNameKnown, isRepeatable: isClaim };
    await awaitClaim(context, log, { node: reverse.node, isAddressKnown: address !== null, ...stored });
  } else if (address !== null) {
    await putNewClaim(context, log, { address, name, isNameKnown }, isClaim);
  }
}

/** Stores the name of a reverse node, unless it is the address's last claim. Writes: primary_names, primary_name_changes. */
export async function putNewClaim(
  context: Context,
  log: ClaimPlace,
  { address, ...now }: Pick<NameClaim, "address" | "name" | "isNameKnown">,
  isRepeatable: boolean,
): Promise<void> {
  const key = { address, coinType: Number(ETHEREUM_COIN_TYPE) };
  const before = await context.db.find(primaryName, key);
  const isSame =
    (before?.name ?? null) === storableName(now.name) && (before?.isNameKnown ?? true) === now.isNameKnown;
  if (isSame && !isRepeatable) return;
  await putClaim(context, log, { ...key, ...now, registrar: "REVERSE_REGISTRAR" });
}

/** The address that a node below `addr.reverse` is for. Its label can be known before the domain is named again. */
export async function findAddress(context: Context, reverse: Domain): Promise<Address | null> {
  if (reverse.parentNode !== ADDR_REVERSE_NODE || reverse.labelhash === null) return null;
  const label = reverse.isLabelKnown ? reverse.label : await findLabel(context, reverse.labelhash);
  return label !== null && /^[0-9a-f]{40}$/.test(label) ? `0x${label}` : null;
}

/** The `name` record of the reverse node at its current resolver. */
async function readClaimedName(context: Context, log: LogRef, reverse: Domain) {
  const { resolver, node } = reverse;
  if (resolver === null) return { name: null, isNameKnown: true };
  if (addressesOf(context, "DefaultReverseResolver").includes(resolver)) {
    return { name: await readNameAtBlock(context, reverse), isNameKnown: false };
  }
  const row = await context.db.find(resolverNode, { chainId: log.chainId, resolver, node });
  // Others than the deployment's resolvers need not log a name, or may give one by a rule.
  const isNameKnown = row !== null || isStaticResolver(context, resolver);
  return { name: exactText(row?.name ?? null), isNameKnown };
}

/**
 * The name at a resolver without events, at this block. The history shows it, but it counts as unknown later, because
 * it can change without a log.
 */
async function readNameAtBlock(context: Context, { resolver, node }: Domain): Promise<string | null> {
  if (resolver === null || !mayRead(context)) return null;
  return (await readRecord(context, resolver, { functionName: "name", args: [node] })) || null;
}
