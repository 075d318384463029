import type { Hex } from "viem";
import { all, any, type Condition, equals } from "./condition.ts";
import { childNode, ETH_NODE, labelhash, ROOT_NODE } from "./name.ts";

/** A name whose subnames a layer 2 keeps, in a registry and a registrar of its own. */
export type ManagedName = {
  name: string;
  node: Hex;
  chainId: number;
  /** Whether the price of a name that expired begins with a premium. */
  hasPremium: boolean;
};

const ethName = (label: string, chainId: number, { hasPremium }: { hasPremium: boolean }): ManagedName => ({
  name: `${label}.eth`,
  node: childNode(ETH_NODE, labelhash(label)),
  ...{ chainId, hasPremium },
});

/**
 * Names that the registry and registrar of a layer 2 were made for: their nodes are in the contracts' code.
 * Source: base/basenames, src/util/Constants.sol; Consensys/linea-ens, packages/linea-ens-contracts/deploy.
 *
 * The oracle of Basenames has a premium (base/basenames, src/L2/ExponentialPremiumPriceOracle.sol), that of Lineanames
 * has none (Consensys/linea-ens, contracts/ethregistrar/FixedPriceOracle.sol, deployments/lineaMainnet).
 */
export const managedNames: readonly ManagedName[] = [
  ethName("base", 8453, { hasPremium: true }),
  ethName("basetest", 84532, { hasPremium: true }),
  ethName("linea", 59144, { hasPremium: false }),
  ethName("linea-sepolia", 59141, { hasPremium: false }),
];

/**
 * Names of the DNS whose subnames are tokens of 3DNS on a layer 2, and which have a resolver on the main chain that asks
 * there. 3DNS sells below other top-level names, too: those are resolved by what the DNS says, which no chain knows.
 * Source: 3dns-xyz/contracts, src/regcontrol/modules/RegistrarController.sol.
 */
export const tokenNames: readonly ManagedName[] = [
  { name: "box", node: childNode(ROOT_NODE, labelhash("box")), chainId: 10, hasPremium: false },
];

const byChain: ReadonlyMap<number, ManagedName> = new Map(managedNames.map((one) => [one.chainId, one]));
const tokensByChain: ReadonlyMap<number, ManagedName> = new Map(tokenNames.map((one) => [one.chainId, one]));

/** The name that a layer 2 keeps the subnames of; undefined for every other chain. */
export const managedNameOf = (chainId: number): ManagedName | undefined =>
  byChain.get(chainId) ?? tokensByChain.get(chainId);

/** Whether the names of a chain are tokens of 3DNS, each with its expiry and without a time of grace. */
export const hasTokenNames = (chainId: number): boolean => tokensByChain.has(chainId);

/** Node of the name right under which the registrar of a chain registers names: `eth`, or a layer 2's managed name. */
export const registrarNode = (chainId: number): Hex => byChain.get(chainId)?.node ?? ETH_NODE;

/** The name right under which the registrar of a chain registers names. */
export const registrarName = (chainId: number): string => byChain.get(chainId)?.name ?? "eth";

/** Whether a name is one that its chain's registrar registers: `alice.eth`, and on Base `alice.base.eth`. */
export const isSecondLevel = (name: { chainId: number; parentNode: Hex | null }): boolean =>
  name.parentNode === registrarNode(name.chainId);

/**
 * Rule: {@link isSecondLevel}, for tables with names of the main chain and of these layer 2s. A layer 2 has no rows right
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
