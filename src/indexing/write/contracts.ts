import type { Context } from "ponder:registry";
import type { Address } from "viem";
import { type DeploymentFacts, factsIn } from "../../../abis/deploymentFacts.ts";
import type { PriceFeed } from "../../../abis/priceFeed.ts";

/** A contract entry on the event's chain, as configured; undefined for contracts that the chain does not have. */
type Configured =
  | {
      abi: readonly unknown[];
      address: Address | readonly Address[] | undefined;
      startBlock: number | undefined;
    }
  | undefined;

/** The configuration is built at the start, so its type does not have the addresses of contracts. */
const configured = (context: Context, name: keyof Context["contracts"]): Configured =>
  context.contracts[name] as unknown as Configured;

/** Addresses of a contract entry on the event's chain, in lower case; none if the chain does not have it. */
export function addressesOf(context: Context, name: keyof Context["contracts"]): readonly Address[] {
  const address = configured(context, name)?.address;
  if (address === undefined) return [];
  return typeof address === "string" ? [address] : address;
}

/** What the deployment says besides its contracts. Chains without a registry have no use for it. */
const factsOf = (context: Context): DeploymentFacts | undefined => {
  const registry = configured(context, "Registry");
  return registry && factsIn(registry.abi);
};

/** Addresses that the deployment lists and whose logs are not indexed, in lower case. */
export const addressesIn = (
  context: Context,
  list: "registryCode" | "resolverCode" | "graveyards",
): readonly Address[] => factsOf(context)?.[list] ?? [];

/** Whether a resolver of the main chain answers exactly what its logs said. */
export const isStaticResolver = (context: Context, resolver: Address): boolean =>
  factsOf(context)?.staticResolvers.includes(resolver) ?? false;

/** The price feed of the event's chain; undefined if the deployment has none. */
export const priceFeedOf = (context: Context): PriceFeed | undefined =>
  configured(context, "PriceFeed") && factsOf(context)?.priceFeed;

/** Whether handlers may read a contract's state at the event's block. */
export const mayRead = (context: Context): boolean => factsOf(context)?.archiveReads ?? false;

/** Entries of controllers that the deployment lists. */
const listedControllers = [
  ...(["LegacyController1", "LegacyController2", "LegacyController3"] as const),
  ...(["WrappedController", "UnwrappedController", "BasenamesController", "LineanamesController"] as const),
] satisfies (keyof Context["contracts"])[];

/** Whether the deployment lists a controller, so that an entry of its own handles its logs. */
export const isListedController = (context: Context, address: Address): boolean =>
  listedControllers.some((name) => addressesOf(context, name).includes(address));

/** First block of a contract entry on the event's chain; undefined if the chain does not have it. */
export const startBlockOf = (context: Context, name: keyof Context["contracts"]): number | undefined =>
  configured(context, name)?.startBlock;
