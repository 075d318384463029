import type { Contracts } from "../../../abis/contracts.ts";
import { ApiError } from "../errors/errors.ts";
import { type Scope, scopeOf } from "../query/scope.ts";

/**
 * The chains that a caller names, in the order of the deployment, so that one set of chains has one form.
 *
 * @throws ApiError INVALID_PARAMETER where one is unknown, or no names of it are indexed
 */
export function askedChains(words: readonly string[], contracts: Contracts): Scope {
  const { chainIds, chainName } = contracts;
  const known = chainIds.map(chainName);
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    throw new ApiError("INVALID_PARAMETER", `\`chain\` may hold: ${known.join(", ")}.`);
  }
  return scopeOf(
    chainIds.filter((id) => words.includes(chainName(id))),
    contracts,
  );
}

/** The field that tells of which chains statistics are; none where one chain alone is indexed. */
export const chainsField = ({ ids }: Scope, { chainIds, chainName }: Contracts): { chains?: string[] } =>
  chainIds.length > 1 ? { chains: ids.map(chainName) } : {};
