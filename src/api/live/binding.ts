import {
  type Address,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  zeroAddress,
} from "viem";
import { agentAdapterReads } from "../../../abis/agentAdapter.ts";
import { agentRegistryReads } from "../../../abis/agentRegistry.ts";
import { multicall3Abi } from "../../../abis/universalResolver.ts";
import { LiveFailure } from "./failure.ts";
import type { Rpc } from "./rpc.ts";

/** The adapter of agents, and the identity registry that the deployment knows it by. */
export type AgentContracts = { multicall3: Address; adapter: Address; registry: Address };

/** What adapter and registry say of an agent; addresses in lower case, integers as digits. */
export type LiveBinding = {
  tokenStandard: number;
  tokenContract: Address;
  tokenId: string;
  /** The agent's URI; null if the registry does not have the agent. */
  uri: string | null;
  owner: Address | null;
};

type Result = { success: boolean; returnData: Hex };

/**
 * Asks the adapter about agents, by one call at one block, in the order of the ids; null for an agent that it never
 * bound. Only UnknownAgent, or an empty binding, means that: every other fault says nothing of the agent.
 *
 * @throws LiveFailure when the adapter cannot be asked, or uses another registry
 */
export async function readBindings(
  { rpc, contracts, signal }: { rpc: Rpc; contracts: AgentContracts; signal: AbortSignal },
  { agentIds, blockNumber }: { agentIds: readonly bigint[]; blockNumber: number },
): Promise<(LiveBinding | null)[]> {
  const calls = [registryCall(contracts), ...agentIds.flatMap((agentId) => callsOf(agentId, contracts))];
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map((call) => ({ ...call, allowFailure: true }))],
  });
  const answer = await rpc.call({ to: contracts.multicall3, data, blockNumber }, signal);
  const [first, ...results] = readable("Multicall3", () => {
    if (!answer.ok) throw new Error("Multicall3 reverted");
    return decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data: answer.data });
  });
  requireRegistry(first, contracts);
  return agentIds.map((_, index) => toBinding(results.slice(index * 3, index * 3 + 3)));
}

const registryCall = ({ adapter }: AgentContracts) => ({
  target: adapter,
  callData: encodeFunctionData({ abi: agentAdapterReads, functionName: "identityRegistry" }),
});

function callsOf(agentId: bigint, { adapter, registry }: AgentContracts) {
  const args = [agentId] as const;
  const ofRegistry = (functionName: "ownerOf" | "tokenURI") => ({
    target: registry,
    callData: encodeFunctionData({ abi: agentRegistryReads, functionName, args }),
  });
  const callData = encodeFunctionData({ abi: agentAdapterReads, functionName: "bindingOf", args });
  return [{ target: adapter, callData }, ofRegistry("ownerOf"), ofRegistry("tokenURI")];
}

/** The owner of an adapter can point it at another registry: its ids would then be those of other agents. */
function requireRegistry(result: Result | undefined, { registry }: AgentContracts): void {
  const used = readable("The adapter", () =>
    decodeFunctionResult({ abi: agentAdapterReads, functionName: "identityRegistry", data: dataOf(result) }),
  );
  if (!isAddressEqual(used, registry)) {
    throw failed("The adapter of agents uses another identity registry than the deployment says.");
  }
}

function toBinding([bound, owner, uri]: Result[]): LiveBinding | null {
  if (bound !== undefined && !bound.success && isUnknownAgent(bound.returnData)) return null;
  const binding = readable("The adapter", () =>
    decodeFunctionResult({ abi: agentAdapterReads, functionName: "bindingOf", data: dataOf(bound) }),
  );
  if (isAddressEqual(binding.tokenContract, zeroAddress)) return null;
  return {
    tokenStandard: binding.standard,
    tokenContract: binding.tokenContract.toLowerCase() as Address,
    tokenId: binding.tokenId.toString(),
    owner: ofRegistry(owner, (data) => {
      const address = decodeFunctionResult({ abi: agentRegistryReads, functionName: "ownerOf", data });
      return address.toLowerCase() as Address;
    }),
    uri: ofRegistry(uri, (data) =>
      decodeFunctionResult({ abi: agentRegistryReads, functionName: "tokenURI", data }),
    ),
  };
}

/** Null if the registry does not have the agent, or is not there at all: that a binding stands, it does not decide. */
function ofRegistry<T>(result: Result | undefined, read: (data: Hex) => T): T | null {
  if (!result?.success || result.returnData === "0x") return null;
  return readable("The registry of agents", () => read(result.returnData));
}

function isUnknownAgent(data: Hex): boolean {
  try {
    return decodeErrorResult({ abi: agentAdapterReads, data }).errorName === "UnknownAgent";
  } catch {
    return false;
  }
}

function dataOf(result: Result | undefined): Hex {
  if (result?.success && result.returnData !== "0x") return result.returnData;
  throw new Error("The call failed");
}

function readable<T>(who: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw failed(`${who} did not answer what is expected at the deployment's address.`);
  }
}

const failed = (why: string) => new LiveFailure("rpc", `The agents' bindings could not be read: ${why}`);
