import type { Address, Hex } from "viem";
import { labelhash, nodeOfLabels } from "../ens/name.ts";
import type { Ctx } from "./context.ts";
import type { Contracts } from "./contracts.ts";
import { ApiError } from "./errors.ts";
import { type DomainFacts, findFactsMany } from "./facts.ts";
import { type AskedName, isEthSecondLevel, parseName, reverseNode } from "./input.ts";
import {
  type AddressRow,
  DEFAULT_COIN_TYPE,
  ETHEREUM_COIN_TYPE,
  listDefaultNames,
  listEthereumAddresses,
  listReverseNames,
} from "./query/primaryNames.ts";

/** A name that an address claims and that resolves back to it. */
export type PrimaryName = { name: string; registrar: string; facts: DomainFacts };

/** Null where the address is known to have no primary name; an error where only the chain can tell. */
export type Outcome = PrimaryName | null | ApiError;

/** The primary name of an address. Throws LIVE_RESOLUTION_FAILED where only the chain can tell. */
export async function findPrimaryName(ctx: Ctx, address: Address): Promise<PrimaryName | null> {
  const [outcome = null] = await findPrimaryNames(ctx, [address]);
  if (outcome instanceof ApiError) throw outcome;
  return outcome;
}

/**
 * Primary names on Ethereum (coin type 60) of addresses in lower case, in their order, by ENSIP-19: the address's own
 * reverse record, or else the default one; given only if the name is normalised and resolves to the address. A claim
 * is checked each time, because the name's address may change without a log of any reverse registrar. The answer
 * comes from the index where both resolvers are indexed.
 */
export async function findPrimaryNames(ctx: Ctx, addresses: readonly Address[]): Promise<Outcome[]> {
  const claims = await findClaims(ctx, addresses);
  const names = await resolveNames(
    ctx,
    claims.flatMap((claim) => (isClaim(claim) ? [claim.asked] : [])),
  );
  return addresses.map((address, i) => {
    const claim = claims[i] ?? null;
    return isClaim(claim) ? verify(claim, address, names, ctx.contracts) : claim;
  });
}

/** A normalised name that an address claims. */
type Claim = { asked: AskedName; registrar: string };

const isClaim = (claim: Claim | null | ApiError): claim is Claim =>
  claim !== null && !(claim instanceof ApiError);

async function findClaims({ db, contracts }: Ctx, addresses: readonly Address[]) {
  const nodes = addresses.map(reverseNode);
  const [reverseRows, defaultRows] = await Promise.all([
    listReverseNames(db, { chainId: contracts.chainId, nodes }),
    listDefaultNames(db, addresses),
  ]);
  const reverseNames = new Map(reverseRows.map((row) => [row.node, row]));
  const defaultNames = new Map(defaultRows.map((row) => [row.address, row.name]));
  return addresses.map((address, i): Claim | null | ApiError => {
    const { resolver = null, name = null } = reverseNames.get(nodes[i] as Hex) ?? {};
    // An own resolver ends the search, even with an empty name: only addresses without one have the default.
    if (resolver === null) return toClaim(defaultNames.get(address) ?? null, "DEFAULT_REVERSE_REGISTRAR");
    if (!contracts.isIndexedResolver(resolver)) return needsChain(`the reverse record of ${address}`);
    return toClaim(name, "REVERSE_REGISTRAR");
  });
}

/** A name that is not normalised names nobody; nor does one that spells a label by its hash, as only we do. */
function toClaim(name: string | null, registrar: string): Claim | null {
  if (name === null || name.includes("[")) return null;
  try {
    const asked = parseName(name);
    return asked.name === name ? { asked, registrar } : null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

const needsChain = (what: string): ApiError =>
  new ApiError(
    "LIVE_RESOLUTION_FAILED",
    `The index cannot answer for ${what}: it has to be resolved on chain, and the chain could not be asked.`,
  );

/** What the index holds of names and their parents. */
type Names = { facts: Map<Hex, DomainFacts>; records: AddressRow[] };

async function resolveNames(ctx: Ctx, asked: readonly AskedName[]): Promise<Names> {
  const nodes = [...new Set(asked.map(({ node }) => node))];
  const parents = asked.flatMap(({ name }) => parentNodes(name));
  const [facts, records] = await Promise.all([
    findFactsMany(ctx, [...nodes, ...parents]),
    listEthereumAddresses(ctx.db, { chainId: ctx.contracts.chainId, nodes }),
  ]);
  return { facts, records };
}

/** Nodes of a name's parents, nearest first. */
function parentNodes(name: string): Hex[] {
  const hashes = name.split(".").map(labelhash);
  return hashes.slice(1).map((_, i) => nodeOfLabels(hashes.slice(i + 1)));
}

function verify({ asked, registrar }: Claim, address: Address, names: Names, contracts: Contracts): Outcome {
  const facts = names.facts.get(asked.node);
  if (!facts?.resolver) return mayParentAnswer(asked, names, contracts) ? needsChain(asked.name) : null;
  if (!contracts.isIndexedResolver(facts.resolver)) return needsChain(asked.name);
  const records = names.records.filter(({ node }) => node === asked.node);
  const resolved = ethereumAddress(records, facts.resolver, contracts);
  return resolved === address ? { name: asked.name, registrar, facts } : null;
}

/**
 * Whether a name without resolver may resolve through one of a parent (ENSIP-10). Resolvers on the static list answer
 * for no other names than they hold records of, and a .eth name that was never registered is known to have none.
 */
function mayParentAnswer(asked: AskedName, { facts }: Names, contracts: Contracts): boolean {
  const expiry = facts.get(asked.node)?.expiryTimestamp ?? null;
  if (isEthSecondLevel(asked) && expiry === null) return false;
  const resolvers = parentNodes(asked.name).map((node) => facts.get(node)?.resolver ?? null);
  const nearest = resolvers.find((resolver) => resolver !== null);
  return nearest !== undefined && !contracts.isIndexedResolver(nearest);
}

/** The address record of Ethereum; resolvers that know ENSIP-19 answer the default one in its place. */
function ethereumAddress(rows: readonly AddressRow[], resolver: Address, contracts: Contracts): Hex | null {
  const record = (coinType: bigint) => rows.find((row) => row.coinType === coinType)?.address ?? null;
  const own = record(ETHEREUM_COIN_TYPE);
  return own === null && contracts.answersDefaultAddress(resolver) ? record(DEFAULT_COIN_TYPE) : own;
}
