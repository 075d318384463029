import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  maxUint64,
  numberToHex,
  parseAbi,
  parseEventLogs,
  zeroAddress,
  zeroHash,
} from "viem";
import { ensv2FactoryAbi, ensv2RegistryAbi, ensv2ResolverAbi, upgradedAbi } from "../../abis/ensv2.ts";
import { type Chain, contractOf, type EntryState, hashLabel, latestTime, read } from "../../devnet/acts.ts";
import type { LocalChain } from "../../devnet/localChain.ts";
import { readAtTime } from "./onChain.ts";
import { lower } from "./stage.ts";

/*
 * The answers of the ENSv2 contracts, in the columns of the tables. Logs only show what to ask about: the existing registries,
 * labels, accounts and names.
 */

type Local = Pick<LocalChain, "chain" | "deployment">;

const eventAbi = [...ensv2RegistryAbi, ...ensv2ResolverAbi, ...ensv2FactoryAbi, ...upgradedAbi] as const;

type TellingLog = { address: Hex; eventName: string; args: Record<string, unknown> };

/** Every log that a contract of ENSv2 could have made. Such logs of other contracts are read, too. */
async function readTellingLogs({ client }: Chain): Promise<TellingLog[]> {
  const logs = await client.getLogs({ fromBlock: 0n, toBlock: "latest" });
  return parseEventLogs({ abi: eventAbi as Abi, logs }) as unknown as TellingLog[];
}

/** Addresses of the contracts whose logs show what they store: those listed by the deployment, and proxies. */
export type Ensv2Contracts = { registries: Hex[]; resolvers: Hex[]; logs: readonly TellingLog[] };

const known = new WeakMap<Chain, { head: Hex; contracts: Ensv2Contracts }>();

/** The contracts at the newest block, read once for it. */
export async function readEnsv2Contracts(local: Local): Promise<Ensv2Contracts> {
  const { hash: head } = await local.chain.client.getBlock();
  const last = known.get(local.chain);
  if (last?.head === head) return last.contracts;
  const contracts = await findContracts(local);
  known.set(local.chain, { head, contracts });
  return contracts;
}

/** A proxy counts if it only ever had code that the deployment lists. */
async function findContracts({ chain, deployment }: Local): Promise<Ensv2Contracts> {
  const { ensv2 } = deployment;
  if (ensv2 === undefined) throw new Error("the deployment has no ENSv2");
  const logs = await readTellingLogs(chain);
  const proxies = logs.flatMap(({ eventName, args }) =>
    eventName === "ProxyDeployed" ? [lower(args.proxyAddress as Address)] : [],
  );
  const ofCode = (codes: readonly Address[]) =>
    proxies.filter((proxy) =>
      logs
        .filter(({ address, eventName }) => lower(address) === proxy && eventName === "Upgraded")
        .every(({ args }) => codes.some((code) => isAddressEqual(code, args.implementation as Address))),
    );
  const { registry, wrapper, resolver } = ensv2.implementations;
  const registries = [
    lower(ensv2.rootRegistry),
    lower(ensv2.ethRegistry),
    ...ofCode([...registry, ...wrapper]),
  ];
  const found = { registries, resolvers: ofCode(resolver), logs };
  for (const one of found.registries) nameContract(chain, one, "userRegistryCode");
  for (const one of found.resolvers) nameContract(chain, one, "resolverCode");
  return found;
}

/** Lets reads find a contract by its address. */
function nameContract(chain: Chain, address: Hex, code: string): void {
  chain.contracts[address] = { address, abi: contractOf(chain, code).abi };
}

/** The columns of `ensv2_entries` that a registry can answer. */
export type EntryRow = {
  registry: Hex;
  labelhash: Hex;
  /** As displayed. */
  label: string;
  /** Null if no log states the number: the token was burnt when the entry ended. */
  token_id: string | null;
  resource: string | null;
  owner: Hex | null;
  expiry: string;
  subregistry: Hex | null;
  resolver: Hex | null;
  is_registered: boolean;
};

const nullIfZero = (address: Address): Hex | null => (address === zeroAddress ? null : lower(address));

/** The registries' answers about every label that they ever logged, at an earlier time for expired ones. */
export async function readEntries(chain: Chain, { registries, logs }: Ensv2Contracts): Promise<EntryRow[]> {
  const labels = new Map<string, { registry: Hex; label: string; isRegistered: boolean }>();
  for (const { address, eventName, args } of logs) {
    const registry = lower(address);
    if (!/^Label(Registered|Reserved)$/.test(eventName) || !registries.includes(registry)) continue;
    const key = `${registry} ${args.labelHash}`;
    const isRegistered = eventName === "LabelRegistered" || (labels.get(key)?.isRegistered ?? false);
    labels.set(key, { registry, label: args.label as string, isRegistered });
  }
  const now = await latestTime(chain);
  return Promise.all([...labels.values()].map((entry) => readEntry(chain, entry, now)));
}

async function readEntry(
  chain: Chain,
  { registry, label, isRegistered }: { registry: Hex; label: string; isRegistered: boolean },
  now: bigint,
): Promise<EntryRow> {
  const labelhash = hashLabel(label);
  const question = (functionName: string, ...args: unknown[]) => ({ contract: registry, functionName, args });
  const { expiry } = await read<EntryState>(chain, question("getState", BigInt(labelhash)));
  const time = expiry > now ? now : expiry - 1n;
  const ask = <Result>(functionName: string, ...args: unknown[]) =>
    readAtTime<Result>(chain, question(functionName, ...args), time);
  const state = await ask<EntryState>("getState", BigInt(labelhash));
  const owner = nullIfZero(state.latestOwner);
  return {
    registry,
    labelhash,
    owner,
    expiry: String(expiry),
    is_registered: isRegistered,
    label: /[\0.[\]]/.test(label) ? `[${labelhash.slice(2)}]` : label,
    token_id: owner === null && isRegistered ? null : String(state.tokenId),
    resource: owner === null ? null : String(state.resource),
    subregistry: nullIfZero(await ask("getSubregistry", label)),
    resolver: nullIfZero(await ask("getResolver", label)),
  };
}

/** `contract resource account roles` of every account that ever had roles that count: on the root, and on held tokens. */
export async function readRoles(
  chain: Chain,
  { registries, resolvers, logs }: Ensv2Contracts,
  entries: readonly EntryRow[],
): Promise<string[]> {
  const current = new Map(entries.map((entry) => [`${entry.registry} ${entry.resource}`, entry]));
  const asked = new Map<string, { contract: Hex; resource: bigint; account: Address }>();
  for (const { address, eventName, args } of logs) {
    const contract = lower(address);
    if (eventName !== "EACRolesChanged" || ![...registries, ...resolvers].includes(contract)) continue;
    const resource = args.resource as bigint;
    if (resource !== 0n && !current.has(`${contract} ${resource}`)) continue;
    const account = args.account as Address;
    asked.set(`${contract} ${resource} ${lower(account)}`, { contract, resource, account });
  }
  const now = await latestTime(chain);
  const lines = [...asked].map(async ([key, { contract, resource, account }]) => {
    const expiry = BigInt(current.get(`${contract} ${resource}`)?.expiry ?? maxUint64);
    const question = { contract, functionName: "roles", args: [resource, account] };
    const roles = await readAtTime<bigint>(chain, question, expiry > now ? now : expiry - 1n);
    return `${key} ${roles}`;
  });
  return (await Promise.all(lines)).sort();
}

/** `resolver node record` of every name that was ever linked; the record's number as 32 bytes, or null. */
export async function readLinks(chain: Chain, { resolvers, logs }: Ensv2Contracts): Promise<string[]> {
  const asked = new Map<string, { resolver: Hex; node: Hex }>();
  for (const { address, eventName, args } of logs) {
    const resolver = lower(address);
    if (eventName !== "Linked" || !resolvers.includes(resolver)) continue;
    asked.set(`${resolver} ${args.node}`, { resolver, node: args.node as Hex });
  }
  const lines = [...asked].map(async ([key, { resolver, node }]) => {
    const id = await read<bigint>(chain, { contract: resolver, functionName: "getRecordId", args: [node] });
    return `${key} ${id === 0n ? null : numberToHex(id, { size: 32 })}`;
  });
  return (await Promise.all(lines)).sort();
}

const resolverReads = parseAbi([
  "function text(bytes32 node, string key) view returns (string)",
  "function addr(bytes32 node, uint256 coinType) view returns (bytes)",
  "function contenthash(bytes32 node) view returns (bytes)",
  "function name(bytes32 node) view returns (string)",
]);

type Kind = "text" | "addr" | "contenthash" | "name";

/** `resolver record kind key value` of every record that was ever set and is not empty, requested through a linked name. */
export async function readRecords(chain: Chain, { resolvers, logs }: Ensv2Contracts): Promise<string[]> {
  const lines: string[] = [];
  for (const resolver of resolvers) {
    const own = logs.filter(({ address }) => lower(address) === resolver);
    const texts = argsOf<string>(own, "TextUpdated", "key").map((key) => ["text", key] as const);
    const coins = argsOf<bigint>(own, "AddressUpdated", "coinType").map((coin) => ["addr", coin] as const);
    const names = new Map(
      own.flatMap(({ eventName, args }) =>
        eventName === "Linked" ? [[args.node as Hex, args.name as Hex]] : [],
      ),
    );
    const asked = new Map<bigint, Hex>();
    for (const [node, name] of names) {
      asked.set(
        await read<bigint>(chain, { contract: resolver, functionName: "getRecordId", args: [node] }),
        name,
      );
    }
    for (const [record, name] of asked) {
      if (record === 0n) continue;
      for (const [kind, key] of [...texts, ...coins, ["contenthash", ""] as const, ["name", ""] as const]) {
        const value = await resolve(chain, { resolver, name, kind, key });
        const place = `${resolver} ${numberToHex(record, { size: 32 })}`;
        if (value !== "" && value !== "0x") lines.push(`${place} ${kind} ${key} ${value}`);
      }
    }
  }
  return lines.sort();
}

const argsOf = <Value>(logs: readonly TellingLog[], event: string, arg: string): Value[] => [
  ...new Set(logs.flatMap(({ eventName, args }) => (eventName === event ? [args[arg] as Value] : []))),
];

type Question = { resolver: Hex; name: Hex; kind: Kind; key: string | bigint };

async function resolve(chain: Chain, { resolver, name, kind, key }: Question): Promise<string> {
  const args = kind === "text" || kind === "addr" ? [zeroHash, key] : [zeroHash];
  const data = encodeFunctionData({ abi: resolverReads as Abi, functionName: kind, args });
  const answer = await read<Hex>(chain, { contract: resolver, functionName: "resolve", args: [name, data] });
  return decodeFunctionResult({ abi: resolverReads as Abi, functionName: kind, data: answer }) as string;
}

/** How many names each registry can ever have had, by every link ever logged; infinite in a circle. */
export function countPlaces({ registries, logs }: Ensv2Contracts): (registry: Hex) => number {
  const [root, eth] = registries;
  const links = new Map<Hex, Set<string>>();
  for (const { address, eventName, args } of logs) {
    if (eventName !== "SubregistryUpdated" || !registries.includes(lower(address))) continue;
    const below = lower(args.subregistry as Address);
    const label = (args.tokenId as bigint) >> 32n;
    links.set(below, (links.get(below) ?? new Set()).add(`${lower(address)} ${label}`));
  }
  const counted = new Map<Hex, number>();
  const count = (registry: Hex): number => {
    if (registry === root || registry === eth) return 1;
    const known = counted.get(registry);
    if (known !== undefined) return known;
    counted.set(registry, Number.POSITIVE_INFINITY); // Getting here again means a circle.
    const above = [...(links.get(registry) ?? [])].map((link) => count(link.split(" ")[0] as Hex));
    const sum = above.reduce((total, places) => total + places, 0);
    counted.set(registry, sum);
    return sum;
  };
  return count;
}
