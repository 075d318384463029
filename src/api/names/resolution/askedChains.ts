import type { Contracts } from "../../../../abis/contracts.ts";
import { ApiError } from "../../server/errors/errors.ts";
import { type Scope, scopeOf } from "../query/scope.ts";

/**
 * The chains that a caller selects, in the order of the deployment, so that a set of chains has one form.
 *
 * @param words undefined selects all
 * @param chainIds the chains that may be selected; by default those with indexed names
 * @throws ApiError INVALID_PARAMETER if one is not among them
 */
export function askedChains(
  words: readonly string[] | undefined,
  contracts: Contracts,
  chainIds: readonly number[] = contracts.chainIds,
): Scope {
  const { chainName } = contracts;
  const known = chainIds.map(chainName);
  const unknown = words?.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    throw new ApiError("INVALID_PARAMETER", `\`chain\` may contain: ${known.join(", ")}.`);
  }
  const chosen = words ? chainIds.filter((id) => words.includes(chainName(id))) : chainIds;
  return scopeOf(chosen, contracts);
}

/** The field that names the chains of statistics; absent if only one chain is indexed. */
export const chainsField = ({ ids }: Scope, { chainIds, chainName }: Contracts): { chains?: string[] } =>
  chainIds.length > 1 ? { chains: ids.map(chainName) } : {};
