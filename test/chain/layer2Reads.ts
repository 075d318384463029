import { type Address, decodeEventLog, getAddress, type Hex, hexToBigInt, namehash } from "viem";
import { contractOf, nodeBelow, read, rpc } from "../../devnet/acts.ts";
import type { LocalLayer2 } from "../../devnet/localChains.ts";
import { eventsWithTopic } from "../truth/eventTopics.ts";
import { readState, type Subject } from "./onChain.ts";
import { lower } from "./stage.ts";

/*
 * The oracle of layer 2 names: their contracts' answers. It shares no code with the product. It learns from the chain's logs
 * which nodes, keys and addresses to ask about.
 */

/** A log of the chain, decoded by the ABI of the contract that emitted it. */
export type ChainLog = {
  contract: string;
  address: Address;
  event: string;
  args: Record<string, unknown>;
  blockNumber: number;
  logIndex: number;
  transactionHash: Hex;
};

type RawLog = {
  address: Address;
  topics: [Hex, ...Hex[]];
  data: Hex;
  blockNumber: Hex;
  logIndex: Hex;
  transactionHash: Hex;
};

/** Every log of the chain's contracts, oldest first. */
export async function readLogs({ chain }: LocalLayer2): Promise<ChainLog[]> {
  const raw = await rpc<RawLog[]>(chain, "eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
  return raw.flatMap((log) => {
    const found = Object.entries(chain.contracts).find(
      ([, { address }]) => address.toLowerCase() === log.address,
    );
    if (found === undefined) return [];
    const [contract, { abi }] = found;
    const { topics, data } = log;
    const { eventName, args } = decodeEventLog({ abi: eventsWithTopic(abi, topics[0]), topics, data });
    return [
      {
        contract,
        address: log.address,
        event: eventName ?? "",
        transactionHash: log.transactionHash,
        args: args as unknown as Record<string, unknown>,
        blockNumber: Number(log.blockNumber),
        logIndex: Number(log.logIndex),
      },
    ];
  });
}

/** Every node below the managed name that a log of the registry or the registrar creates. */
export function listNodes({ deployment }: LocalLayer2, logs: readonly ChainLog[]): Subject[] {
  const managed = namehash(deployment.managedName?.name ?? "");
  const nodes = new Map<Hex, Subject>();
  const add = (parent: Hex, labelhash: Hex) => {
    if (parent !== managed && !nodes.has(parent)) return;
    const node = nodeBelow(parent, { labelhash });
    nodes.set(node, { node, tokenId: parent === managed ? hexToBigInt(labelhash) : null });
  };
  for (const { contract, event, args } of logs) {
    if (contract === "registry" && event === "NewOwner") add(args.node as Hex, args.label as Hex);
    const id = args.id ?? args.tokenId;
    if (contract === "registrar" && typeof id === "bigint")
      add(managed, `0x${id.toString(16).padStart(64, "0")}`);
  }
  return [...nodes.values()];
}

/** A row of `domains` made from the contracts' answers. */
export type DomainRow = {
  node: Hex;
  registry_owner: Hex | null;
  resolver: Hex | null;
  registrar_owner: Hex | null;
  registrar_expiry_timestamp: string | null;
  wrapper_owner: Hex | null;
  wrapper_fuses: string | null;
  wrapper_expiry_timestamp: string | null;
  is_wrapped: boolean;
  expiry_timestamp: string | null;
  effective_owner_address: Hex | null;
};

const shownOf = (address: Address | null): Hex | null => address && lower(address);
const expiryOrNull = (expiry: bigint): string | null => (expiry === 0n ? null : expiry.toString());

/** The contracts' state of a node. */
export async function readDomain({ chain }: LocalLayer2, subject: Subject): Promise<DomainRow> {
  const { wrapper: token, registrarExpiry, ...stored } = await readState(chain, subject);
  const registryOwner = shownOf(stored.registryOwner);
  const registrarOwner = shownOf(stored.registrarOwner);
  const tokenOwner = shownOf(token.owner);
  const isBelow = subject.tokenId === null;
  const wrapper = shownOf(chain.contracts.wrapper?.address ?? null);
  const isHeld = wrapper !== null && registryOwner === wrapper && (isBelow || registrarOwner === wrapper);
  const isWrapped = isHeld && tokenOwner !== null;
  const hasToken = tokenOwner !== null || token.expiry > 0n;
  return {
    node: subject.node,
    registry_owner: registryOwner,
    resolver: shownOf(stored.resolver),
    registrar_owner: registrarOwner,
    registrar_expiry_timestamp: expiryOrNull(registrarExpiry),
    wrapper_owner: tokenOwner,
    wrapper_fuses: hasToken ? String(token.fuses) : null,
    wrapper_expiry_timestamp: hasToken ? String(token.expiry) : null,
    is_wrapped: isWrapped,
    expiry_timestamp: expiryOrNull(isBelow ? (isWrapped ? token.expiry : 0n) : registrarExpiry),
    effective_owner_address: (isWrapped ? tokenOwner : null) ?? registrarOwner ?? registryOwner,
  };
}

/** The coin type of ENSIP-19 that stands for each EVM chain. */
const DEFAULT_COIN = 2n ** 31n;

/** A record at a resolver, in one line. */
type RecordLine = string;

const placeOf = ({ address, args }: ChainLog): string => `${address.toLowerCase()} ${args.node}`;

/**
 * The coin types with an address of their own: for any other, the newest resolver answers with the default address (ENSIP-19).
 */
function ownAddresses(logs: readonly ChainLog[]): Set<string> {
  const own = new Map<string, Map<unknown, unknown>>();
  for (const log of logs) {
    const at = placeOf(log);
    if (log.event === "VersionChanged") own.delete(at);
    if (log.event !== "AddressChanged") continue;
    const ofNode = own.get(at) ?? new Map();
    own.set(at, ofNode.set(log.args.coinType, log.args.newAddress));
  }
  return new Set(
    [...own].flatMap(([at, coins]) =>
      [...coins].flatMap(([coin, bytes]) => (bytes === "0x" ? [] : [`${at} ${coin}`])),
    ),
  );
}

/** Every record that was ever written at a listed resolver and still has its own value there. */
export async function readRecords({ chain }: LocalLayer2, logs: readonly ChainLog[]): Promise<RecordLine[]> {
  const lines = new Set<RecordLine>();
  const own = ownAddresses(logs);
  for (const log of logs) {
    const { contract, event, args } = log;
    const { node } = args as { node: Hex };
    const at = placeOf(log);
    const ask = <Result>(functionName: string, ...more: unknown[]) =>
      read<Result>(chain, { contract, functionName, args: [node, ...more] });
    if (event === "TextChanged") {
      const value = await ask<string>("text", args.key);
      if (value !== "") lines.add(`${at} text ${args.key} ${value}`);
    } else if (event === "AddressChanged") {
      const bytes = await ask<Hex>("addr", args.coinType);
      const isOwn = own.has(`${at} ${args.coinType}`) || bytes !== (await ask<Hex>("addr", DEFAULT_COIN));
      if (bytes !== "0x" && isOwn) lines.add(`${at} addr ${args.coinType} ${bytes.toLowerCase()}`);
    } else if (event === "ContenthashChanged") {
      const hash = await ask<Hex>("contenthash");
      if (hash !== "0x") lines.add(`${at} contenthash ${hash}`);
    } else if (event === "NameChanged") {
      const name = await ask<string>("name");
      if (name !== "") lines.add(`${at} name ${name}`);
    }
  }
  return [...lines].sort();
}

/** The current name of every address that ever took one at the reverse registrar of ENSIP-19. */
export async function readPrimaryNames(
  { chain }: LocalLayer2,
  logs: readonly ChainLog[],
): Promise<Record<Hex, string | null>> {
  const names: Record<Hex, string | null> = {};
  for (const { event, args } of logs) {
    if (event !== "NameForAddrChanged") continue;
    const addr = getAddress(args.addr as Address);
    const question = { contract: "l2ReverseRegistrar", functionName: "nameForAddr", args: [addr] };
    names[addr.toLowerCase() as Hex] = (await read<string>(chain, question)) || null;
  }
  return names;
}

/** The current name, at its node's resolver, of every address that ever claimed one before ENSIP-19. */
export async function readLegacyNames(
  { chain }: LocalLayer2,
  logs: readonly ChainLog[],
): Promise<Record<Hex, string | null>> {
  const names: Record<Hex, string | null> = {};
  for (const { event, args } of logs) {
    if (event !== "BaseReverseClaimed") continue;
    const { addr, node } = args as { addr: Address; node: Hex };
    const at = await read<Address>(chain, { contract: "registry", functionName: "resolver", args: [node] });
    const resolver = Object.keys(chain.contracts).find((name) => contractOf(chain, name).address === at);
    const name =
      resolver && (await read<string>(chain, { contract: resolver, functionName: "name", args: [node] }));
    names[addr.toLowerCase() as Hex] = name || null;
  }
  return names;
}
