import type { Context } from "ponder:registry";
import { primaryName, primaryNameChange, resolverNode } from "ponder:schema";
import type { Address } from "viem";
import { ETHEREUM_COIN_TYPE } from "../../ens/coinType.ts";
import { ADDR_REVERSE_NODE } from "../../ens/name.ts";
import { readName } from "./archive.ts";
import { addressesOf, mayRead } from "./contracts.ts";
import type { Domain } from "./domains.ts";
import type { LogRef } from "./logRef.ts";

/** What an address says its name is. `isNameKnown` false: only the chain can tell. */
export type NameClaim = {
  address: Address;
  coinType: number;
  name: string | null;
  isNameKnown: boolean;
  registrar: "REVERSE_REGISTRAR" | "DEFAULT_REVERSE_REGISTRAR" | "L2_REVERSE_REGISTRAR";
};

/** Notes a claim as it was made. Writes: primary_names, primary_name_changes. */
export async function putClaim(context: Context, cause: LogRef, claim: NameClaim): Promise<void> {
  const { address, coinType, ...rest } = claim;
  const { chainId, blockNumber, transactionHash, logIndex, blockTimestamp } = cause;
  const columns = { ...rest, name: storableName(claim.name), chainId, blockNumber, transactionHash };
  await context.db
    .insert(primaryName)
    .values({ address, coinType, ...columns })
    .onConflictDoUpdate(columns);
  await context.db
    .insert(primaryNameChange)
    .values({ address, coinType, ...columns, logIndex, blockTimestamp });
}

/** A name with NUL can be no primary name (it is not normalised) and no text of PostgreSQL: U+2400 shows the place. */
const storableName = (name: string | null) => name?.replaceAll("\0", "\u2400") ?? null;

/**
 * Works out what a reverse node of `addr.reverse` names its address, after its resolver or a record of it changed.
 * Nodes whose label (the address) is not known are left alone until it is. Writes: primary_names, primary_name_changes.
 *
 * @param isClaim true if the log itself is a claim, which counts even if it repeats the last one
 */
export async function refreshClaim(
  context: Context,
  cause: LogRef,
  reverse: Domain,
  isClaim = false,
): Promise<void> {
  if (reverse.parentNode !== ADDR_REVERSE_NODE || !/^[0-9a-f]{40}$/.test(reverse.label)) return;
  const key = { address: `0x${reverse.label}` as Address, coinType: Number(ETHEREUM_COIN_TYPE) };
  const now = await readClaimedName(context, cause, reverse);
  const before = await context.db.find(primaryName, key);
  const isSame =
    (before?.name ?? null) === storableName(now.name) && (before?.isNameKnown ?? true) === now.isNameKnown;
  if (isSame && !isClaim) return;
  await putClaim(context, cause, { ...key, ...now, registrar: "REVERSE_REGISTRAR" });
}

/** The `name` record of the reverse node at its current resolver. */
async function readClaimedName(context: Context, cause: LogRef, reverse: Domain) {
  const { resolver, node } = reverse;
  if (resolver === null) return { name: null, isNameKnown: true };
  if (addressesOf(context, "SilentReverseResolver").includes(resolver)) {
    return { name: await readSilentName(context, reverse), isNameKnown: false };
  }
  const row = await context.db.find(resolverNode, { chainId: cause.chainId, resolver, node });
  return { name: row?.name ?? null, isNameKnown: true };
}

/**
 * The name at a resolver that emits no events, as of this block: worth keeping for the history, but never known to
 * hold later, since it can change without a log.
 */
async function readSilentName(context: Context, { resolver, node }: Domain): Promise<string | null> {
  if (resolver === null || !mayRead(context, "SilentReverseResolver")) return null;
  return (await readName(context, resolver, node)) || null;
}
