import {
  type Abi,
  type Address,
  decodeEventLog,
  type Hex,
  isAddressEqual,
  type Log,
  type TransactionReceipt,
  zeroAddress,
} from "viem";
import {
  controllerCostAbi,
  controllerPremiumAbi,
  controllerReferrerAbi,
  renewalReferrerAbi,
} from "../../abis/controllers.ts";
import { nameWrapperAbi } from "../../abis/nameWrapper.ts";
import { auctionRegistrarAbi, registrarAbi } from "../../abis/registrar.ts";
import { registryAbi } from "../../abis/registry.ts";
import { resolverAbi, resolverUnindexedKeyAbi } from "../../abis/resolver.ts";
import { nameForAddrAbi, reverseRegistrarAbi } from "../../abis/reverse.ts";
import { type Chain, read } from "../../devnet/acts.ts";
import type { Anvil } from "../../devnet/anvil.ts";
import { startLocalChain } from "../../devnet/localChain.ts";

/** The 1st of September 2020; any fixed time would do. */
export const START = 1_598_918_400;

/** The events as the index decodes them, by the contract's name: what a double emits must fit these, not its own ABI. */
const EVENTS: Record<string, Abi> = {
  oldRegistry: registryAbi,
  registry: registryAbi,
  auctionRegistrar: auctionRegistrarAbi,
  oldRegistrar: registrarAbi,
  registrar: registrarAbi,
  controller1: controllerCostAbi,
  controller3: controllerCostAbi,
  controller4: controllerPremiumAbi,
  controller5: controllerReferrerAbi,
  renewalReferrer: renewalReferrerAbi,
  wrapper: nameWrapperAbi,
  resolver2: [...resolverUnindexedKeyAbi, ...resolverAbi],
  resolver3: resolverAbi,
  resolver4: resolverAbi,
  resolver5: resolverAbi,
  reverseRegistrar3: reverseRegistrarAbi,
  defaultReverseRegistrar: nameForAddrAbi,
  l2ReverseRegistrar: nameForAddrAbi,
};

/** Contracts whose own logs are not of ENS. */
const NOT_ENS: readonly (string | undefined)[] = [undefined, "upgradedWrapper", "batch"];

/** The chain with its process, and who acts: `root` owns what ENS itself owns. */
export type TestChain = Chain & { anvil: Anvil; people: { root: Address; ann: Address; bob: Address } };

/** One decoded log. `word` is `contract Event`, and for a token also whether it was minted or burnt. */
export type Decoded = { word: string; args: Record<string, unknown> };

/** A chain of its own with all contracts on it. */
export async function openChain(): Promise<TestChain> {
  const { anvil, chain } = await startLocalChain({
    timestamp: START,
    contracts: { layer2ReverseRegistrar: true },
  });
  const [root, ann, bob] = chain.accounts;
  if (!root || !ann || !bob) throw new Error("the chain has too few accounts");
  return { ...chain, anvil, people: { root, ann, bob } };
}

/**
 * The logs of a transaction, in order, without those of contracts that are not the chain's own (the deeds of auctions).
 * Throws for one that the index could not decode, also of a contract that ought to be silent.
 */
export function logsOf(chain: Chain, receipt: TransactionReceipt): Decoded[] {
  return receipt.logs.flatMap((log) => {
    const contract = contractAt(chain, log.address);
    return contract === undefined || NOT_ENS.includes(contract) ? [] : [decode(contract, log)];
  });
}

/** Who emitted what, in order. */
export function wordsOf(chain: Chain, receipt: TransactionReceipt): string[] {
  return logsOf(chain, receipt).map(({ word }) => word);
}

/** The arguments of the only log of that word. */
export function argsOf(chain: Chain, receipt: TransactionReceipt, word: string): Record<string, unknown> {
  const found = logsOf(chain, receipt).filter((log) => log.word === word);
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} logs are "${word}"`);
  return found[0].args;
}

function contractAt(chain: Chain, at: Address): string | undefined {
  return Object.entries(chain.contracts).find(([, { address }]) => isAddressEqual(address, at))?.[0];
}

function decode(contract: string, log: Log): Decoded {
  const abi = EVENTS[contract];
  if (abi === undefined) throw new Error(`${contract} ought to emit nothing, but did: ${log.topics[0]}`);
  const { eventName, args } = decodeEventLog({ abi, topics: log.topics, data: log.data, strict: true });
  const named = args as unknown as Record<string, unknown>;
  return { word: `${contract} ${eventName}${tokenMove(named)}`, args: named };
}

function tokenMove({ from, to }: Record<string, unknown>): string {
  if (from === zeroAddress) return " mint";
  return to === zeroAddress ? " burn" : "";
}

/** What the wrapper says of a name now. */
export async function wrapperData(
  chain: Chain,
  node: Hex,
): Promise<{ owner: Address; fuses: number; expiry: bigint }> {
  const args = [BigInt(node)];
  const answer = await read<[Address, number, bigint]>(chain, {
    contract: "wrapper",
    functionName: "getData",
    args,
  });
  const [owner, fuses, expiry] = answer;
  return { owner, fuses, expiry };
}
