import type { Address, Hex } from "viem";
import { ensv2HelperReads, ensv2RegistryReads } from "../../../../abis/ensv2.ts";
import { labelhash } from "../../../ens/name.ts";
import { chunksOf } from "../../server/scheduling/chunks.ts";
import { LiveFailure } from "./failure.ts";
import { encodeDnsName } from "./liveRecords.ts";
import {
  addressInWord,
  type CallAnswer,
  type ContractCall,
  callTogether,
  contractCall,
} from "./multicall.ts";
import type { Rpc } from "./rpc.ts";

/** Where to find a name's entry. */
export type EntryPlace = {
  registry: Address;
  /** The labels to descend from that registry, top first. The last one is the name's own. */
  labels: readonly string[];
  /** True if the registry's implementation is known. Each other registry takes a separate call. */
  isKnown: boolean;
};

/** An ENSv2 registry's answer about a name. Addresses are in lower case. */
export type LiveEntry = {
  registry: Address;
  /** The last holder, also after the expiry. */
  latestOwner: Address | null;
  /** Unix seconds as a decimal string. */
  expiry: string;
  tokenId: string;
  /** Null once the entry has expired. */
  resolver: Address | null;
};

/** Entries per call. */
const ENTRIES_PER_CALL = 250;

/** Registries with an unknown implementation on the path to one name. Each takes a call. */
const MAX_REGISTRIES = 16;

type Reach = { rpc: Rpc; multicall3: Address; helper: Address | undefined; signal: AbortSignal };
type Ask = { name: string; place: EntryPlace | null };

/**
 * Reads the entries of names, in their order; null if a registry has none. Registries with a known implementation share calls. An
 * unknown one can fail or use up a call, so each gets a call of its own.
 */
export function readEntries(
  reach: Reach,
  { asks, blockNumber }: { asks: readonly Ask[]; blockNumber: number },
): Promise<LiveEntry | null>[] {
  const known = asks.flatMap(({ place }) => (place?.isKnown ? [place] : []));
  const byPlace = new Map(
    chunksOf(known, ENTRIES_PER_CALL).flatMap((chunk) => {
      const read = readTogether(reach, chunk, blockNumber);
      return chunk.map((place, i) => [place, { read, i }] as const);
    }),
  );
  return asks.map(async ({ name, place }) => {
    if (place === null) return null;
    const shared = byPlace.get(place);
    if (shared === undefined) return readAlone(reach, { name, place, blockNumber });
    return (await shared.read)[shared.i] ?? null;
  });
}

async function readTogether(
  reach: Reach,
  places: readonly EntryPlace[],
  blockNumber: number,
): Promise<(LiveEntry | null)[]> {
  const calls = places.flatMap(({ registry, labels }) => readsOf(registry, labels.at(-1) ?? ""));
  const answers = await callAll(reach, calls, blockNumber);
  return places.map(({ registry }, i) => {
    const [state, resolver] = answers.slice(2 * i, 2 * i + 2);
    const entry = toEntry(registry, state, resolver);
    if (entry === undefined) throw unreadable();
    return entry;
  });
}

/**
 * Descends from a registry with an unknown implementation. If it has no `getState`, the helper gives the owner, and there is no
 * expiry.
 */
async function readAlone(
  reach: Reach,
  { name, place, blockNumber }: { name: string; place: EntryPlace; blockNumber: number },
): Promise<LiveEntry | null> {
  if (place.labels.length > MAX_REGISTRIES) throw tooDeep();
  let registry = place.registry;
  for (const label of place.labels.slice(0, -1)) {
    const [answer] = await callAll(reach, [readByText(registry, "getSubregistry", label)], blockNumber);
    const next = toAddress(answer);
    if (next === undefined) throw unreadable();
    if (next === null) return null;
    registry = next;
  }
  const args = [encodeDnsName(name)] as const;
  const owner =
    reach.helper &&
    contractCall(reach.helper, { abi: ensv2HelperReads, functionName: "findExactOwner", args });
  const calls = [...readsOf(registry, place.labels.at(-1) ?? ""), ...(owner ? [owner] : [])];
  const [state, resolver, byHelper] = await callAll(reach, calls, blockNumber);
  const entry = toEntry(registry, state, resolver);
  if (entry !== undefined) return entry;
  const latestOwner = toAddress(byHelper);
  if (latestOwner === undefined) throw unreadable();
  return latestOwner === null
    ? null
    : { registry, latestOwner, expiry: ENDLESS, tokenId: "0", resolver: toAddress(resolver) ?? null };
}

/** For a registry without expiries. */
const ENDLESS = (2n ** 64n - 1n).toString();

function readsOf(registry: Address, label: string): ContractCall[] {
  const id = BigInt(HASH_IN_BRACKETS.test(label) ? `0x${label.slice(1, -1)}` : labelhash(label));
  return [
    contractCall(registry, { abi: ensv2RegistryReads, functionName: "getState", args: [id] }),
    readByText(registry, "getResolver", label),
  ];
}

const readByText = (registry: Address, functionName: "getSubregistry" | "getResolver", label: string) =>
  contractCall(registry, { abi: ensv2RegistryReads, functionName, args: [requireText(label)] });

const HASH_IN_BRACKETS = /^\[[0-9a-f]{64}\]$/;

function requireText(label: string): string {
  if (!HASH_IN_BRACKETS.test(label)) return label;
  throw new LiveFailure(
    "resolver",
    "Only the hash of a label of this name is known, and registries of ENSv2 find labels by their text.",
  );
}

async function callAll(
  { rpc, multicall3, signal }: Reach,
  calls: readonly ContractCall[],
  blockNumber: number,
): Promise<readonly CallAnswer[]> {
  const answers = await callTogether({ rpc, multicall3, signal }, { calls, blockNumber });
  if (answers === null) throw unreadable();
  return answers;
}

/** The entry; null if the registry never had one, undefined if it does not answer like an ENSv2 registry. */
function toEntry(
  registry: Address,
  state: CallAnswer | undefined,
  resolver: CallAnswer | undefined,
): LiveEntry | null | undefined {
  const address = toAddress(resolver);
  if (!state?.success || state.returnData.length < 2 + STATE_WORDS * 64 || address === undefined)
    return undefined;
  const word = (index: number): Hex => `0x${state.returnData.slice(2 + index * 64, 66 + index * 64)}`;
  const [expiry, owner, tokenId] = [BigInt(word(1)), addressInWord(word(2)), BigInt(word(3))];
  if (expiry === 0n && owner === null) return null;
  return {
    registry,
    latestOwner: owner,
    expiry: expiry.toString(),
    tokenId: tokenId.toString(),
    resolver: address,
  };
}

const STATE_WORDS = 5;

/** An address; null for the zero address, undefined for an answer that is not an address. */
function toAddress(answer: CallAnswer | undefined): Address | null | undefined {
  if (!answer?.success || answer.returnData.length < 66) return undefined;
  return addressInWord(answer.returnData.slice(0, 66) as Hex);
}

const unreadable = () =>
  new LiveFailure("resolver", "A contract on the path to this name does not answer like an ENSv2 registry.");

const tooDeep = () =>
  new LiveFailure(
    "resolver",
    `The path to this name has more than ${MAX_REGISTRIES} ENSv2 registries of unknown code.`,
  );
