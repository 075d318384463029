import type { Address } from "viem";
import { type Deployment, type Layer2Deployment, listContracts, priceFeedOf } from "./deployments.ts";
import { type ManagedName, managedNameOf } from "./layer2/managedNames.ts";
import type { PriceFeed } from "./priceFeed.ts";

/**
 * What handlers know of a deployment besides the contracts that they follow. Addresses are in lower case.
 *
 * Handlers see the configuration only through their contracts, and Ponder makes only contracts and their ABIs part of the
 * index's identity. So the facts are an item of the ABI of `Registry`, which every chain with names has: an error that no
 * contract throws. A fact that changes is another index, for built-in networks and for `ENS_DEPLOYMENT` alike.
 */
export type DeploymentFacts = {
  /** Whether handlers may read the state of contracts at the block of an event (ARCHIVE_READS). */
  archiveReads: boolean;
  /** Resolvers of the main chain that answer exactly what their logs say. */
  staticResolvers: readonly Address[];
  /** Code of ENSv2 whose logs tell all that its contracts store. */
  registryCode: readonly Address[];
  resolverCode: readonly Address[];
  /** Contracts that keep what is left of migrated names in ENSv1. */
  graveyards: readonly Address[];
  /** The feed by which controllers turn dollars into wei, if it is known. */
  priceFeed?: PriceFeed | undefined;
  /** Names of layer 2s that are followed. Handlers read their descriptors, whose text Ponder does not hash. */
  managedNames: readonly ManagedName[];
};

const NAME = "DeploymentFacts";

const inLowerCase = (addresses: readonly Address[]) =>
  addresses.map((address) => address.toLowerCase() as Address);

/** Gathers the facts of a deployment. */
export function gatherFacts(deployment: Deployment, archiveReads: boolean): DeploymentFacts {
  const { ensv2, layer2 } = deployment;
  const resolvers = listContracts(deployment, "resolver").filter((entry) => entry.static);
  const { registry = [], wrapper = [], resolver = [] } = ensv2?.implementations ?? {};
  return {
    archiveReads,
    staticResolvers: inLowerCase(resolvers.map(({ address }) => address)),
    registryCode: inLowerCase([...registry, ...wrapper]),
    resolverCode: inLowerCase(resolver),
    graveyards: inLowerCase(ensv2?.graveyards ?? []),
    priceFeed: priceFeedOf(deployment),
    managedNames: layer2.flatMap(({ chainId }: Layer2Deployment) => managedNameOf(chainId) ?? []),
  };
}

/** An ABI with the facts. */
export const withFacts = <const Abi extends readonly unknown[]>(abi: Abi, facts: DeploymentFacts): Abi =>
  [
    ...abi,
    { type: "error", name: NAME, inputs: [{ type: "string", name: JSON.stringify(facts) }] },
  ] as unknown as Abi;

type Item = { type: string; name?: string; inputs?: readonly { name?: string }[] };

const read = new WeakMap<object, DeploymentFacts>();

/** The facts in an ABI. @throws Error if it has none */
export function factsIn(abi: readonly unknown[]): DeploymentFacts {
  const known = read.get(abi);
  if (known !== undefined) return known;
  const item = (abi as readonly Item[]).find(({ type, name }) => type === "error" && name === NAME);
  const facts = JSON.parse(item?.inputs?.[0]?.name ?? "null") as DeploymentFacts | null;
  if (facts === null)
    throw new Error("The contract Registry has no facts of the deployment: see ponder.config.ts");
  read.set(abi, facts);
  return facts;
}
