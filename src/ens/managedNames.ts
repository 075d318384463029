import type { Hex } from "viem";
import {
  type ManagedName,
  managedNameOf,
  managedNames as namesOfLayer2,
} from "../../abis/layer2/managedNames.ts";
import { all, any, type Condition, equals } from "./condition.ts";
import { ETH_NODE } from "./name.ts";

/* Rules about managed names. The descriptors in abis/layer2/ assign them to layer 2s. */

export { managedNameOf };

/** Names whose subnames are in a layer 2's own registry and registrar. */
export const managedNames = namesOfLayer2.filter(({ keeper }) => keeper === "registrar");

/** DNS names whose subnames are 3DNS tokens on a layer 2. */
export const tokenNames = namesOfLayer2.filter(({ keeper }) => keeper === "tokens");

const registrarsName = (chainId: number): ManagedName | undefined => {
  const managed = managedNameOf(chainId);
  return managed?.keeper === "registrar" ? managed : undefined;
};

/** Whether the names of a chain are 3DNS tokens, each with an expiry and without grace. */
export const hasTokenNames = (chainId: number): boolean => managedNameOf(chainId)?.keeper === "tokens";

/** Node of the name under which a chain's registrar registers names: `eth`, or a layer 2's managed name. */
export const registrarNode = (chainId: number): Hex => registrarsName(chainId)?.node ?? ETH_NODE;

/** The name under which a chain's registrar registers names: `eth`, or a layer 2's managed name. */
export const registrarName = (chainId: number): string => registrarsName(chainId)?.name ?? "eth";

/** Whether a chain's registrar registers the name: `alice.eth`, and on Base `alice.base.eth`. */
export const isSecondLevel = (name: { chainId: number; parentNode: Hex | null }): boolean =>
  name.parentNode === registrarNode(name.chainId);

/**
 * Rule: {@link isSecondLevel}, for tables with names of the main chain and of these layer 2s. A layer 2 has no rows directly
 * under `eth`.
 */
export const secondLevelOf = (
  layer2: readonly Pick<ManagedName, "chainId" | "node">[],
): Condition<"chainId" | "parentNode"> => {
  const ofMainChain = equals<"chainId" | "parentNode">("parentNode", ETH_NODE);
  if (layer2.length === 0) return ofMainChain;
  const ofLayer2 = layer2.map(({ chainId, node }) =>
    all(equals<"chainId" | "parentNode">("chainId", chainId), equals("parentNode", node)),
  );
  return any(ofMainChain, ...ofLayer2);
};
