import type { Address, Hex, TransactionReceipt } from "viem";
import type { Chain } from "./chain.ts";
import { addressOf, send } from "./chain.ts";
import { ADDR_REVERSE_NODE, nodeBelow, REVERSE_NODE } from "./names.ts";
import { setSubnodeOwner } from "./registry.ts";

/** Node of `<address>.addr.reverse`. */
export function reverseNode(address: Address): Hex {
  return nodeBelow(ADDR_REVERSE_NODE, address.slice(2).toLowerCase());
}

/**
 * Makes a reverse registrar the owner of `addr.reverse`, as each generation replaced the one before.
 * Claims through another one revert from then on. By the owner of `reverse` only.
 */
export async function useReverseRegistrar(
  chain: Chain,
  { from, registrar }: { from: Address; registrar: string },
): Promise<TransactionReceipt> {
  const owner = addressOf(chain, registrar);
  return setSubnodeOwner(chain, { from, parent: REVERSE_NODE, label: "addr", owner });
}

/** Which reverse registrar: the newest (generation 3) unless another is named. */
type ReverseAct = { from: Address; registrar?: string };

/** `setName`: the caller's reverse name, in the registrar's default resolver. */
export async function setReverseName(
  chain: Chain,
  { from, name, registrar = "reverseRegistrar3" }: ReverseAct & { name: string },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: registrar, functionName: "setName", args: [name] });
}

/** `claim`: the caller's reverse node goes to `owner`, without a resolver (old) or with the default (new). */
export async function claimReverse(
  chain: Chain,
  { from, owner, registrar = "reverseRegistrar3" }: ReverseAct & { owner: Address },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: registrar, functionName: "claim", args: [owner] });
}

/** `claimWithResolver`: the caller's reverse node with a resolver of choice. */
export async function claimReverseWithResolver(
  chain: Chain,
  act: ReverseAct & { owner: Address; resolver: Address },
): Promise<TransactionReceipt> {
  const { from, owner, resolver, registrar = "reverseRegistrar3" } = act;
  return send(chain, {
    from,
    contract: registrar,
    functionName: "claimWithResolver",
    args: [owner, resolver],
  });
}

/** `setNameForAddr` (generation 3): by the address itself, its operator, or a controller. */
export async function setReverseNameForAddr(
  chain: Chain,
  act: ReverseAct & { addr: Address; owner: Address; resolver: Address; name: string },
): Promise<TransactionReceipt> {
  const { from, addr, owner, resolver, name, registrar = "reverseRegistrar3" } = act;
  const args = [addr, owner, resolver, name];
  return send(chain, { from, contract: registrar, functionName: "setNameForAddr", args });
}

/** `setName` of the DefaultReverseRegistrar: the name for every EVM chain; "" clears it. */
export async function setDefaultName(
  chain: Chain,
  { from, name }: { from: Address; name: string },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: "defaultReverseRegistrar", functionName: "setName", args: [name] });
}

/** `setName` of an L2ReverseRegistrar: the name for that chain; "" clears it. */
export async function setLayer2Name(
  chain: Chain,
  { from, name }: { from: Address; name: string },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: "l2ReverseRegistrar", functionName: "setName", args: [name] });
}
