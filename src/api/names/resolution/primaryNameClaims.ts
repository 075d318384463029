import type { Address, Hex } from "viem";
import type { Contracts } from "../../../../abis/contracts.ts";
import {
  coinTypeOfChain,
  DEFAULT_COIN_TYPE,
  ETHEREUM_COIN_TYPE,
  reverseNodeOf,
} from "../../../ens/coinType.ts";
import { childNode, labelhash } from "../../../ens/name.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { mapYielding } from "../../server/scheduling/turns.ts";
import { listReverseNames, listSetNames, type SetName } from "../query/primaryNames.ts";
import { type ParsedName, parseName, reverseNode } from "../schemas/input.ts";

/** An address, and the coin type of its primary name: that of an EVM chain, or the default one. */
export type NameOfAddress = { address: Address; coinType: bigint };

/** A normalised name that an address claims for a coin type. */
export type PrimaryNameClaim = { parsed: ParsedName; registrar: string; coinType: bigint };

/** The address's own reverse resolver is not indexed, so only the chain knows the claim. */
export const UNKNOWN_CLAIM = "unknown claim";

/** The claim of an address; null if it has none. */
export type Claim = PrimaryNameClaim | null | typeof UNKNOWN_CLAIM;

/** True if the claim is a name. */
export const isClaim = (claim: Claim | ApiError): claim is PrimaryNameClaim =>
  claim !== null && claim !== UNKNOWN_CLAIM && !(claim instanceof ApiError);

/**
 * The maximum number of labels in all names claimed by the addresses of one request. Each label may be an ancestor to look up,
 * and strangers can claim names of 512 labels. The names with the fewest labels are resolved.
 */
export const MAX_CLAIMED_LABELS = 5_000;

/** The claims, with an error for those whose names have too many labels for one request. */
export function boundLabels(claims: readonly Claim[]): (Claim | ApiError)[] {
  const labelsOf = (claim: PrimaryNameClaim) => claim.parsed.name.split(".").length;
  const fewestFirst = claims.filter(isClaim).sort((a, b) => labelsOf(a) - labelsOf(b));
  const refused = new Set<Claim>();
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
    `The names claimed by these addresses have more than ${MAX_CLAIMED_LABELS} labels together: request fewer addresses at once.`,
  );

/** The names that addresses claim according to the index, in their order. */
export async function findClaims({ db, contracts }: Ctx, asked: readonly NameOfAddress[]): Promise<Claim[]> {
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
  return mapYielding(asked, ({ address, coinType }): Claim => {
    const set = (of: bigint) => setOf.get(`${address} ${of}`);
    const byDefault = () =>
      toClaim(set(DEFAULT_COIN_TYPE)?.name ?? null, { registrar: DEFAULT_REGISTRAR, coinType });
    if (coinType !== ETHEREUM_COIN_TYPE) {
      if (!isIndexed.has(coinType)) return UNKNOWN_CLAIM;
      const own = ofChain(set(coinType), coinType);
      return own === undefined ? byDefault() : own;
    }
    const { resolver = null, name = null } = reverseOf.get(address) ?? {};
    // An address with its own resolver never has the default name, even if its own name is empty.
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
 * The claim of an address on a chain, at the chain's own registrar. Undefined if the default registrar counts: the address set no
 * name, or an empty one. Source: ensdomains/ens-contracts, contracts/reverseResolver/AbstractReverseResolver.sol.
 */
function ofChain(row: SetName | undefined, coinType: bigint): Claim | undefined {
  if (row === undefined || coinType === DEFAULT_COIN_TYPE) return undefined;
  if (!row.isNameKnown) return UNKNOWN_CLAIM;
  return row.name === null ? undefined : toClaim(row.name, { registrar: "L2_REVERSE_REGISTRAR", coinType });
}

/** A name that is not normalised is not a primary name. Nor is one with a label written as its hash, a form only we use. */
export function toClaim(
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

/** The reverse names by which an address claims a primary name, on each chain whose registry contains such names. */
export const reverseNodesOf = (
  address: Address,
  { chainId: main, chainIds }: Pick<Contracts, "chainId" | "chainIds">,
): { chainId: number; node: Hex }[] =>
  chainIds.map((chainId) => ({
    chainId,
    node:
      chainId === main
        ? reverseNode(address)
        : childNode(reverseNodeOf(coinTypeOfChain(chainId)), labelhash(address.slice(2).toLowerCase())),
  }));
