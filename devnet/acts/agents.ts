import type { Address, Hex, TransactionReceipt } from "viem";
import { hexToBigInt, numberToHex } from "viem";
import { addressOf, type Chain, read, send } from "./chain.ts";
import { type Label, tokenIdOf } from "./names.ts";

/** Standards by which an adapter knows a token; the list is open. */
export const TOKEN_STANDARD = { erc721: 0, erc1155: 1 } as const;

/** A token by its contract (the contract's name on the chain) and its id. */
export type Token = { contract: string; id: bigint };

/** The registrar's token of `<label>.eth`. */
export const registrarToken = (label: Label): Token => ({ contract: "registrar", id: tokenIdOf(label) });

/** The wrapper's token of a node. */
export const wrapperToken = (node: Hex): Token => ({ contract: "wrapper", id: hexToBigInt(node) });

/** What became of a binding: the receipt, and the id that the agent got. */
export type Bound = { receipt: TransactionReceipt; agentId: bigint };

/** `register` of the adapter: an agent for a token that the caller controls, bound to it permanently. */
export async function bindAgent(
  chain: Chain,
  act: { from: Address; token: Token; standard?: number; uri?: string },
): Promise<Bound> {
  const { from, token, standard = TOKEN_STANDARD.erc721, uri = "" } = act;
  const args = [standard, addressOf(chain, token.contract), token.id, uri];
  const receipt = await send(chain, { from, contract: "agentAdapter", functionName: "register", args });
  return { receipt, agentId: agentIdOf(chain, receipt) };
}

/** `setAgentURI` of the adapter, by the controller of the token. */
export async function setAgentURI(
  chain: Chain,
  { from, agentId, uri }: { from: Address; agentId: bigint; uri: string },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: "agentAdapter", functionName: "setAgentURI", args: [agentId, uri] });
}

/** The adapter gives an agent away, as an upgraded one could. */
export async function releaseAgent(
  chain: Chain,
  { from, agentId, to }: { from: Address; agentId: bigint; to: Address },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: "agentAdapter", functionName: "release", args: [agentId, to] });
}

/** `register` of the identity registry itself: an agent that no adapter holds. */
export async function registerAgent(
  chain: Chain,
  { from, uri = "" }: { from: Address; uri?: string },
): Promise<Bound> {
  const call = { from, contract: "agentRegistry", functionName: "register", args: [uri] };
  const receipt = await send(chain, call);
  return { receipt, agentId: agentIdOf(chain, receipt) };
}

/** `Registered(uint256,string,address)`. */
const REGISTERED = "0xca52e62c367d81bb2e328eb795f7c7ba24afb478408a26c0e201d155c449bc4a";

function agentIdOf(chain: Chain, receipt: TransactionReceipt): bigint {
  const registry = addressOf(chain, "agentRegistry").toLowerCase();
  const log = receipt.logs.find(
    ({ address, topics }) => address.toLowerCase() === registry && topics[0] === REGISTERED,
  );
  if (log?.topics[1] === undefined) throw new Error(`${receipt.transactionHash} registered no agent`);
  return hexToBigInt(log.topics[1]);
}

/** The adapter's word on an agent; null if it never bound it. */
export async function readBinding(
  chain: Chain,
  agentId: bigint,
): Promise<{ standard: number; tokenContract: Address; tokenId: bigint } | null> {
  try {
    return await read(chain, { contract: "agentAdapter", functionName: "bindingOf", args: [agentId] });
  } catch (error) {
    if (error instanceof Error && error.message.includes("UnknownAgent")) return null;
    throw error;
  }
}

/** Bytes of one part of an interoperable address before the address itself. Source: ERC-7930, CAIP-350 (eip155). */
function interoperablePrefix(chainId: number): Hex {
  const reference = numberToHex(chainId).slice(2);
  const digits = reference.length % 2 === 0 ? reference : `0${reference}`;
  return `0x00010000${(digits.length / 2).toString(16).padStart(2, "0")}${digits}14`;
}

/** The key by which a name claims an agent, for the chain's own registry unless told. Source: ENSIP-25. */
export async function agentKey(
  chain: Chain,
  { agentId, registry, chainId }: { agentId: bigint | string; registry?: Address; chainId?: number },
): Promise<string> {
  const address = registry ?? addressOf(chain, "agentRegistry");
  const prefix = interoperablePrefix(chainId ?? (await chain.client.getChainId()));
  return `agent-registration[${prefix}${address.slice(2).toLowerCase()}][${agentId}]`;
}
