import { type Address, namehash, stringToHex, type TransactionReceipt } from "viem";
import { type Call, type Chain, send } from "./chain.ts";

/* What is done with names of the DNS at 3DNS. Its operator, the deployer, does all but give a name to another. */

const byOperator = (chain: Chain, functionName: string, args: readonly unknown[]): Call => ({
  from: chain.accounts[0] as Address,
  contract: "dnsToken",
  functionName,
  args,
});

/** Names right below `label` can be registered from now on. */
export const openTopLevel = (chain: Chain, { label }: { label: string }): Promise<TransactionReceipt> =>
  send(chain, byOperator(chain, "registerTLD", [stringToHex(label)]));

/** Registers a name such as `alice.box`, also one that has expired. */
export function registerDnsName(
  chain: Chain,
  { name, owner, duration }: { name: string; owner: Address; duration: bigint },
): Promise<TransactionReceipt> {
  const [label = "", topLevel = ""] = name.split(".");
  const args = [stringToHex(label), stringToHex(topLevel), owner, duration];
  return send(chain, byOperator(chain, "create", args));
}

export const renewDnsName = (
  chain: Chain,
  { name, duration }: { name: string; duration: bigint },
): Promise<TransactionReceipt> => send(chain, byOperator(chain, "extend", [namehash(name), duration]));

export const burnDnsName = (chain: Chain, { name }: { name: string }): Promise<TransactionReceipt> =>
  send(chain, byOperator(chain, "burn", [namehash(name)]));

export const giveDnsName = (
  chain: Chain,
  { from, name, to }: { from: Address; name: string; to: Address },
): Promise<TransactionReceipt> =>
  send(chain, { from, contract: "dnsToken", functionName: "setOwner", args: [namehash(name), to] });
