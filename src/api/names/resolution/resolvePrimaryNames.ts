import type { Address, Hex } from "viem";
import type { Contracts } from "../../../../abis/contracts.ts";
import { DEFAULT_COIN_TYPE, ETHEREUM_COIN_TYPE, isEvmCoinType } from "../../../ens/coinType.ts";
import { ROOT_NODE } from "../../../ens/name.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { mapYielding } from "../../server/scheduling/turns.ts";
import type { ChainResult } from "../live/cache.ts";
import { LiveFailure } from "../live/failure.ts";
import { listNodesWithText } from "../query/primaryNames.ts";
import type { ParsedName } from "../schemas/input.ts";
import { type AddressOf, readAddresses } from "./addressesOfNames.ts";
import { failureOrThrow, toApiError, withoutChain } from "./chain.ts";
import { isRegistered, mayResolverAboveAnswer, recordSource } from "./decision.ts";
import type { DomainState } from "./domainState.ts";
import type { IndexedNames } from "./indexedName.ts";
import { type ResolversAbove, readIndexed, readResolversAbove } from "./nameFacts.ts";
import {
  boundLabels,
  type Claim,
  findClaims,
  isClaim,
  type NameOfAddress,
  type PrimaryNameClaim,
  toClaim,
  UNKNOWN_CLAIM,
} from "./primaryNameClaims.ts";

/** A name that an address claims and that resolves back to it. `state` is null for a name that is in no event. */
export type PrimaryName = { name: string; registrar: string; state: DomainState | null };

/** The primary name of an address, null if it has none; an error if only the chain knows it, and it could not be read. */
export type PrimaryNameResult = { primary: PrimaryName | null; source: "indexed" | "live" } | ApiError;

/** An address, and the chain of its primary name; Ethereum by default. */
type PrimaryNameQuery = { address: Address; coinType?: bigint };

/** One result for each address. */
type Results<Asked extends readonly unknown[]> = { [Index in keyof Asked]: PrimaryNameResult };

/**
 * Primary names of lowercase addresses, in their order, by ENSIP-19: the name that the address set for the coin type, or else its
 * default one. A name counts only if it is normalised and resolves to the address. This is checked each time, because the address
 * of a name can change without a log of a reverse registrar. The answer comes from the index if both resolvers are indexed,
 * otherwise from the chain.
 *
 * @example
 * const [result] = await resolvePrimaryNames(ctx, [{ address }]);
 * return result instanceof ApiError ? "unknown" : (result.primary?.name ?? "none");
 */
export async function resolvePrimaryNames<const Asked extends readonly PrimaryNameQuery[]>(
  ctx: Ctx,
  queries: Asked,
): Promise<Results<Asked>> {
  const asked = queries.map(({ address, coinType = ETHEREUM_COIN_TYPE }) => ({ address, coinType }));
  return (await checkClaims(ctx, asked, await findClaims(ctx, asked))) as Results<Asked>;
}

async function checkClaims(
  ctx: Ctx,
  asked: readonly NameOfAddress[],
  found: readonly Claim[],
): Promise<PrimaryNameResult[]> {
  const claims = boundLabels(found);
  const names = claims.flatMap((claim) => (isClaim(claim) ? [claim.parsed] : []));
  const facts = await readClaimFacts(ctx, names, [...new Set(asked.map(({ coinType }) => coinType))]);
  const checks = await mapYielding(asked, (one, i) => {
    const claim = claims[i] ?? null;
    return isClaim(claim) ? verify(claim, one.address, facts, ctx.contracts) : claim;
  });
  return askChain(ctx, { asked, checks, facts });
}

/** A primary name verified by the index, and whether it has an avatar record in the index. */
export type VerifiedName = { name: string; hasAvatar: boolean };

/**
 * Primary names on Ethereum that the index can verify; null also for a name that only the chain can verify. If the index does not
 * know an address's claim, the claim that the chain returned within the last minutes is used.
 */
export async function readVerifiedNames(
  ctx: Ctx,
  addresses: readonly Address[],
): Promise<(VerifiedName | null)[]> {
  const asked = addresses.map((address) => ({ address, coinType: ETHEREUM_COIN_TYPE }));
  const claims = await recallClaims(ctx, asked, await findClaims(ctx, asked));
  const results = await checkClaims(withoutChain(ctx), asked, claims);
  const names = results.map((result) => (result instanceof ApiError ? null : result.primary));
  const nodes = names.flatMap((primary) => primary?.state?.node ?? []);
  const withAvatar = new Set(await listNodesWithText(ctx.db, { nodes, key: "avatar" }));
  return names.map(
    (primary) =>
      primary && { name: primary.name, hasAvatar: withAvatar.has(primary.state?.node ?? ROOT_NODE) },
  );
}

async function recallClaims(
  { live }: Ctx,
  asked: readonly NameOfAddress[],
  claims: readonly Claim[],
): Promise<Claim[]> {
  const unknown = asked.filter((_, i) => claims[i] === UNKNOWN_CLAIM);
  const names = await live.recentPrimaryNames(unknown);
  const nameOf = new Map(unknown.map((one, i) => [one, names[i]]));
  return claims.map((claim, i) => {
    const name = nameOf.get(asked[i] as NameOfAddress);
    return name ? toClaim(name, { registrar: "REVERSE_REGISTRAR", coinType: ETHEREUM_COIN_TYPE }) : claim;
  });
}

/** True if addresses can have names for a coin type: those of EVM chains, and the default one (ENSIP-19). */
export const hasPrimaryNames = (coinType: bigint): boolean =>
  isEvmCoinType(coinType) && coinType < 2n * DEFAULT_COIN_TYPE;

/** What the index has about claimed names. */
type ClaimFacts = { names: IndexedNames; above: ReadonlyMap<Hex, ResolversAbove>; addressOf: AddressOf };

async function readClaimFacts(
  ctx: Ctx,
  claimed: readonly ParsedName[],
  coinTypes: readonly bigint[],
): Promise<ClaimFacts> {
  const names = await readIndexed(ctx, claimed);
  const states = [...names.values()].map(({ state }) => state);
  const [above, addressOf] = await Promise.all([
    readResolversAbove(
      ctx,
      claimed.filter(({ node }) => !names.get(node)?.state.resolver),
    ),
    readAddresses(ctx, states, coinTypes),
  ]);
  return { names, above: new Map([...above].map(([{ node }, resolvers]) => [node, resolvers])), addressOf };
}

/** Checks a claim by the index. Returns the primary name, null, or the claim itself if only the chain can check it. */
function verify(
  claim: PrimaryNameClaim,
  address: Address,
  { names, above, addressOf }: ClaimFacts,
  contracts: Contracts,
): PrimaryName | null | PrimaryNameClaim {
  const { parsed, registrar, coinType } = claim;
  const state = names.get(parsed.node)?.state ?? null;
  if (needsChain(parsed, { state, above: above.get(parsed.node) ?? [] }, contracts)) return claim;
  return state && addressOf(state, coinType) === address ? { name: parsed.name, registrar, state } : null;
}

/** True if only the chain knows the address of a name: its resolver, or the one above it, is not indexed. */
function needsChain(
  parsed: ParsedName,
  { state, above }: { state: DomainState | null; above: ResolversAbove },
  contracts: Contracts,
): boolean {
  const source = recordSource(state, contracts);
  if (source !== "resolverAbove") return source === "chain";
  return isRegistered(parsed, state) && mayResolverAboveAnswer(above, contracts);
}

/** A claim, as far as the index could check it. */
type Check = PrimaryName | Claim | ApiError;

const needsForward = (check: Check): check is PrimaryNameClaim =>
  check !== null && check !== UNKNOWN_CLAIM && "parsed" in check;

type Checks = { asked: readonly NameOfAddress[]; checks: readonly Check[]; facts: ClaimFacts };

/** Reads unknown claims from the chain, and claims to names that only the chain can resolve. */
async function askChain(ctx: Ctx, { asked, checks, facts }: Checks): Promise<PrimaryNameResult[]> {
  const unknown = asked.filter((_, i) => checks[i] === UNKNOWN_CLAIM);
  const claims = checks.filter(needsForward);
  if (unknown.length + claims.length === 0) return checks.map(toIndexed);
  const block = await ctx.liveBlock().catch(failureOrThrow);
  if (block instanceof LiveFailure) {
    return checks.map((check) =>
      check === UNKNOWN_CLAIM || needsForward(check) ? toApiError(block) : toIndexed(check),
    );
  }
  const questions = claims.map(({ parsed, coinType }) => ({
    ...parsed,
    wanted: { coinTypes: [coinType], contenthash: false, texts: [] },
  }));
  const [reverse, forward] = await Promise.all([
    ctx.live.primaryNames(block, unknown),
    ctx.live.records(block, questions),
  ]);
  const reverseOf = new Map(unknown.map((one, i) => [one, reverse[i] as (typeof reverse)[number]]));
  const forwardOf = new Map(claims.map((claim, i) => [claim, forward[i] as (typeof forward)[number]]));
  return checks.map((check, i): PrimaryNameResult => {
    const one = asked[i] as NameOfAddress;
    if (check === UNKNOWN_CLAIM) return fromReverse(reverseOf.get(one) as ChainResult<string | null>, one);
    if (!needsForward(check)) return toIndexed(check);
    const result = forwardOf.get(check) as (typeof forward)[number];
    if ("failure" in result) return toApiError(result.failure);
    const { name, node } = check.parsed;
    const isItsName = result.answer.addresses[0]?.address === one.address;
    const state = facts.names.get(node)?.state ?? null;
    return { primary: isItsName ? { name, registrar: check.registrar, state } : null, source: "live" };
  });
}

const toIndexed = (check: Check): PrimaryNameResult =>
  check instanceof ApiError ? check : { primary: check as PrimaryName | null, source: "indexed" };

/** A name that the chain returned and checked counts only if it is normalised. */
function fromReverse(result: ChainResult<string | null>, { coinType }: NameOfAddress): PrimaryNameResult {
  if ("failure" in result) return toApiError(result.failure);
  const registrar = coinType === ETHEREUM_COIN_TYPE ? "REVERSE_REGISTRAR" : "L2_REVERSE_REGISTRAR";
  const claim = toClaim(result.answer, { registrar, coinType });
  const primary = claim && { name: claim.parsed.name, registrar: claim.registrar, state: null };
  return { primary, source: "live" };
}
