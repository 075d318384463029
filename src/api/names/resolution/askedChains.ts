import type { Contracts } from "../../../../abis/contracts.ts";
import { ApiError } from "../../server/errors/errors.ts";
import { type Scope, scopeOf } from "../query/scope.ts";

/**
 * The chains that a caller names, in the order of the deployment, so that one set of chains has one form.
 *
 * @param chainIds those that may be named: unless told, those whose names are indexed
 * @throws ApiError INVALID_PARAMETER where one is none of them
 */
export function askedChains(
  words: readonly string[],
  contracts: Contracts,
  chainIds: readonly number[] = contracts.chainIds,
): Scope {
  const { chainName } = contracts;
  const known = chainIds.map(chainName);
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    throw new ApiError("INVALID_PARAMETER", `\`chain\` may contain: ${known.join(", ")}.`);
  }
  return scopeOf(
    chainIds.filter((id) => words.includes(chainName(id))),
    contracts,
  );
}

/** The field that tells of which chains statistics are; none where one chain alone is indexed. */
export const chainsField = ({ ids }: Scope, { chainIds, chainName }: Contracts): { chains?: string[] } =>
  chainIds.length > 1 ? { chains: ids.map(chainName) } : {};
