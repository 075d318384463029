import type { Deployment } from "../../abis/deployments.ts";
import { CommandError } from "../commandLine/command.ts";

/** The registry's chain, or the layer 2 that was asked for. @throws CommandError */
export function chainOf(
  deployment: Deployment,
  chainId: number | null,
): Deployment | Deployment["layer2"][number] {
  const chains = [deployment, ...deployment.layer2];
  const chain = chains.find((one) => one.chainId === (chainId ?? deployment.chainId));
  if (chain !== undefined) return chain;
  const known = chains.map((one) => `${one.chainId} (${one.name})`).join(", ");
  throw new CommandError(`--chain is ${chainId}: expected an indexed chain: ${known}.`);
}

/** The contracts of one chain, as if there were no other. @throws CommandError if it has no names */
export function deploymentOf(deployment: Deployment, chainId: number | null): Deployment {
  const chain = chainOf(deployment, chainId);
  if (chain.chainId === deployment.chainId) return deployment;
  const { managedName, ...own } = chain as Deployment["layer2"][number];
  if (managedName !== undefined) return { ...own, layer2: [] };
  throw new CommandError(
    `--chain is ${chainId}: ${chain.name} has only primary names. To compare its logs, add --logs.`,
  );
}

/** Nodes of a chain. Of the registry's chain those of live answers: they are often others than the indexer's. */
export function nodeUrlsOf(
  {
    liveRpcUrls,
    rpcUrls,
    deployment,
  }: { liveRpcUrls: string[]; rpcUrls: Record<number, string[]>; deployment: Deployment },
  chainId: number,
): string[] {
  const own = rpcUrls[chainId] ?? [];
  return chainId === deployment.chainId && liveRpcUrls.length > 0 ? liveRpcUrls : own;
}
