import type { Context } from "ponder:registry";
import { ensv2Proxy } from "ponder:schema";
import { type Address, zeroAddress } from "viem";
import { addressesIn, addressesOf } from "../contracts.ts";
import type { LogRef } from "../logRef.ts";

/** The code recorded for a contract whose logs no longer determine its state. */
const UNTOLD = zeroAddress;

type CodeList = "registryCode" | "resolverCode";

/** Whether an address is in one of these lists. */
const isListed = (context: Context, address: Address, ...lists: CodeList[]): boolean =>
  lists.some((list) => addressesIn(context, list).includes(address));

/** Whether a registry is the root registry or the ETH registry: each is at one name, and no factory deployed it. */
export const isFixedRegistry = (context: Context, registry: Address): boolean =>
  (["Ensv2RootRegistry", "Ensv2EthRegistry"] as const).some((entry) =>
    addressesOf(context, entry).includes(registry),
  );

/** Whether what a registry stores is what its logs say. */
export const isToldRegistry = async (context: Context, registry: Address): Promise<boolean> =>
  isFixedRegistry(context, registry) || (await hasCode(context, registry, "registryCode"));

/** Whether what a resolver stores is what its logs say. */
export const hasKnownCode = (context: Context, resolver: Address): Promise<boolean> =>
  hasCode(context, resolver, "resolverCode");

async function hasCode(context: Context, address: Address, code: CodeList): Promise<boolean> {
  const row = await context.db.find(ensv2Proxy, { chainId: context.chain.id, address });
  return row !== null && isListed(context, row.implementation, code);
}

/**
 * Stores the code that a proxy has from here on. The first log comes from the proxy itself, in its constructor. Code that
 * the index does not know can store anything, so what it leaves behind for later code is unknown, too. Writes:
 * ensv2_proxies.
 *
 * @returns whether the logs of the proxy told more before, or tell more now
 */
export async function putCode(context: Context, log: LogRef, implementation: Address): Promise<boolean> {
  const { chainId, contractAddress: address, blockNumber, transactionHash } = log;
  const isKnown = isListed(context, implementation, "registryCode", "resolverCode");
  const before = await context.db.find(ensv2Proxy, { chainId, address });
  const code = isKnown && before?.implementation !== UNTOLD ? implementation : UNTOLD;
  if (before?.implementation === code) return false;
  await context.db
    .insert(ensv2Proxy)
    .values({ chainId, address, implementation: code, deployedBy: null, blockNumber, transactionHash })
    .onConflictDoUpdate({ implementation: code });
  return true;
}

/** Records that a contract's logs no longer determine its state. Writes: ensv2_proxies. */
export const leaveToChain = (context: Context, log: LogRef): Promise<boolean> =>
  putCode(context, log, UNTOLD);

/** Stores who had a proxy deployed. The code is what the proxy's own logs told. Writes: ensv2_proxies. */
export async function putDeployer(
  context: Context,
  log: LogRef,
  { address, implementation, deployedBy }: { address: Address; implementation: Address; deployedBy: Address },
): Promise<boolean> {
  const isChanged =
    (await context.db.find(ensv2Proxy, { chainId: log.chainId, address })) === null &&
    (await putCode(context, { ...log, contractAddress: address }, implementation));
  await context.db.update(ensv2Proxy, { chainId: log.chainId, address }).set({ deployedBy });
  return isChanged;
}
