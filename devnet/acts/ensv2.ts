import type { Abi, Address, Hex, TransactionReceipt } from "viem";
import { encodeFunctionData, getAddress, hexToBigInt, parseEventLogs, zeroAddress } from "viem";
import type { Chain } from "./chain.ts";
import { contractOf, latestTime, read, send } from "./chain.ts";
import { DAY, YEAR } from "./controllers.ts";
import type { Label } from "./names.ts";
import { hashLabel } from "./names.ts";

/** Time after the expiry of a `.eth` name of ENSv2 in which only a renewal is possible: 28 days. */
export const GRACE_V2 = 28n * DAY;

/** By how much a reservation ends later than the name of ENSv1: 62 days, so that both grace periods end together. */
export const BONUS_V2 = 62n * DAY;

/** Roles in a registry; the right to give one away is the bit 128 higher. `canTransfer` is such a right only. */
export const ROLES = {
  registrar: 1n << 0n,
  registerReserved: 1n << 4n,
  setParent: 1n << 8n,
  unregister: 1n << 12n,
  renew: 1n << 16n,
  setSubregistry: 1n << 20n,
  setResolver: 1n << 24n,
  canTransfer: 1n << 156n,
  wasReserved: 1n << 32n,
  setUri: 1n << 36n,
  canName: 1n << 120n,
  upgrade: 1n << 124n,
} as const;

/** A role with the right to give it away. */
export const withAdmin = (roles: bigint): bigint => roles | (roles << 128n);

/** What the buyer of a `.eth` name gets. */
export const ROLES_OF_AN_OWNER =
  withAdmin(ROLES.setSubregistry) | withAdmin(ROLES.setResolver) | ROLES.canTransfer;

/** What the keeper of a registry for subnames usually has there. */
const ROLES_OF_A_KEEPER =
  withAdmin(ROLES.registrar | ROLES.setParent | ROLES.unregister | ROLES.renew) |
  withAdmin(ROLES.setSubregistry | ROLES.setResolver | ROLES.upgrade | ROLES.setUri) |
  ROLES.canTransfer;

/** The parties of acts in a registry; `registry` is its contract name, by default `ethRegistry`. */
type Entry = { from: Address; label: Label; registry?: string };

/** The state that a registry stores and computes of an entry. */
export type EntryState = {
  /** 0 available, 1 reserved, 2 registered. */
  status: number;
  expiry: bigint;
  latestOwner: Address;
  tokenId: bigint;
  resource: bigint;
};

/** The registry's `getState`. */
export async function readEntry(
  chain: Chain,
  { label, registry = "ethRegistry" }: Omit<Entry, "from">,
): Promise<EntryState> {
  const args = [hexToBigInt(hashLabel(label))];
  return read<EntryState>(chain, { contract: registry, functionName: "getState", args });
}

/** A call of a registry whose first argument identifies an entry, here by its labelhash. */
const sendTo = (
  chain: Chain,
  { from, label, registry = "ethRegistry" }: Entry,
  functionName: string,
  ...args: readonly unknown[]
): Promise<TransactionReceipt> =>
  send(chain, {
    from,
    contract: registry,
    functionName,
    args: [hexToBigInt(hashLabel(label)), ...args],
  });

/** What `register` of a registry takes; `expiry` is a time. */
export type EntryRequest = Entry & {
  /** The zero address reserves. */
  owner?: Address;
  subregistry?: Address;
  resolver?: Address;
  roles?: bigint;
  expiry?: bigint;
};

/** `register` of a registry, by an account that may: registers, reserves, or promotes a reservation. */
export async function registerEntry(chain: Chain, act: EntryRequest): Promise<TransactionReceipt> {
  const { from, label, registry = "ethRegistry", owner = from, roles = ROLES_OF_AN_OWNER } = act;
  const { subregistry = zeroAddress, resolver = zeroAddress } = act;
  const expiry = act.expiry ?? (await latestTime(chain)) + YEAR;
  const args = [label, owner, subregistry, resolver, owner === zeroAddress ? 0n : roles, expiry];
  return send(chain, { from, contract: registry, functionName: "register", args });
}

/** Ends an entry now. */
export async function unregisterEntry(chain: Chain, act: Entry): Promise<TransactionReceipt> {
  return sendTo(chain, act, "unregister");
}

/** The registry's own `renew`, to a time. */
export async function renewEntry(
  chain: Chain,
  { expiry, ...act }: Entry & { expiry: bigint },
): Promise<TransactionReceipt> {
  return sendTo(chain, act, "renew", expiry);
}

/** Hangs a registry at an entry; the zero address takes it away. */
export async function setSubregistry(
  chain: Chain,
  { subregistry, ...act }: Entry & { subregistry: Address },
): Promise<TransactionReceipt> {
  return sendTo(chain, act, "setSubregistry", subregistry);
}

/** The resolver of an entry. */
export async function setEntryResolver(
  chain: Chain,
  { resolver, ...act }: Entry & { resolver: Address },
): Promise<TransactionReceipt> {
  return sendTo(chain, act, "setResolver", resolver);
}

/** What a registry claims of its own place. */
export async function setParent(
  chain: Chain,
  { from, registry, parent, label }: { from: Address; registry: string; parent: Address; label: Label },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: registry, functionName: "setParent", args: [parent, label] });
}

/** Gives an account roles for an entry. */
export async function grantRoles(
  chain: Chain,
  { roles, account, ...act }: Entry & { roles: bigint; account: Address },
): Promise<TransactionReceipt> {
  return sendTo(chain, act, "grantRoles", roles, account);
}

/** Takes roles for an entry from an account. */
export async function revokeRoles(
  chain: Chain,
  { roles, account, ...act }: Entry & { roles: bigint; account: Address },
): Promise<TransactionReceipt> {
  return sendTo(chain, act, "revokeRoles", roles, account);
}

type RootRoles = { from: Address; registry?: string; roles: bigint; account: Address };

/** Gives an account roles for all of a registry. */
export async function grantRootRoles(
  chain: Chain,
  { from, registry = "ethRegistry", roles, account }: RootRoles,
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: registry, functionName: "grantRootRoles", args: [roles, account] });
}

/** Takes roles for all of a registry from an account. */
export async function revokeRootRoles(
  chain: Chain,
  { from, registry = "ethRegistry", roles, account }: RootRoles,
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: registry, functionName: "revokeRootRoles", args: [roles, account] });
}

/** Lets another account act for a holder of tokens in a registry. */
export async function approveOperator(
  chain: Chain,
  act: { from: Address; registry?: string; operator: Address; approved?: boolean },
): Promise<TransactionReceipt> {
  const { from, registry = "ethRegistry", operator, approved = true } = act;
  const args = [operator, approved];
  return send(chain, { from, contract: registry, functionName: "setApprovalForAll", args });
}

/** `safeTransferFrom` of an entry's token. A `value` of 0 moves nothing; `tokenId` may be that of an earlier token. */
export async function transferEntry(
  chain: Chain,
  act: Entry & { to: Address; owner?: Address; value?: bigint; tokenId?: bigint },
): Promise<TransactionReceipt> {
  const { from, to, owner = from, value = 1n, registry = "ethRegistry" } = act;
  const tokenId = act.tokenId ?? (await readEntry(chain, act)).tokenId;
  const args = [owner, to, tokenId, value, "0x"];
  return send(chain, { from, contract: registry, functionName: "safeTransferFrom", args });
}

/** `safeBatchTransferFrom`: several tokens in one log, each with its own value. */
export async function transferEntries(
  chain: Chain,
  act: {
    from: Address;
    to: Address;
    entries: readonly { label: Label; value?: bigint }[];
    registry?: string;
  },
): Promise<TransactionReceipt> {
  const { from, to, entries, registry = "ethRegistry" } = act;
  const states = await Promise.all(entries.map(({ label }) => readEntry(chain, { label, registry })));
  const args = [from, to, states.map(({ tokenId }) => tokenId), entries.map(({ value = 1n }) => value), "0x"];
  return send(chain, { from, contract: registry, functionName: "safeBatchTransferFrom", args });
}

/** A transfer by the holder in a registry where others have a say in the token. */
export async function transferEntryUnsafely(
  chain: Chain,
  act: Entry & { to: Address },
): Promise<TransactionReceipt> {
  const { from, to, registry = "ethRegistry" } = act;
  const { tokenId } = await readEntry(chain, act);
  return send(chain, { from, contract: registry, functionName: "unsafeTransfer", args: [to, tokenId, "0x"] });
}

/** What `deployProxy` of the factory takes; `name` is what the chain's contracts call the proxy from then on. */
type ProxyRequest = { from: Address; name: string; salt?: bigint };

/** Deploys a registry of one's own for subnames. */
export async function deployUserRegistry(
  chain: Chain,
  { roles = ROLES_OF_A_KEEPER, code = "userRegistryCode", ...act }: ProxyRequest & RegistryOptions,
): Promise<TransactionReceipt> {
  const { abi } = contractOf(chain, code);
  const data = encodeFunctionData({ abi, functionName: "initialize", args: [act.from, roles] });
  return deployProxy(chain, { ...act, code, data });
}

type RegistryOptions = { roles?: bigint; code?: string };

/** Deploys a resolver of one's own; the first records are calls, as {@link encodeResolverWrite} makes them. */
export async function deployResolver(
  chain: Chain,
  { calls = [], code = "resolverCode", ...act }: ProxyRequest & { calls?: readonly Hex[]; code?: string },
): Promise<TransactionReceipt> {
  const { abi } = contractOf(chain, code);
  const grants = [{ account: act.from, roleBitmap: withAdmin(1n | ROLES.upgrade) }];
  const data = encodeFunctionData({ abi, functionName: "initialize", args: [grants, calls] });
  return deployProxy(chain, { ...act, code, data });
}

async function deployProxy(
  chain: Chain,
  { from, name, salt, code, data }: ProxyRequest & { code: string; data: Hex },
): Promise<TransactionReceipt> {
  const { address, abi } = contractOf(chain, code);
  const args = [address, salt ?? hexToBigInt(hashLabel(name)), data];
  const receipt = await send(chain, { from, contract: "factory", functionName: "deployProxy", args });
  chain.contracts[name] = { address: proxyOf(chain, receipt), abi };
  return receipt;
}

/** The proxy that a transaction deployed, also by a migration. */
export function proxyOf(chain: Chain, { logs }: TransactionReceipt): Address {
  const abi = contractOf(chain, "factory").abi as Abi;
  const found = parseEventLogs({ abi, logs, eventName: "ProxyDeployed" })[0];
  const { proxyAddress } = (found as unknown as { args?: { proxyAddress: Address } })?.args ?? {};
  if (proxyAddress === undefined) throw new Error("the transaction deployed no proxy");
  return getAddress(proxyAddress);
}

/** Puts other code behind a proxy. */
export async function upgradeProxy(
  chain: Chain,
  { from, proxy, code }: { from: Address; proxy: string; code: Address },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: proxy, functionName: "upgradeToAndCall", args: [code, "0x"] });
}
