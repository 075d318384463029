import { type ChainDeployment, type Ensv2Deployment, listContracts } from "../../../../abis/deployments.ts";
import { MULTICALL3 } from "../../../../abis/universalResolver.ts";
import type { LiveContracts } from "./live.ts";

/** The contracts of a deployment. ENSv2's Universal Resolver stands for the one in force: it passes each question on. */
export function liveContractsOf(
  deployment: ChainDeployment & { ensv2?: Ensv2Deployment | undefined },
): LiveContracts {
  const { ensv2, multicall3 = MULTICALL3 } = deployment;
  const universalResolver = ensv2?.universalResolver?.top ?? deployment.universalResolver;
  // 3DNS is registry and registrar in one, with the registry's read functions.
  const [token] = listContracts(deployment, "dns-token");
  const [registry = token] = listContracts(deployment, "registry", 2);
  const [registrar = token] = listContracts(deployment, "registrar", 2, 3);
  const [wrapper] = listContracts(deployment, "wrapper");
  const [adapter] = listContracts(deployment, "agent-adapter");
  const [agents] = listContracts(deployment, "agent-registry");
  if (!registry || !registrar) throw new Error("A deployment needs the registry and the registrar of 2020.");
  return {
    universalResolver,
    multicall3,
    helper: ensv2?.helper,
    registry: registry.address,
    registrar: registrar.address,
    wrapper: wrapper?.address,
    agents: adapter && agents && { multicall3, adapter: adapter.address, registry: agents.address },
  };
}
