import {
  type Address,
  decodeErrorResult,
  decodeFunctionResult,
  type Hex,
  isAddressEqual,
  zeroAddress,
} from "viem";
import { agentAdapterReads } from "../../../../abis/agentAdapter.ts";
import { agentRegistryReads } from "../../../../abis/agentRegistry.ts";
import { textOfBytes } from "../../../ens/utf8.ts";
import { LiveFailure } from "./failure.ts";
import { readAbi } from "./liveAbi.ts";
import { type CallAnswer, callTogether, contractCall } from "./multicall.ts";
import type { Rpc } from "./rpc.ts";

/** The agent adapter, and the identity registry that the deployment expects behind it. */
export type AgentContracts = { multicall3: Address; adapter: Address; registry: Address };

/** The adapter's and the registry's answers about an agent. Addresses are in lower case, integers are decimal strings. */
export type LiveBinding = {
  tokenStandard: number;
  tokenContract: Address;
  tokenId: string;
  /** The agent's URI; null if the registry does not have the agent. */
  uri: string | null;
  owner: Address | null;
};

/**
 * Reads the bindings of agents from the adapter, in one call at one block, in the order of the IDs; null for an agent that was
 * never bound. Only UnknownAgent or an empty binding means "never bound": every other error is a failure.
 *
 * @throws LiveFailure when the adapter cannot be called, or uses another registry
 */
export async function readBindings(
  { rpc, contracts, signal }: { rpc: Rpc; contracts: AgentContracts; signal: AbortSignal },
  { agentIds, blockNumber }: { agentIds: readonly bigint[]; blockNumber: number },
): Promise<(LiveBinding | null)[]> {
  const { adapter, multicall3 } = contracts;
  const registry = contractCall(adapter, { abi: agentAdapterReads, functionName: "identityRegistry" });
  const calls = [registry, ...agentIds.flatMap((agentId) => callsOf(agentId, contracts))];
  const answers = await callTogether({ rpc, signal, multicall3 }, { calls, blockNumber });
  if (answers === null) throw unexpectedAnswer("Multicall3");
  const [first, ...others] = answers;
  requireRegistry(first, contracts);
  return agentIds.map((_, index) => toBinding(others.slice(index * 3, index * 3 + 3)));
}

function callsOf(agentId: bigint, { adapter, registry }: AgentContracts) {
  const args = [agentId] as const;
  const ofRegistry = (functionName: "ownerOf" | "tokenURI") =>
    contractCall(registry, { abi: agentRegistryReads, functionName, args });
  const binding = contractCall(adapter, { abi: agentAdapterReads, functionName: "bindingOf", args });
  return [binding, ofRegistry("ownerOf"), ofRegistry("tokenURI")];
}

/** The adapter's owner can point it at another registry. Its IDs would then belong to other agents. */
function requireRegistry(result: CallAnswer | undefined, { registry }: AgentContracts): void {
  const used = readable("The adapter", () =>
    decodeFunctionResult({ abi: agentAdapterReads, functionName: "identityRegistry", data: dataOf(result) }),
  );
  if (!isAddressEqual(used, registry)) {
    throw failed("The adapter of agents uses another identity registry than the deployment says.");
  }
}

function toBinding([bound, owner, uri]: CallAnswer[]): LiveBinding | null {
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
    // Anyone can write up to a megabyte for their agent: viem's decoder would block other requests for long.
    uri: ofRegistry(uri, (data) => textOfBytes(readAbi(["bytes"], data)[0])),
  };
}

/** Null if the registry does not have the agent, or does not exist: the binding does not depend on it. */
function ofRegistry<T>(result: CallAnswer | undefined, read: (data: Hex) => T): T | null {
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

function dataOf(result: CallAnswer | undefined): Hex {
  if (result?.success && result.returnData !== "0x") return result.returnData;
  throw new Error("The call failed");
}

function readable<T>(who: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw unexpectedAnswer(who);
  }
}

const unexpectedAnswer = (who: string) =>
  failed(`${who} did not answer as expected at the deployment's address.`);

const failed = (why: string) => new LiveFailure("rpc", `The agents' bindings could not be read: ${why}`);
