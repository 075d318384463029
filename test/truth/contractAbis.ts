import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Abi, AbiEvent } from "viem";
import type { ContractEntry, Role } from "../../abis/deployments.ts";

const require = createRequire(import.meta.url);
const archived = (name: string) => require.resolve(`@ensdomains/ens-archived-contracts/abis/${name}.json`);
const double = (name: string) =>
  fileURLToPath(new URL(`../../devnet/contracts/compiled/${name}.json`, import.meta.url));

/** Where each contract's complete ABI is; never the project's own excerpt, which is being judged. */
const artifacts: Partial<Record<Role, Record<number, string>>> = {
  registry: { 1: archived("ens-022/ENSRegistry"), 2: archived("ens/ENSRegistryWithFallback") },
  registrar: {
    0: archived("ens-022/HashRegistrar"),
    1: archived("ethregistrar/OldBaseRegistrarImplementation"),
    2: archived("ethregistrar/BaseRegistrarImplementation"),
    3: double("BasenamesRegistrarDouble"),
  },
  controller: {
    1: archived("ethregistrar-202/ETHRegistrarController"),
    2: archived("ethregistrar/ETHRegistrarController"),
    3: archived("ethregistrar/ETHRegistrarController"),
    4: double("WrappedControllerDouble"),
    5: double("ReferrerControllerDouble"),
  },
  "price-feed": { 1: double("FeedAggregatorDouble"), 2: double("FeedAggregatorDouble") },
  "renewal-referrer": { 1: double("RenewalReferrerDouble") },
  wrapper: { 1: double("NameWrapperDouble") },
  resolver: {
    0: archived("ens-022/PublicResolver"),
    1: archived("ens-022/PublicResolver"),
    2: archived("ens-022/PublicResolver"),
    3: archived("resolver/PublicResolver"),
    4: double("PublicResolver2023Double"),
    5: double("PublicResolver2025Double"),
  },
  "reverse-registrar": { 3: double("ReverseRegistrarDouble") },
  "default-reverse-registrar": { 1: double("DefaultReverseRegistrarDouble") },
  "l2-reverse-registrar": { 1: double("L2ReverseRegistrarDouble") },
  "agent-adapter": { 1: double("AgentAdapterDouble") },
  "agent-registry": { 1: double("IdentityRegistryDouble") },
};

const eventsIn = (file: string): AbiEvent[] =>
  (JSON.parse(readFileSync(file, "utf8")) as { abi: Abi }).abi.filter((item) => item.type === "event");

/** Every event of a contract, by its own complete ABI; none for contracts that emit none. */
export function eventsOf({ role, generation }: Pick<ContractEntry, "role" | "generation">): AbiEvent[] {
  const file = artifacts[role]?.[generation];
  return file === undefined ? [] : eventsIn(file);
}

/**
 * Record events of all resolver generations, which count from every contract. `ApprovalForAll` is omitted: every token has that
 * topic.
 */
export const recordEvents: AbiEvent[] = [2, 3, 4, 5]
  .flatMap((generation) => eventsOf({ role: "resolver", generation }))
  .filter((event) => event.name !== "ApprovalForAll");
