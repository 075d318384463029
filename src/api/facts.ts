import type { Address, Hex } from "viem";
import type { Ctx } from "./context.ts";
import { ApiError } from "./errors.ts";
import { type AskedName, isEthSecondLevel } from "./input.ts";
import type { StoredOwners } from "./ownership.ts";
import { findDomain, listDomains } from "./query/domains.ts";

/** What is known of a domain, whether it came from the index or from the chain. */
export type DomainFacts = StoredOwners & {
  node: Hex;
  parentNode: Hex | null;
  labelhash: Hex | null;
  label: string;
  labelLength: number | null;
  fullName: string;
  expiryTimestamp: bigint | null;
  resolver: Address | null;
  /** The name's `display` text record. */
  displayText: string | null;
};

/** Facts with where they come from; `facts` is null for a name of which nothing is known. */
export type Found = { facts: DomainFacts | null; source: "indexed" | "live" };

/** What is known of the name that is asked for. */
export async function findFacts(ctx: Ctx, name: AskedName): Promise<Found> {
  const facts = await findDomain(ctx.db, { chainId: ctx.contracts.chainId, node: name.node });
  return { facts, source: "indexed" };
}

/** What is known of many nodes; those that the index does not hold are left out. */
export async function findFactsMany(ctx: Ctx, nodes: readonly Hex[]): Promise<Map<Hex, DomainFacts>> {
  const rows = await listDomains(ctx.db, { chainId: ctx.contracts.chainId, nodes: [...new Set(nodes)] });
  return new Map(rows.map((row) => [row.node, row]));
}

/**
 * The resolver of a name whose records the index may answer for; null if the name is known to have no records: a .eth
 * name that was never registered. Throws LIVE_RESOLUTION_FAILED if only the chain can tell.
 */
export function requireIndexedResolver(
  { contracts }: Ctx,
  name: AskedName,
  { facts }: Found,
): Address | null {
  const resolver = facts?.resolver ?? null;
  if (resolver !== null && contracts.isIndexedResolver(resolver)) return resolver;
  const wasNeverRegistered = isEthSecondLevel(name) && (facts?.expiryTimestamp ?? null) === null;
  if (resolver === null && wasNeverRegistered) return null;
  throw needsLive();
}

/** The error for what only the chain can answer. */
export const needsLive = () =>
  new ApiError(
    "LIVE_RESOLUTION_FAILED",
    "The index cannot answer for this name: its resolver is not tracked. It has to be resolved on chain, which is not possible here.",
  );
