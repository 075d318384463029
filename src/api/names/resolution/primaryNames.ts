import type { Address } from "viem";
import type { Contracts } from "../../../../abis/contracts.ts";
import { DEFAULT_COIN_TYPE, ETHEREUM_COIN_TYPE, isEvmCoinType } from "../../../ens/coinType.ts";
import { ROOT_NODE } from "../../../ens/name.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { mapYielding } from "../../server/scheduling/turns.ts";
import type { Block } from "../../server/serviceDb/liveAnswers.ts";
import type { ChainResult } from "../live/cache.ts";
import { LiveFailure } from "../live/failure.ts";
import type { LiveRecords } from "../live/records.ts";
import { listNodesWithText } from "../query/primaryNames.ts";
import type { ParsedName } from "../schemas/input.ts";
import { type AddressFacts, addressOf, hasDefaultAddress, readNames } from "./addressesOfNames.ts";
import { failureOrThrow, toApiError } from "./chain.ts";
import { isRegistered, mayResolverAboveAnswer, recordSource } from "./decision.ts";
import type { DomainState } from "./domainState.ts";
import { recordsOf } from "./ensv2/records.ts";
import type { ResolversAbove } from "./nameFacts.ts";
import {
  boundLabels,
  type FoundClaim,
  findClaims,
  isClaim,
  type NameOfAddress,
  type PrimaryNameClaim,
  toClaim,
  UNKNOWN_CLAIM,
} from "./primaryNameClaims.ts";
import { withoutChain } from "./withoutChain.ts";

/** A name that an address claims and that resolves back to it; `state` is null for a name that no event named. */
export type PrimaryName = { name: string; registrar: string; state: DomainState | null };

/** The primary name of an address, null if it is known to have none, and where that comes from. */
export type ResolvedPrimaryName = { primary: PrimaryName | null; source: "indexed" | "live" };

/** An error where only the chain can tell, and could not be asked. */
export type PrimaryNameResult = ResolvedPrimaryName | ApiError;

/**
 * The primary name of an address for a coin type, by default on Ethereum, or the error in its place.
 *
 * @example
 * const outcome = await tryPrimaryName(ctx, "0x70997970c51812dc3a010c7d01b50e0d17dc79c8");
 * return outcome instanceof ApiError ? "unknown" : (outcome.primary?.name ?? "none");
 */
export async function tryPrimaryName(
  ctx: Ctx,
  address: Address,
  coinType = ETHEREUM_COIN_TYPE,
): Promise<PrimaryNameResult> {
  const [outcome] = await resolvePrimaryNamesOn(ctx, [{ address, coinType }]);
  return outcome as PrimaryNameResult;
}

/**
 * Primary names on Ethereum (coin type 60) of addresses in lower case, in their order, by ENSIP-19: the address's own
 * reverse record, else the default one. A name counts only if it is normalised and resolves to the address. That is
 * checked each time, because the address of a name can change without a log of a reverse registrar. The answer comes
 * from the index if both resolvers are indexed, else from the chain.
 */
export const resolvePrimaryNames = (ctx: Ctx, addresses: readonly Address[]): Promise<PrimaryNameResult[]> =>
  resolvePrimaryNamesOn(
    ctx,
    addresses.map((address) => ({ address, coinType: ETHEREUM_COIN_TYPE })),
  );

/** A primary name that the index verified, and whether it has an avatar record in the index. */
export type VerifiedName = { name: string; hasAvatar: boolean };

/**
 * The same by the index alone: a name that only the chain can tell or verify is null, as that of an address without one. The
 * chain is never asked.
 */
export async function readVerifiedNames(
  ctx: Ctx,
  addresses: readonly Address[],
): Promise<(VerifiedName | null)[]> {
  const outcomes = await resolvePrimaryNames(withoutChain(ctx), addresses);
  const names = outcomes.map((outcome) => (outcome instanceof ApiError ? null : outcome.primary));
  const nodes = names.flatMap((primary) => primary?.state?.node ?? []);
  const withAvatar = new Set(await listNodesWithText(ctx.db, { nodes, key: "avatar" }));
  return names.map(
    (primary) =>
      primary && { name: primary.name, hasAvatar: withAvatar.has(primary.state?.node ?? ROOT_NODE) },
  );
}

/** Whether addresses have names for a coin type: those of EVM chains, and the default one (ENSIP-19). */
export const hasPrimaryNames = (coinType: bigint): boolean =>
  isEvmCoinType(coinType) && coinType < 2n * DEFAULT_COIN_TYPE;

/** The same for each coin type: the name that the address set for the chain, else the default one. */
export async function resolvePrimaryNamesOn(
  ctx: Ctx,
  asked: readonly NameOfAddress[],
): Promise<PrimaryNameResult[]> {
  const claims = boundLabels(await findClaims(ctx, asked));
  const names = await readNames(ctx, {
    names: claims.flatMap((claim) => (isClaim(claim) ? [claim.parsed] : [])),
    coinTypes: [...new Set([DEFAULT_COIN_TYPE, ...asked.map(({ coinType }) => coinType)])],
  });
  const outcomes = await mapYielding(asked, (one, i) => {
    const claim = claims[i] ?? null;
    if (claim instanceof ApiError) return claim;
    return isClaim(claim) ? verify(claim, one, names, ctx.contracts) : claim;
  });
  return askChain(ctx, { asked, outcomes, names });
}

/** A claim checked by the index: the primary name, null, or the claim itself if only the chain can check it. */
function verify(
  claim: PrimaryNameClaim,
  { address, coinType }: NameOfAddress,
  names: AddressFacts,
  contracts: Contracts,
): PrimaryName | null | PrimaryNameClaim {
  const { parsed, registrar } = claim;
  const state = names.found.get(parsed.node)?.state ?? null;
  if (needsChain(parsed, { state, above: names.above.get(parsed.node) ?? [] }, contracts)) return claim;
  const key = state && recordsOf(state);
  if (key === null) return null;
  const hasDefault = hasDefaultAddress(parsed.node, key, contracts);
  const resolved = addressOf(names.records.get(parsed.node) ?? [], { coinType, hasDefault });
  return resolved === address ? { name: parsed.name, registrar, state } : null;
}

/** Whether only the chain can tell the address of a name: its resolver, or the one above it, is not an indexed one. */
function needsChain(
  parsed: ParsedName,
  { state, above }: { state: DomainState | null; above: ResolversAbove },
  contracts: Contracts,
): boolean {
  const by = recordSource(state, contracts);
  if (by !== "resolverAbove") return by === "chain";
  return isRegistered(parsed, state) && mayResolverAboveAnswer(above, contracts);
}

type UncheckedOutcome = PrimaryName | FoundClaim | ApiError;

const needsForward = (outcome: UncheckedOutcome): outcome is PrimaryNameClaim =>
  outcome !== null && outcome !== UNKNOWN_CLAIM && "parsed" in outcome;

/** Asks the chain for what the index cannot know: unknown claims, and claims of names that only the chain can resolve. */
async function askChain(
  ctx: Ctx,
  {
    asked,
    outcomes,
    names,
  }: { asked: readonly NameOfAddress[]; outcomes: readonly UncheckedOutcome[]; names: AddressFacts },
): Promise<PrimaryNameResult[]> {
  const unknown = asked.filter((_, i) => outcomes[i] === UNKNOWN_CLAIM);
  const claims = outcomes.filter(needsForward);
  if (unknown.length + claims.length === 0) return outcomes.map(toIndexed);
  const block = await ctx.liveBlock().catch(failureOrThrow);
  const [reversed, resolved] =
    block instanceof LiveFailure
      ? [failing(unknown, block), failing(claims, block)]
      : await Promise.all([askReverse(ctx, block, unknown), askForward(ctx, block, claims)]);
  return outcomes.map((outcome, i): PrimaryNameResult => {
    const one = asked[i] as NameOfAddress;
    if (outcome === UNKNOWN_CLAIM) return toOwnName(reversed.get(one) as ChainResult<string | null>, one);
    if (!needsForward(outcome)) return toIndexed(outcome);
    const answer = resolved.get(outcome) as ChainResult<LiveRecords>;
    if ("failure" in answer) return toApiError(answer.failure);
    const { name, node } = outcome.parsed;
    const isItsName = answer.answer.addresses[0]?.address === one.address;
    const state = names.found.get(node)?.state ?? null;
    return { primary: isItsName ? { name, registrar: outcome.registrar, state } : null, source: "live" };
  });
}

/** Answers of the chain by what was asked. */
type Answers<Ask, Answer> = ReadonlyMap<Ask, ChainResult<Answer>>;

const failing = <Ask>(asks: readonly Ask[], failure: LiveFailure): Answers<Ask, never> =>
  new Map(asks.map((ask) => [ask, { failure }]));

async function askReverse(
  { live }: Ctx,
  block: Block,
  asked: readonly NameOfAddress[],
): Promise<Answers<NameOfAddress, string | null>> {
  const answers = await live.primaryNames(block, asked);
  return new Map(asked.map((one, i) => [one, answers[i] as ChainResult<string | null>]));
}

async function askForward(
  { live }: Ctx,
  block: Block,
  claims: readonly PrimaryNameClaim[],
): Promise<Answers<PrimaryNameClaim, LiveRecords>> {
  const questions = claims.map(({ parsed, coinType }) => ({
    ...parsed,
    wanted: { coinTypes: [coinType], contenthash: false, texts: [] },
  }));
  const answers = await live.records(block, questions);
  return new Map(claims.map((claim, i) => [claim, answers[i] as ChainResult<LiveRecords>]));
}

const toIndexed = (outcome: UncheckedOutcome): PrimaryNameResult =>
  outcome instanceof ApiError ? outcome : { primary: outcome as PrimaryName | null, source: "indexed" };

/** A name that the chain told and checked counts only if it is normalised. */
function toOwnName(answer: ChainResult<string | null>, { coinType }: NameOfAddress): PrimaryNameResult {
  if ("failure" in answer) return toApiError(answer.failure);
  const registrar = coinType === ETHEREUM_COIN_TYPE ? "REVERSE_REGISTRAR" : "L2_REVERSE_REGISTRAR";
  const claim = toClaim(answer.answer, { registrar, coinType });
  const primary = claim && { name: claim.parsed.name, registrar: claim.registrar, state: null };
  return { primary, source: "live" };
}
