import type { Address, Hex } from "viem";
import type { Contracts } from "../../../abis/contracts.ts";
import { DEFAULT_COIN_TYPE, ETHEREUM_COIN_TYPE } from "../../ens/coinType.ts";
import type { Ctx } from "../http/context.ts";
import type { Settled } from "../live/cache.ts";
import { LiveFailure } from "../live/failure.ts";
import type { LiveRecords } from "../live/records.ts";
import {
  type AddressRow,
  listDefaultNames,
  listEthereumAddresses,
  listReverseNames,
} from "../query/primaryNames.ts";
import { ApiError } from "../schemas/errors.ts";
import {
  ancestorNodes,
  isEthSecondLevel,
  type ParsedName,
  parseName,
  reverseNode,
} from "../schemas/input.ts";
import {
  type DomainState,
  failureOrThrow,
  listIndexedDomains,
  mayAncestorAnswer,
  toApiError,
} from "./domains.ts";

/** A name that an address claims and that resolves back to it; `facts` is null for a name that is in no event. */
export type PrimaryName = { name: string; registrar: string; facts: DomainState | null };

/** The primary name of an address, null where it is known to have none, and who told it. */
export type ResolvedPrimaryName = { primary: PrimaryName | null; source: "indexed" | "live" };

/** An error where only the chain can tell, and does not. */
export type Outcome = ResolvedPrimaryName | ApiError;

/** The primary name of an address. Throws LIVE_RESOLUTION_FAILED where only the chain can tell, and does not. */
export async function resolvePrimaryName(ctx: Ctx, address: Address): Promise<ResolvedPrimaryName> {
  const [outcome] = await resolvePrimaryNames(ctx, [address]);
  if (outcome instanceof ApiError) throw outcome;
  return outcome as ResolvedPrimaryName;
}

/**
 * Primary names on Ethereum (coin type 60) of addresses in lower case, in their order, by ENSIP-19: the address's own
 * reverse record, or else the default one; given only if the name is normalised and resolves to the address. A claim
 * is checked each time, because the name's address may change without a log of any reverse registrar. The answer
 * comes from the index where both resolvers are indexed, else from the chain.
 */
export async function resolvePrimaryNames(ctx: Ctx, addresses: readonly Address[]): Promise<Outcome[]> {
  const claims = await findClaims(ctx, addresses);
  const names = await resolveNames(
    ctx,
    claims.flatMap((claim) => (isClaim(claim) ? [claim.asked] : [])),
  );
  const outcomes = addresses.map((address, i) => {
    const claim = claims[i] ?? null;
    return isClaim(claim) ? verify(claim, address, names, ctx.contracts) : claim;
  });
  return askChain(ctx, { addresses, outcomes, names });
}

/** A normalised name that an address claims. */
type PrimaryNameClaim = { asked: ParsedName; registrar: string };

/** The address's own reverse resolver is not an indexed one: the chain alone knows the claim. */
const UNKNOWN_CLAIM = "unknown claim";

type FoundClaim = PrimaryNameClaim | null | typeof UNKNOWN_CLAIM;

const isClaim = (claim: FoundClaim): claim is PrimaryNameClaim => claim !== null && claim !== UNKNOWN_CLAIM;

async function findClaims({ db, contracts }: Ctx, addresses: readonly Address[]) {
  const nodes = addresses.map(reverseNode);
  const [reverseRows, defaultRows] = await Promise.all([
    listReverseNames(db, { chainId: contracts.chainId, nodes }),
    listDefaultNames(db, addresses),
  ]);
  const reverseNames = new Map(reverseRows.map((row) => [row.node, row]));
  const defaultNames = new Map(defaultRows.map((row) => [row.address, row.name]));
  return addresses.map((address, i): FoundClaim => {
    const { resolver = null, name = null } = reverseNames.get(nodes[i] as Hex) ?? {};
    // An own resolver ends the search, even with an empty name: only addresses without one have the default.
    if (resolver === null) return toClaim(defaultNames.get(address) ?? null, "DEFAULT_REVERSE_REGISTRAR");
    if (!contracts.isIndexedResolver(resolver)) return UNKNOWN_CLAIM;
    return toClaim(name, "REVERSE_REGISTRAR");
  });
}

/** A name that is not normalised names nobody; nor does one that spells a label by its hash, as only we do. */
function toClaim(name: string | null, registrar: string): PrimaryNameClaim | null {
  if (name === null || name.includes("[")) return null;
  try {
    const asked = parseName(name);
    return asked.name === name ? { asked, registrar } : null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** What the index holds of names and their parents. */
type Names = { facts: Map<Hex, DomainState>; records: AddressRow[] };

async function resolveNames(ctx: Ctx, asked: readonly ParsedName[]): Promise<Names> {
  const nodes = [...new Set(asked.map(({ node }) => node))];
  const parents = asked.flatMap(({ name }) => ancestorNodes(name));
  const [facts, records] = await Promise.all([
    listIndexedDomains(ctx, [...nodes, ...parents]),
    listEthereumAddresses(ctx.db, { chainId: ctx.contracts.chainId, nodes }),
  ]);
  return { facts, records };
}

/** What the index makes of a claim: the primary name, null, or the claim itself where only the chain can check it. */
function verify(
  claim: PrimaryNameClaim,
  address: Address,
  names: Names,
  contracts: Contracts,
): PrimaryName | null | PrimaryNameClaim {
  const { asked, registrar } = claim;
  const facts = names.facts.get(asked.node);
  if (!facts?.resolver) return mayParentAnswer(asked, names, contracts) ? claim : null;
  if (!contracts.isIndexedResolver(facts.resolver)) return claim;
  const records = names.records.filter(({ node }) => node === asked.node);
  const resolved = ethereumAddress(records, facts.resolver, contracts);
  return resolved === address ? { name: asked.name, registrar, facts } : null;
}

/** Whether a name without resolver may resolve all the same; a .eth name that was never registered does not. */
function mayParentAnswer(asked: ParsedName, { facts }: Names, contracts: Contracts): boolean {
  const expiry = facts.get(asked.node)?.expiryTimestamp ?? null;
  if (isEthSecondLevel(asked) && expiry === null) return false;
  return mayAncestorAnswer(asked.name, facts, contracts);
}

/** The address record of Ethereum; resolvers that know ENSIP-19 answer the default one in its place. */
function ethereumAddress(rows: readonly AddressRow[], resolver: Address, contracts: Contracts): Hex | null {
  const record = (coinType: bigint) => rows.find((row) => row.coinType === coinType)?.address ?? null;
  const own = record(ETHEREUM_COIN_TYPE);
  return own === null && contracts.answersDefaultAddress(resolver) ? record(DEFAULT_COIN_TYPE) : own;
}

type Halfway = PrimaryName | FoundClaim;

const needsForward = (outcome: Halfway): outcome is PrimaryNameClaim =>
  outcome !== null && outcome !== UNKNOWN_CLAIM && "asked" in outcome;

/** Fills in what the index could not tell: unknown claims, and claims of names that only the chain can resolve. */
async function askChain(
  ctx: Ctx,
  {
    addresses,
    outcomes,
    names,
  }: { addresses: readonly Address[]; outcomes: readonly Halfway[]; names: Names },
): Promise<Outcome[]> {
  const unknown = addresses.filter((_, i) => outcomes[i] === UNKNOWN_CLAIM);
  const claims = outcomes.filter(needsForward);
  if (unknown.length + claims.length === 0) return outcomes.map(toIndexed);
  const block = await ctx.liveBlock().catch(failureOrThrow);
  const failed = { failure: block as LiveFailure };
  const [reversed, resolved] =
    block instanceof LiveFailure
      ? [unknown.map(() => failed), claims.map(() => failed)]
      : await Promise.all([
          ctx.live.primaryNames(
            block,
            unknown.map((address) => ({ address, coinType: ETHEREUM_COIN_TYPE })),
          ),
          ctx.live.records(
            block,
            claims.map(({ asked }) => ({ ...asked, wanted: addressAlone })),
          ),
        ]);
  return outcomes.map((outcome, i): Outcome => {
    const address = addresses[i] as Address;
    if (outcome === UNKNOWN_CLAIM)
      return toOwnName(reversed[unknown.indexOf(address)] as Settled<string | null>);
    if (!needsForward(outcome)) return toIndexed(outcome);
    const answer = resolved[claims.indexOf(outcome)] as Settled<LiveRecords>;
    if ("failure" in answer) return toApiError(answer.failure);
    const { name, node } = outcome.asked;
    const isItsName = answer.answer.addresses[0]?.address === address;
    const facts = names.facts.get(node) ?? null;
    return { primary: isItsName ? { name, registrar: outcome.registrar, facts } : null, source: "live" };
  });
}

const toIndexed = (outcome: Halfway): Outcome => ({
  primary: outcome as PrimaryName | null,
  source: "indexed",
});

const addressAlone = { coinTypes: [ETHEREUM_COIN_TYPE], contenthash: false, texts: [] };

/** A name that the chain gave and checked counts only if it is normalised. */
function toOwnName(answer: Settled<string | null>): Outcome {
  if ("failure" in answer) return toApiError(answer.failure);
  const claim = toClaim(answer.answer, "REVERSE_REGISTRAR");
  const primary = claim && { name: claim.asked.name, registrar: claim.registrar, facts: null };
  return { primary, source: "live" };
}
