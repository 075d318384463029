import { type Address, type Hex, zeroAddress } from "viem";
import type { Contracts } from "../../../abis/contracts.ts";
import { coinTypeOfChain, DEFAULT_COIN_TYPE, ETHEREUM_COIN_TYPE, isEvmCoinType } from "../../ens/coinType.ts";
import { ROOT_NODE } from "../../ens/name.ts";
import { ApiError } from "../errors/errors.ts";
import type { Ctx } from "../http/context.ts";
import type { Settled } from "../live/cache.ts";
import { LiveFailure } from "../live/failure.ts";
import type { LiveRecords } from "../live/records.ts";
import {
  type AddressRow,
  listAddresses,
  listAddressesAt,
  listNodesWithText,
  listReverseNames,
  listSetNames,
  type SetName,
} from "../query/primaryNames.ts";
import { mapYielding } from "../scheduling/turns.ts";
import { type ParsedName, parseName, reverseNode } from "../schemas/input.ts";
import type { Block } from "../serviceDb/liveAnswers.ts";
import { failureOrThrow, toApiError } from "./chain.ts";
import { isRegistered, mayResolverAboveAnswer, whoTellsRecords } from "./decision.ts";
import type { DomainState } from "./domainState.ts";
import { type RecordsKey, recordsOf } from "./ensv2/records.ts";
import type { FoundByNode } from "./found.ts";
import { type ResolversAbove, readFound, readResolversAbove } from "./known.ts";
import { withoutChain } from "./withoutChain.ts";

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
export const resolvePrimaryNames = (ctx: Ctx, addresses: readonly Address[]): Promise<Outcome[]> =>
  resolvePrimaryNamesOn(
    ctx,
    addresses.map((address) => ({ address, coinType: ETHEREUM_COIN_TYPE })),
  );

/** A primary name that the index verified, and whether it has an avatar record in the index. */
export type IndexedName = { name: string; hasAvatar: boolean };

/**
 * The same by the index alone: a name that only the chain can tell or verify is null, as that of an address without one. The
 * chain is never asked.
 */
export async function readIndexedNames(
  ctx: Ctx,
  addresses: readonly Address[],
): Promise<(IndexedName | null)[]> {
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

/** Whose primary name is asked for, and on which chain: coin types of EVM chains, or the default one. */
export type NameOfAddress = { address: Address; coinType: bigint };

/** The same for each coin type: the name that the address set for the chain, else the default one. */
export async function resolvePrimaryNamesOn(ctx: Ctx, asked: readonly NameOfAddress[]): Promise<Outcome[]> {
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

/** A normalised name that an address claims for a coin type. */
type PrimaryNameClaim = { parsed: ParsedName; registrar: string; coinType: bigint };

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

async function findClaims({ db, contracts }: Ctx, asked: readonly NameOfAddress[]): Promise<FoundClaim[]> {
  const onMain = asked.filter(({ coinType }) => coinType === ETHEREUM_COIN_TYPE);
  const nodes = await mapYielding(onMain, ({ address }) => reverseNode(address));
  const coinTypes = asked.map(({ coinType }) => coinType).filter((one) => one !== ETHEREUM_COIN_TYPE);
  const [reverseRows, setRows] = await Promise.all([
    listReverseNames(db, { chainId: contracts.chainId, nodes }),
    listSetNames(db, {
      addresses: [...new Set(asked.map(({ address }) => address))],
      coinTypes: [...new Set([DEFAULT_COIN_TYPE, ...coinTypes])],
    }),
  ]);
  const rowOf = new Map(reverseRows.map((row) => [row.node, row]));
  const reverseOf = new Map(onMain.map(({ address }, i) => [address, rowOf.get(nodes[i] as Hex)]));
  const setOf = new Map(setRows.map((row) => [`${row.address} ${row.coinType}`, row]));
  const isIndexed = indexedCoinTypes(contracts);
  return mapYielding(asked, ({ address, coinType }): FoundClaim => {
    const set = (of: bigint) => setOf.get(`${address} ${of}`);
    const byDefault = () =>
      toClaim(set(DEFAULT_COIN_TYPE)?.name ?? null, { registrar: DEFAULT_REGISTRAR, coinType });
    if (coinType !== ETHEREUM_COIN_TYPE) {
      if (!isIndexed.has(coinType)) return UNKNOWN_CLAIM;
      const own = ofChain(set(coinType), coinType);
      return own === undefined ? byDefault() : own;
    }
    const { resolver = null, name = null } = reverseOf.get(address) ?? {};
    // An address with a resolver of its own never has the default name, even if its own name is empty.
    if (resolver === null) return byDefault();
    if (!contracts.isIndexedResolver(resolver)) return UNKNOWN_CLAIM;
    return toClaim(name, { registrar: "REVERSE_REGISTRAR", coinType });
  });
}

const DEFAULT_REGISTRAR = "DEFAULT_REVERSE_REGISTRAR";

/** Coin types whose reverse registrar the index follows: the default one, and those of layer 2s. */
const indexedCoinTypes = ({ reverseRegistrars, chainId: main }: Contracts): ReadonlySet<bigint> =>
  new Set(
    reverseRegistrars.flatMap(({ registrar, chainId }) => {
      if (registrar === DEFAULT_REGISTRAR) return [DEFAULT_COIN_TYPE];
      return chainId === main ? [] : [coinTypeOfChain(chainId)];
    }),
  );

/**
 * The claim of an address on a chain, at its own registrar; undefined if the default one counts: the address set no name, or an
 * empty one. Source: ensdomains/ens-contracts, contracts/reverseResolver/AbstractReverseResolver.sol.
 */
function ofChain(row: SetName | undefined, coinType: bigint): FoundClaim | undefined {
  if (row === undefined || coinType === DEFAULT_COIN_TYPE) return undefined;
  if (!row.isNameKnown) return UNKNOWN_CLAIM;
  return row.name === null ? undefined : toClaim(row.name, { registrar: "L2_REVERSE_REGISTRAR", coinType });
}

/** A name that is not normalised is no primary name; nor is one with a label written as its hash, which only we do. */
function toClaim(
  name: string | null,
  of: Pick<PrimaryNameClaim, "registrar" | "coinType">,
): PrimaryNameClaim | null {
  if (name === null || name.includes("[")) return null;
  try {
    const parsed = parseName(name);
    return parsed.name === name ? { parsed, ...of } : null;
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

async function readNames(
  ctx: Ctx,
  { names, coinTypes }: { names: readonly ParsedName[]; coinTypes: readonly bigint[] },
): Promise<IndexedNames> {
  const { chainId } = ctx.contracts;
  const nodes = [...new Set(names.map(({ node }) => node))];
  const [found, rows] = await Promise.all([
    readFound(ctx, names),
    listAddresses(ctx.db, { chainId, nodes, coinTypes }),
  ]);
  const states = [...found.values()].map(({ state }) => state);
  const bare = names.filter(({ node }) => !found.get(node)?.state.resolver);
  const [above, ofLayer2, ofEnsv2] = await Promise.all([
    readResolversAbove(ctx, bare),
    listAddressesOfLayer2(ctx, { states, coinTypes }),
    listAddressesOfEnsv2(ctx, { states, coinTypes }),
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

type AddressesOf = { states: readonly DomainState[]; coinTypes: readonly bigint[] };

/** Address records of the names for which a row of a layer 2 answers. */
async function listAddressesOfLayer2(
  { db, contracts }: Ctx,
  { states, coinTypes }: AddressesOf,
): Promise<Map<Hex, AddressRow[]>> {
  const elsewhere = states.filter(({ chainId }) => contracts.managed.some((one) => one.chainId === chainId));
  const byChain = [...Map.groupBy(elsewhere, ({ chainId }) => chainId)];
  const rows = await Promise.all(
    byChain.map(([chainId, some]) =>
      listAddresses(db, { chainId, nodes: some.map(({ node }) => node), coinTypes }),
    ),
  );
  const found = new Map<Hex, AddressRow[]>(elsewhere.map(({ node }) => [node, []]));
  for (const row of rows.flat()) found.get(row.node)?.push(row);
  return found;
}

/** Address records of names of ENSv2. */
async function listAddressesOfEnsv2(
  { db, contracts: { chainId } }: Ctx,
  { states, coinTypes }: AddressesOf,
): Promise<Map<Hex, AddressRow[]>> {
  const asked = states.flatMap((state) => {
    const key = state.ensv2?.protocol === "ensv2" ? recordsOf(state) : null;
    return key ? [{ node: state.node, key }] : [];
  });
  const rows = await listAddressesAt(db, { chainId, records: asked.map(({ key }) => key), coinTypes });
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
  { address, coinType }: NameOfAddress,
  names: IndexedNames,
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
  const by = whoTellsRecords(state, contracts);
  if (by !== "resolverAbove") return by === "chain";
  return isRegistered(parsed, state) && mayResolverAboveAnswer(above, contracts);
}

/**
 * The addresses on Ethereum of names whose records the index has, in their order; null for a name without. All are read by a
 * statement for each chain.
 */
export async function listIndexedAddresses(
  { db, contracts }: Ctx,
  states: readonly DomainState[],
): Promise<(Hex | null)[]> {
  const coinTypes = [ETHEREUM_COIN_TYPE, DEFAULT_COIN_TYPE];
  const keys = states.map(recordsOf);
  const byChain = Map.groupBy(
    keys.flatMap((key) => key ?? []),
    ({ chainId }) => chainId,
  );
  const rows = await Promise.all(
    [...byChain].map(async ([chainId, records]) =>
      (await listAddressesAt(db, { chainId, records, coinTypes })).map((row) => ({ ...row, chainId })),
    ),
  );
  const textOf = (key: RecordsKey) => `${key.chainId} ${key.resolver} ${key.node}`;
  const rowsOf = Map.groupBy(rows.flat(), textOf);
  return states.map(({ node }, i) => {
    const key = keys[i];
    if (!key) return null;
    const address = addressOf(rowsOf.get(textOf(key)) ?? [], {
      coinType: ETHEREUM_COIN_TYPE,
      hasDefault: hasDefaultAddress(node, key, contracts),
    });
    return address === zeroAddress ? null : address;
  });
}

/** Resolvers of ENSv2 whose records have numbers answer the default address, and some of ENSv1 do. */
const hasDefaultAddress = (node: Hex, key: RecordsKey, contracts: Contracts): boolean =>
  key.node !== node || contracts.answersDefaultAddress(key.resolver, key.chainId);

/** The address record of a coin type. Resolvers with ENSIP-19 answer the default address if there is none. */
function addressOf(
  rows: readonly AddressRow[],
  { coinType, hasDefault }: { coinType: bigint; hasDefault: boolean },
): Hex | null {
  const record = (of: bigint) => rows.find((row) => row.coinType === of)?.address ?? null;
  const own = record(coinType);
  return own === null && hasDefault ? record(DEFAULT_COIN_TYPE) : own;
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
  }: { asked: readonly NameOfAddress[]; outcomes: readonly UncheckedOutcome[]; names: IndexedNames },
): Promise<Outcome[]> {
  const unknown = asked.filter((_, i) => outcomes[i] === UNKNOWN_CLAIM);
  const claims = outcomes.filter(needsForward);
  if (unknown.length + claims.length === 0) return outcomes.map(toIndexed);
  const block = await ctx.liveBlock().catch(failureOrThrow);
  const [reversed, resolved] =
    block instanceof LiveFailure
      ? [failing(unknown, block), failing(claims, block)]
      : await Promise.all([askReverse(ctx, block, unknown), askForward(ctx, block, claims)]);
  return outcomes.map((outcome, i): Outcome => {
    const one = asked[i] as NameOfAddress;
    if (outcome === UNKNOWN_CLAIM) return toOwnName(reversed.get(one) as Settled<string | null>, one);
    if (!needsForward(outcome)) return toIndexed(outcome);
    const answer = resolved.get(outcome) as Settled<LiveRecords>;
    if ("failure" in answer) return toApiError(answer.failure);
    const { name, node } = outcome.parsed;
    const isItsName = answer.answer.addresses[0]?.address === one.address;
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
  asked: readonly NameOfAddress[],
): Promise<Answers<NameOfAddress, string | null>> {
  const answers = await live.primaryNames(block, asked);
  return new Map(asked.map((one, i) => [one, answers[i] as Settled<string | null>]));
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
  return new Map(claims.map((claim, i) => [claim, answers[i] as Settled<LiveRecords>]));
}

const toIndexed = (outcome: UncheckedOutcome): Outcome =>
  outcome instanceof ApiError ? outcome : { primary: outcome as PrimaryName | null, source: "indexed" };

/** A name that the chain told and checked counts only if it is normalised. */
function toOwnName(answer: Settled<string | null>, { coinType }: NameOfAddress): Outcome {
  if ("failure" in answer) return toApiError(answer.failure);
  const registrar = coinType === ETHEREUM_COIN_TYPE ? "REVERSE_REGISTRAR" : "L2_REVERSE_REGISTRAR";
  const claim = toClaim(answer.answer, { registrar, coinType });
  const primary = claim && { name: claim.parsed.name, registrar: claim.registrar, state: null };
  return { primary, source: "live" };
}
