import type { Address, Hex } from "viem";
import type { Contracts } from "../../../abis/contracts.ts";
import { DEFAULT_COIN_TYPE, ETHEREUM_COIN_TYPE } from "../../ens/coinType.ts";
import { ApiError } from "../errors/errors.ts";
import type { Ctx } from "../http/context.ts";
import type { Settled } from "../live/cache.ts";
import { LiveFailure } from "../live/failure.ts";
import type { LiveRecords } from "../live/records.ts";
import {
  type AddressRow,
  listAddressesAt,
  listDefaultNames,
  listEthereumAddresses,
  listReverseNames,
} from "../query/primaryNames.ts";
import { mapYielding } from "../scheduling/turns.ts";
import { type ParsedName, parseName, reverseNode } from "../schemas/input.ts";
import type { Block } from "../serviceDb/liveAnswers.ts";
import { failureOrThrow, toApiError } from "./chain.ts";
import { isRegistered, mayResolverAboveAnswer, whoTellsRecords } from "./decision.ts";
import type { DomainState } from "./domainState.ts";
import { recordsOf } from "./ensv2/records.ts";
import type { FoundByNode } from "./found.ts";
import { type ResolversAbove, readFound, readResolversAbove } from "./known.ts";

/** A name that an address claims and that resolves back to it; `state` is null for a name that no event named. */
export type PrimaryName = { name: string; registrar: string; state: DomainState | null };

/** The primary name of an address, null if it is known to have none, and where that comes from. */
export type ResolvedPrimaryName = { primary: PrimaryName | null; source: "indexed" | "live" };

/** An error where only the chain can tell, and could not be asked. */
export type Outcome = ResolvedPrimaryName | ApiError;

/**
 * The primary name of an address, or the error in its place.
 *
 * @example
 * const outcome = await tryPrimaryName(ctx, "0x70997970c51812dc3a010c7d01b50e0d17dc79c8");
 * return outcome instanceof ApiError ? "unknown" : (outcome.primary?.name ?? "none");
 */
export async function tryPrimaryName(ctx: Ctx, address: Address): Promise<Outcome> {
  const [outcome] = await resolvePrimaryNames(ctx, [address]);
  return outcome as Outcome;
}

/**
 * Primary names on Ethereum (coin type 60) of addresses in lower case, in their order, by ENSIP-19: the address's own
 * reverse record, else the default one. A name counts only if it is normalised and resolves to the address. That is
 * checked each time, because the address of a name can change without a log of a reverse registrar. The answer comes
 * from the index if both resolvers are indexed, else from the chain.
 */
export async function resolvePrimaryNames(ctx: Ctx, addresses: readonly Address[]): Promise<Outcome[]> {
  const claims = boundLabels(await findClaims(ctx, addresses));
  const names = await readNames(
    ctx,
    claims.flatMap((claim) => (isClaim(claim) ? [claim.parsed] : [])),
  );
  const outcomes = await mapYielding(addresses, (address, i) => {
    const claim = claims[i] ?? null;
    if (claim instanceof ApiError) return claim;
    return isClaim(claim) ? verify(claim, address, names, ctx.contracts) : claim;
  });
  return askChain(ctx, { addresses, outcomes, names });
}

/** A normalised name that an address claims. */
type PrimaryNameClaim = { parsed: ParsedName; registrar: string };

/** The address's own reverse resolver is not an indexed one: only the chain knows the claim. */
const UNKNOWN_CLAIM = "unknown claim";

type FoundClaim = PrimaryNameClaim | null | typeof UNKNOWN_CLAIM;

const isClaim = (claim: FoundClaim | ApiError): claim is PrimaryNameClaim =>
  claim !== null && claim !== UNKNOWN_CLAIM && !(claim instanceof ApiError);

/**
 * Labels of all names that the addresses of one request claim. Each may be an ancestor to look for, and strangers can
 * claim names of 512 labels. Those with the fewest labels are resolved.
 */
export const MAX_CLAIMED_LABELS = 5_000;

function boundLabels(claims: readonly FoundClaim[]): (FoundClaim | ApiError)[] {
  const labelsOf = (claim: PrimaryNameClaim) => claim.parsed.name.split(".").length;
  const fewestFirst = claims.filter(isClaim).sort((a, b) => labelsOf(a) - labelsOf(b));
  const refused = new Set<FoundClaim>();
  let labels = 0;
  for (const claim of fewestFirst) {
    labels += labelsOf(claim);
    if (labels > MAX_CLAIMED_LABELS) refused.add(claim);
  }
  return refused.size === 0 ? [...claims] : claims.map((claim) => (refused.has(claim) ? tooMany() : claim));
}

const tooMany = (): ApiError =>
  new ApiError(
    "LIMIT_EXCEEDED",
    `The names that these addresses claim have more than ${MAX_CLAIMED_LABELS} labels in all: ask for fewer addresses at once.`,
  );

async function findClaims({ db, contracts }: Ctx, addresses: readonly Address[]) {
  const nodes = await mapYielding(addresses, reverseNode);
  const [reverseRows, defaultRows] = await Promise.all([
    listReverseNames(db, { chainId: contracts.chainId, nodes }),
    listDefaultNames(db, addresses),
  ]);
  const reverseNames = new Map(reverseRows.map((row) => [row.node, row]));
  const defaultNames = new Map(defaultRows.map((row) => [row.address, row.name]));
  return mapYielding(addresses, (address, i): FoundClaim => {
    const { resolver = null, name = null } = reverseNames.get(nodes[i] as Hex) ?? {};
    // An address with a resolver of its own never has the default name, even if its own name is empty.
    if (resolver === null) return toClaim(defaultNames.get(address) ?? null, "DEFAULT_REVERSE_REGISTRAR");
    if (!contracts.isIndexedResolver(resolver)) return UNKNOWN_CLAIM;
    return toClaim(name, "REVERSE_REGISTRAR");
  });
}

/** A name that is not normalised is no primary name; nor is one with a label written as its hash, which only we do. */
function toClaim(name: string | null, registrar: string): PrimaryNameClaim | null {
  if (name === null || name.includes("[")) return null;
  try {
    const parsed = parseName(name);
    return parsed.name === name ? { parsed, registrar } : null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** What the index has of names: of each its state, its address records, and the resolvers above one without resolver. */
type IndexedNames = {
  found: FoundByNode;
  above: ReadonlyMap<Hex, ResolversAbove>;
  records: ReadonlyMap<Hex, readonly AddressRow[]>;
};

async function readNames(ctx: Ctx, names: readonly ParsedName[]): Promise<IndexedNames> {
  const { chainId } = ctx.contracts;
  const nodes = [...new Set(names.map(({ node }) => node))];
  const [found, rows] = await Promise.all([
    readFound(ctx, names),
    listEthereumAddresses(ctx.db, { chainId, nodes }),
  ]);
  const states = [...found.values()].map(({ state }) => state);
  const bare = names.filter(({ node }) => !found.get(node)?.state.resolver);
  const [above, ofLayer2, ofEnsv2] = await Promise.all([
    readResolversAbove(ctx, bare),
    listAddressesOfLayer2(ctx, states),
    listAddressesOfEnsv2(ctx, states),
  ]);
  return {
    found,
    above: new Map([...above].map(([{ node }, resolvers]) => [node, resolvers])),
    records: new Map<Hex, readonly AddressRow[]>([
      ...Map.groupBy(rows, ({ node }) => node),
      ...ofLayer2,
      ...ofEnsv2,
    ]),
  };
}

/** Address records of the names for which a row of a layer 2 answers. */
async function listAddressesOfLayer2(
  { db, contracts }: Ctx,
  states: readonly DomainState[],
): Promise<Map<Hex, AddressRow[]>> {
  const elsewhere = states.filter(({ chainId }) => contracts.managed.some((one) => one.chainId === chainId));
  const byChain = [...Map.groupBy(elsewhere, ({ chainId }) => chainId)];
  const rows = await Promise.all(
    byChain.map(([chainId, some]) =>
      listEthereumAddresses(db, { chainId, nodes: some.map(({ node }) => node) }),
    ),
  );
  const found = new Map<Hex, AddressRow[]>(elsewhere.map(({ node }) => [node, []]));
  for (const row of rows.flat()) found.get(row.node)?.push(row);
  return found;
}

/** Address records of names of ENSv2. */
async function listAddressesOfEnsv2(
  { db, contracts: { chainId } }: Ctx,
  states: readonly DomainState[],
): Promise<Map<Hex, AddressRow[]>> {
  const asked = states.flatMap((state) => {
    const key = state.ensv2?.protocol === "ensv2" ? recordsOf(state) : null;
    return key ? [{ node: state.node, key }] : [];
  });
  const rows = await listAddressesAt(db, { chainId, records: asked.map(({ key }) => key) });
  return new Map(
    asked.map(({ node, key }) => [
      node,
      rows.filter((row) => row.resolver === key.resolver && row.node === key.node),
    ]),
  );
}

/** A claim checked by the index: the primary name, null, or the claim itself if only the chain can check it. */
function verify(
  claim: PrimaryNameClaim,
  address: Address,
  names: IndexedNames,
  contracts: Contracts,
): PrimaryName | null | PrimaryNameClaim {
  const { parsed, registrar } = claim;
  const state = names.found.get(parsed.node)?.state ?? null;
  if (needsChain(parsed, { state, above: names.above.get(parsed.node) ?? [] }, contracts)) return claim;
  const key = state && recordsOf(state);
  if (key === null) return null;
  // Resolvers of ENSv2 whose records have numbers answer the default address, too.
  const hasDefault = key.node !== parsed.node || contracts.answersDefaultAddress(key.resolver, key.chainId);
  const resolved = ethereumAddress(names.records.get(parsed.node) ?? [], hasDefault);
  return resolved === address ? { name: parsed.name, registrar, state } : null;
}

/** Whether only the chain can tell the address of a name: its resolver, or the one above it, is not an indexed one. */
function needsChain(
  parsed: ParsedName,
  { state, above }: { state: DomainState | null; above: ResolversAbove },
  contracts: Contracts,
): boolean {
  const by = whoTellsRecords(state, contracts);
  if (by !== "resolverAbove") return by === "chain";
  return isRegistered(parsed, state) && mayResolverAboveAnswer(above, contracts);
}

/** The address record for Ethereum. Resolvers with ENSIP-19 answer the default address if there is none. */
function ethereumAddress(rows: readonly AddressRow[], hasDefault: boolean): Hex | null {
  const record = (coinType: bigint) => rows.find((row) => row.coinType === coinType)?.address ?? null;
  const own = record(ETHEREUM_COIN_TYPE);
  return own === null && hasDefault ? record(DEFAULT_COIN_TYPE) : own;
}

type UncheckedOutcome = PrimaryName | FoundClaim | ApiError;

const needsForward = (outcome: UncheckedOutcome): outcome is PrimaryNameClaim =>
  outcome !== null && outcome !== UNKNOWN_CLAIM && "parsed" in outcome;

/** Asks the chain for what the index cannot know: unknown claims, and claims of names that only the chain can resolve. */
async function askChain(
  ctx: Ctx,
  {
    addresses,
    outcomes,
    names,
  }: { addresses: readonly Address[]; outcomes: readonly UncheckedOutcome[]; names: IndexedNames },
): Promise<Outcome[]> {
  const unknown = addresses.filter((_, i) => outcomes[i] === UNKNOWN_CLAIM);
  const claims = outcomes.filter(needsForward);
  if (unknown.length + claims.length === 0) return outcomes.map(toIndexed);
  const block = await ctx.liveBlock().catch(failureOrThrow);
  const [reversed, resolved] =
    block instanceof LiveFailure
      ? [failing(unknown, block), failing(claims, block)]
      : await Promise.all([askReverse(ctx, block, unknown), askForward(ctx, block, claims)]);
  return outcomes.map((outcome, i): Outcome => {
    const address = addresses[i] as Address;
    if (outcome === UNKNOWN_CLAIM) return toOwnName(reversed.get(address) as Settled<string | null>);
    if (!needsForward(outcome)) return toIndexed(outcome);
    const answer = resolved.get(outcome) as Settled<LiveRecords>;
    if ("failure" in answer) return toApiError(answer.failure);
    const { name, node } = outcome.parsed;
    const isItsName = answer.answer.addresses[0]?.address === address;
    const state = names.found.get(node)?.state ?? null;
    return { primary: isItsName ? { name, registrar: outcome.registrar, state } : null, source: "live" };
  });
}

/** Answers of the chain by what was asked. */
type Answers<Ask, Answer> = ReadonlyMap<Ask, Settled<Answer>>;

const failing = <Ask>(asks: readonly Ask[], failure: LiveFailure): Answers<Ask, never> =>
  new Map(asks.map((ask) => [ask, { failure }]));

async function askReverse(
  { live }: Ctx,
  block: Block,
  addresses: readonly Address[],
): Promise<Answers<Address, string | null>> {
  const questions = addresses.map((address) => ({ address, coinType: ETHEREUM_COIN_TYPE }));
  const answers = await live.primaryNames(block, questions);
  return new Map(addresses.map((address, i) => [address, answers[i] as Settled<string | null>]));
}

async function askForward(
  { live }: Ctx,
  block: Block,
  claims: readonly PrimaryNameClaim[],
): Promise<Answers<PrimaryNameClaim, LiveRecords>> {
  const questions = claims.map(({ parsed }) => ({ ...parsed, wanted: addressOnly }));
  const answers = await live.records(block, questions);
  return new Map(claims.map((claim, i) => [claim, answers[i] as Settled<LiveRecords>]));
}

const toIndexed = (outcome: UncheckedOutcome): Outcome =>
  outcome instanceof ApiError ? outcome : { primary: outcome as PrimaryName | null, source: "indexed" };

const addressOnly = { coinTypes: [ETHEREUM_COIN_TYPE], contenthash: false, texts: [] };

/** A name that the chain told and checked counts only if it is normalised. */
function toOwnName(answer: Settled<string | null>): Outcome {
  if ("failure" in answer) return toApiError(answer.failure);
  const claim = toClaim(answer.answer, "REVERSE_REGISTRAR");
  const primary = claim && { name: claim.parsed.name, registrar: claim.registrar, state: null };
  return { primary, source: "live" };
}
