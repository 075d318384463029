import {
  type Abi,
  type Address,
  createTestClient,
  decodeEventLog,
  type Hex,
  http,
  isAddressEqual,
  type Log,
  publicActions,
  type TransactionReceipt,
  walletActions,
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
import { type Chain, read } from "../devnet/acts.ts";
import { type Anvil, startAnvil } from "../devnet/anvil.ts";
import { deployContracts } from "../devnet/deploy.ts";

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

export type TestChain = Chain & { anvil: Anvil; people: { ann: Address; bob: Address; cy: Address } };

/** One decoded log. `word` is `contract Event`, and for a token also whether it was minted or burnt. */
export type Decoded = { word: string; args: Record<string, unknown> };

/** A chain of its own with all contracts on it. */
export async function openChain(): Promise<TestChain> {
  const anvil = await startAnvil({ timestamp: START });
  const client = createTestClient({ mode: "anvil", transport: http(anvil.url) })
    .extend(publicActions)
    .extend(walletActions);
  const { contracts } = await deployContracts(client, { layer2ReverseRegistrar: true });
  const accounts = await client.getAddresses();
  const [, ann, bob, cy] = accounts;
  if (!ann || !bob || !cy) throw new Error("the chain has too few accounts");
  return { anvil, client, accounts, contracts, people: { ann, bob, cy } };
}

/** The logs of a transaction, in order. Throws for one that the index could not decode. */
export function logsOf(chain: Chain, receipt: TransactionReceipt): Decoded[] {
  return receipt.logs.map((log) => decode(chain, log));
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

function decode(chain: Chain, log: Log): Decoded {
  const contract = Object.entries(chain.contracts).find(([, { address }]) =>
    isAddressEqual(address, log.address),
  )?.[0];
  const abi = contract === undefined ? undefined : EVENTS[contract];
  if (abi === undefined)
    throw new Error(`a log of ${contract ?? log.address}, which the index does not know`);
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
