import type { Address } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import type { AddressAt } from "../query/addresses/ownerConditions.ts";
import { askedChains } from "../resolution/askedChains.ts";
import { toAddress } from "../serializers/hex.ts";

/* Shared by the operations on an address. */

/** Sentences that several descriptions share. */
export const COUNTED = "Reverse nodes (`<address>.addr.reverse`) are not counted as names.";
export const CHAINS = "One list merges the names of all indexed chains; a node on two chains appears twice.";

/** The address of a request, and its chains: all, unless the caller names some. */
export const addressAt = (
  { contracts, now }: Ctx,
  { address, chain }: { address: Address; chain?: readonly string[] | undefined },
): AddressAt => ({
  chains: askedChains(chain, contracts),
  address,
  isWrapper: contracts.wrappers.includes(address),
  now,
});

/** Adds the address of a request to the fields of its answer. */
export const withAddress =
  <Request extends { address: Address }, Fields extends object>(
    read: (ctx: Ctx, request: Request) => Promise<Fields>,
  ) =>
  async (request: Request, ctx: Ctx) => ({
    address: toAddress(request.address),
    ...(await read(ctx, request)),
  });

/** Counts by chain; only present if several chains are indexed. */
export const byChain = <Counts extends object>(
  { contracts: { chainIds, chainName } }: Ctx,
  countsOf: (chainId: number) => Counts,
): { by_chain?: ({ chain: string } & Counts)[] } =>
  chainIds.length > 1
    ? { by_chain: chainIds.map((chainId) => ({ chain: chainName(chainId), ...countsOf(chainId) })) }
    : {};

export const BY_CHAIN = "Present if names of several chains are indexed: the same for each chain";
