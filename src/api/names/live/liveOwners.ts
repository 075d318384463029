import { type Address, decodeFunctionResult, type Hex } from "viem";
import { nameWrapperReads } from "../../../../abis/nameWrapper.ts";
import { registrarReads } from "../../../../abis/registrar.ts";
import { registryReads } from "../../../../abis/registry.ts";
import { chunksOf } from "../../server/scheduling/chunks.ts";
import { LiveFailure } from "./failure.ts";
import {
  addressInWord,
  type CallAnswer,
  type ContractCall,
  callTogether,
  contractCall,
} from "./multicall.ts";
import type { Rpc } from "./rpc.ts";

/** Names whose owners one call reads. More names take several calls. */
export const NAMES_PER_OWNERS_CALL = 250;

/** The contracts that store owners. `wrapper` is undefined if the deployment has none. */
export type OwnerContracts = {
  multicall3: Address;
  registry: Address;
  registrar: Address;
  wrapper: Address | undefined;
};

/** A name whose owners are read. `ethLabelhash` is null except for .eth second-level names: their ID at the registrar. */
export type OwnedName = { node: Hex; ethLabelhash: Hex | null };

/** The contracts' answers about a name's owners. Addresses are in lower case; times are Unix seconds as decimal strings. */
export type LiveOwners = {
  registryOwner: Address | null;
  resolver: Address | null;
  /** Null except for .eth second-level names, and if the registrar returns none (after expiry). */
  registrarOwner: Address | null;
  /** Null except for .eth second-level names, and for those never registered. */
  registrarExpiry: string | null;
  /** As `getData` returns it: none for a token that expired with PARENT_CANNOT_CONTROL burnt. */
  wrapperOwner: Address | null;
  wrapperFuses: number;
  wrapperExpiry: string;
};

/**
 * Reads the owners of many names at one block, in the order of the names, {@link NAMES_PER_OWNERS_CALL} per call.
 *
 * @throws LiveFailure when a call fails
 */
export async function readOwners(
  { rpc, contracts, signal }: { rpc: Rpc; contracts: OwnerContracts; signal: AbortSignal },
  { names, blockNumber }: { names: readonly OwnedName[]; blockNumber: number },
): Promise<LiveOwners[]> {
  const read = await Promise.all(
    chunksOf(names, NAMES_PER_OWNERS_CALL).map(async (chunk) => {
      const reads = chunk.map((name) => readsOf(name, contracts));
      const calls = reads.flat().map(({ target, callData }) => ({ target, callData }));
      const to = { rpc, signal, multicall3: contracts.multicall3 };
      const answers = await callTogether(to, { calls, blockNumber });
      if (answers === null) throw noMulticall();
      let next = 0;
      return reads.map((ofName) => {
        next += ofName.length;
        return toOwners(ofName, answers.slice(next - ofName.length, next));
      });
    }),
  );
  return read.flat();
}

type ReadName = "owner" | "resolver" | "ownerOf" | "nameExpires" | "getData";
type OwnerRead = ContractCall & { name: ReadName };

function readsOf({ node, ethLabelhash }: OwnedName, contracts: OwnerContracts): OwnerRead[] {
  const { registry, registrar, wrapper } = contracts;
  const ofRegistry = (name: "owner" | "resolver") => ({
    name,
    ...contractCall(registry, { abi: registryReads, functionName: name, args: [node] }),
  });
  const ofRegistrar = (name: "ownerOf" | "nameExpires", id: bigint) => ({
    name,
    ...contractCall(registrar, { abi: registrarReads, functionName: name, args: [id] }),
  });
  const reads: OwnerRead[] = [ofRegistry("owner"), ofRegistry("resolver")];
  if (ethLabelhash !== null) {
    const id = BigInt(ethLabelhash);
    reads.push(ofRegistrar("ownerOf", id), ofRegistrar("nameExpires", id));
  }
  if (wrapper !== undefined) {
    const getData = { abi: nameWrapperReads, functionName: "getData", args: [BigInt(node)] } as const;
    reads.push({ name: "getData", ...contractCall(wrapper, getData) });
  }
  return reads;
}

const noMulticall = () =>
  new LiveFailure(
    "rpc",
    "The owners could not be read: Multicall3 did not answer at the deployment's address.",
  );

function toOwners(reads: readonly OwnerRead[], answers: readonly CallAnswer[]): LiveOwners {
  const dataOf = (name: ReadName): Hex | null => {
    const index = reads.findIndex((read) => read.name === name);
    if (index === -1) return null;
    const answer = answers[index];
    // `ownerOf` reverts for expired names. No other read may fail.
    if (answer?.success && answer.returnData !== "0x") return answer.returnData;
    if (name === "ownerOf") return null;
    throw new LiveFailure("rpc", `The owners could not be read: ${name} reverted.`);
  };
  const [ownerOf, nameExpires, getData] = [dataOf("ownerOf"), dataOf("nameExpires"), dataOf("getData")];
  const addressIn = (word: Hex | null) => word && addressInWord(word);
  const expiry = nameExpires && BigInt(nameExpires);
  const token =
    getData && decodeFunctionResult({ abi: nameWrapperReads, functionName: "getData", data: getData });
  return {
    registryOwner: addressIn(dataOf("owner")),
    resolver: addressIn(dataOf("resolver")),
    registrarOwner: addressIn(ownerOf),
    registrarExpiry: expiry ? expiry.toString() : null,
    wrapperOwner: token ? addressInWord(token[0]) : null,
    wrapperFuses: token ? token[1] : 0,
    wrapperExpiry: (token ? token[2] : 0n).toString(),
  };
}
