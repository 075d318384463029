import type { Deployment } from "../deployments.ts";
import type { Layer2 } from "../layer2/descriptor.ts";
import { layer2s } from "../layer2/list.ts";

function chainOf({ name, chainId, multicall3, names, contracts }: Layer2): Deployment["layer2"][number] {
  const managedName = names && { name: names.parent, bridges: names.bridges };
  return { name, chainId, multicall3, ...(managedName && { managedName }), contracts };
}

/** The layer 2s of a network, as a deployment has them. Each is indexed where an RPC URL for it is set. */
export const layer2Of = (network: Layer2["network"]): Deployment["layer2"] =>
  layer2s.filter((one) => one.network === network).map(chainOf);
