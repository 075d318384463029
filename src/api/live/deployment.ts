import type { Address } from "viem";
import { type ChainDeployment, listContracts } from "../../../abis/deployments.ts";
import { MULTICALL3 } from "../../../abis/universalResolver.ts";
import type { AgentContracts } from "./binding.ts";
import type { OwnerContracts } from "./owners.ts";

/** The contracts that live answers come from. Without `universalResolver` nothing can be resolved on chain. */
export function liveContractsOf(
  deployment: ChainDeployment,
): OwnerContracts & { universalResolver: Address | undefined; agents: AgentContracts | undefined } {
  const { universalResolver, multicall3 = MULTICALL3 } = deployment;
  // 3DNS is a registry and a registrar in one, with the registry's reads.
  const [token] = listContracts(deployment, "dns-token");
  const [registry = token] = listContracts(deployment, "registry", 2);
  const [registrar = token] = listContracts(deployment, "registrar", 2, 3);
  const [wrapper] = listContracts(deployment, "wrapper");
  const [adapter] = listContracts(deployment, "agent-adapter");
  const [agents] = listContracts(deployment, "agent-registry");
  if (!registry || !registrar) throw new Error("A deployment needs the registry and the registrar of 2020.");
  return {
    ...{ universalResolver, multicall3 },
    registry: registry.address,
    registrar: registrar.address,
    wrapper: wrapper?.address,
    agents: adapter && agents && { multicall3, adapter: adapter.address, registry: agents.address },
  };
}
