import type { Address, Hex } from "viem";
import { decodeFunctionResult, getAddress, hexToBigInt, numberToHex, zeroAddress } from "viem";
import { expect } from "vitest";
import type { Chain, Question } from "../../devnet/acts.ts";
import {
  addressOf,
  contractOf,
  encodeCall,
  GRACE,
  hashLabel,
  latestTime,
  nodeBelow,
  ROOT_NODE,
  read,
  readString,
  rpc,
} from "../../devnet/acts.ts";
import { exactText as exactName } from "../../src/ens/storable.ts";
import { type DomainRecord, lower, type Stage, type Whois } from "./stage.ts";

/* The oracle of the stories: the contracts' answers in the fields of the specification. It shares no code with the product. */

const UNKNOWN_LABEL = /^\[([0-9a-f]{64})\]$/;

/** Labelhash of a label in an answer: `[<64 hex>]` for an unknown one. */
const hashOfShown = (label: string): Hex => {
  const unknown = UNKNOWN_LABEL.exec(label);
  return unknown ? `0x${unknown[1]}` : hashLabel(label);
};

/** Node of a name in an answer. */
export const nodeOfShown = (name: string): Hex =>
  name === ""
    ? ROOT_NODE
    : name
        .split(".")
        .reduceRight<Hex>((node, label) => nodeBelow(node, { labelhash: hashOfShown(label) }), ROOT_NODE);

/** The spelling of a label that no text can show. */
export const spelled = (label: string | Uint8Array): string => `[${hashLabel(label).slice(2)}]`;

const orNull = (address: Address): Address | null => (address === zeroAddress ? null : getAddress(address));

/** Reads a view function as if at another time than the newest block's: what is stored, even if expired. */
export async function readAtTime<Result>(chain: Chain, question: Question, time: bigint): Promise<Result> {
  const transaction = { to: addressOf(chain, question.contract), data: encodeCall(chain, question) };
  const data = await rpc<Hex>(chain, "eth_call", [transaction, "latest", {}, { time: numberToHex(time) }]);
  const { abi } = contractOf(chain, question.contract);
  return decodeFunctionResult({ abi, functionName: question.functionName, data }) as Result;
}

/** The contracts' state of a name. */
export type OnChain = {
  registryOwner: Address | null;
  resolver: Address | null;
  /** .eth second-level names: the token's holder, or in grace and later the last one. */
  registrarOwner: Address | null;
  registrarExpiry: bigint;
  /** The wrapper's token as stored, and the fuses as `getData` answers now. */
  wrapper: {
    owner: Address | null;
    fuses: number;
    expiry: bigint;
    ownerNow: Address | null;
    fusesNow: number;
  };
};

/** A node, and the registrar's token of a name that has one. */
export type Subject = { node: Hex; tokenId: bigint | null };

/** Asks all contracts about one node. */
export async function readState(chain: Chain, { node, tokenId }: Subject): Promise<OnChain> {
  const registry = { contract: "registry", args: [node] };
  return {
    registryOwner: orNull(await read(chain, { ...registry, functionName: "owner" })),
    resolver: orNull(await read(chain, { ...registry, functionName: "resolver" })),
    ...(await readRegistrar(chain, tokenId)),
    wrapper: await readToken(chain, node),
  };
}

/** Asks all contracts about one name of the main chain. */
export const readOnChain = (chain: Chain, name: string): Promise<OnChain> =>
  readState(chain, {
    node: nodeOfShown(name),
    tokenId: isEthSecondLevel(name) ? hexToBigInt(hashOfShown(labelOf(name))) : null,
  });

const isEthSecondLevel = (name: string) => name.split(".").length === 2 && name.endsWith(".eth");

const labelOf = (name: string) => name.split(".")[0] ?? "";

async function readRegistrar(chain: Chain, tokenId: bigint | null) {
  const none = { registrarOwner: null, registrarExpiry: 0n };
  if (tokenId === null) return none;
  const question = { contract: "registrar", args: [tokenId] };
  const registrarExpiry = await read<bigint>(chain, { ...question, functionName: "nameExpires" });
  if (registrarExpiry === 0n) return none;
  const time = min(await latestTime(chain), registrarExpiry - 1n);
  const owner = await readAtTime<Address>(chain, { ...question, functionName: "ownerOf" }, time);
  return { registrarOwner: orNull(owner), registrarExpiry };
}

type Token = readonly [owner: Address, fuses: number, expiry: bigint];

async function readToken(chain: Chain, node: Hex): Promise<OnChain["wrapper"]> {
  if (chain.contracts.wrapper === undefined)
    return { owner: null, fuses: 0, expiry: 0n, ownerNow: null, fusesNow: 0 };
  const question = { contract: "wrapper", functionName: "getData", args: [hexToBigInt(node)] };
  const [ownerNow, fusesNow, expiry] = await read<Token>(chain, question);
  const time = min(await latestTime(chain), expiry);
  const [owner, fuses] = time === 0n ? [ownerNow, fusesNow] : await readAtTime<Token>(chain, question, time);
  return { owner: orNull(owner), fuses, expiry, ownerNow: orNull(ownerNow), fusesNow };
}

const min = (a: bigint, b: bigint) => (a < b ? a : b);

/** The expected answer of `GET /whois/:name`, from the contracts' own answers. */
export async function expectedWhois(chain: Chain, name: string) {
  const stored = await readOnChain(chain, name);
  const token = stored.wrapper;
  const wrapper = getAddress(addressOf(chain, "wrapper"));
  const holdsRegistrar = !isEthSecondLevel(name) || stored.registrarOwner === wrapper;
  const wasWrapped = stored.registryOwner === wrapper && holdsRegistrar && token.owner !== null;
  const isWrapped = wasWrapped && token.ownerNow !== null;
  const owner = (isWrapped ? token.ownerNow : null) ?? stored.registrarOwner ?? stored.registryOwner;
  const expiry = isEthSecondLevel(name) ? stored.registrarExpiry : wasWrapped ? token.expiry : 0n;
  const labelhash = name === "" ? null : hashOfShown(labelOf(name));
  // A token under its parent's control has an owner even after its expiry.
  const isHeld = wasWrapped ? isWrapped : owner !== null;
  const availability = await readAvailability(chain, name, { expiry, isHeld });
  const isUnregistered = owner !== null && isEthSecondLevel(name) && expiry === 0n;
  const isOver = owner !== null && expiry > 0n && ["premium", "available"].includes(availability);
  // If the wrapper answers no owner from the same second on, the end of the token was the owner's.
  const isEndedByToken = wasWrapped && token.expiry === expiry + GRACE;
  // What ended: the token, which has no owner any more, or else the registration.
  const isTokenOver = wasWrapped && token.ownerNow === null;
  const lastOwner = isTokenOver
    ? { address: token.owner, to_timestamp: Number(token.expiry) + 1, ended_by: "wrapper_expiry" }
    : isOver
      ? { address: owner, to_timestamp: Number(expiry + GRACE) + 1, ended_by: "grace_end" }
      : isUnregistered
        ? { address: owner, ended_by: "no_registration" }
        : null;
  return {
    labelhash,
    namehash: nodeOfShown(name),
    parent_node: name === "" ? null : nodeOfShown(name.split(".").slice(1).join(".")),
    token_id: labelhash && hexToBigInt(isWrapped ? nodeOfShown(name) : labelhash).toString(),
    expiry_timestamp: expiry === 0n ? null : expiry.toString(),
    resolver: stored.resolver,
    ownership: present({
      is_wrapped: isWrapped,
      owner,
      is_owner_current: owner === null ? null : !isTokenOver && !isOver && !isUnregistered,
      registry: stored.registryOwner,
      registrar: stored.registrarOwner,
      wrapper: isWrapped ? token.ownerNow : null,
      // Since then anyone may register the name.
      to_timestamp: isOver ? Number(expiry + GRACE) + 1 : null,
      ended_by: isUnregistered
        ? "no_registration"
        : isOver
          ? isEndedByToken
            ? "wrapper_expiry"
            : "grace_end"
          : null,
      last_owner: lastOwner,
    }),
    wrapper: wasWrapped ? { fuses: token.fusesNow, expiry_timestamp: token.expiry.toString() } : undefined,
    availability_status: availability,
  };
}

const present = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** The state by what the contracts allow: who may own, renew or buy the name, and at which price. */
async function readAvailability(
  chain: Chain,
  name: string,
  { expiry, isHeld }: { expiry: bigint; isHeld: boolean },
): Promise<string> {
  if (!isEthSecondLevel(name)) return isHeld ? "registered" : "unknown";
  const id = hexToBigInt(hashOfShown(labelOf(name)));
  const registrar = { contract: "registrar", args: [id] };
  const owned = await read(chain, { ...registrar, functionName: "ownerOf" }).catch(() => null);
  if (owned !== null) return "registered";
  if (!(await read<boolean>(chain, { ...registrar, functionName: "available" }))) return "grace";
  const question = { contract: "priceOracle4", functionName: "premium", args: ["", expiry, 0n] };
  return (await read<bigint>(chain, question)) > 0n ? "premium" : "available";
}

/** The fields of an answer that the contracts decide. */
export function judged(answer: Whois | DomainRecord) {
  const { labelhash, namehash, parent_node, token_id, expiry_timestamp } = answer;
  const { owner_title: _, ...ownership } = answer.ownership;
  const { resolver, wrapper, availability_status } = answer;
  return {
    labelhash,
    namehash,
    parent_node,
    token_id,
    expiry_timestamp,
    ownership,
    availability_status,
    resolver: resolver.address ?? null,
    wrapper: wrapper && { fuses: wrapper.fuses, expiry_timestamp: wrapper.expiry_timestamp },
  };
}

/**
 * Asks Namedex and the contracts about a name, and expects one answer, from the index (by namehash) and from whois, which asks
 * the chain itself if the name's resolver is not an indexed one. Returns the answer of the index.
 */
export async function expectWhoisAsOnChain(stage: Stage, name: string): Promise<Whois> {
  const expected = await expectedWhois(stage.chain, name);
  const record = await stage.record(nodeOfShown(name));
  expect(nodeOfShown(record.name)).toBe(expected.namehash);
  // Whether a label known only by its hash may be bought is known only to a caller who asks by name.
  const hidesLabel = UNKNOWN_LABEL.test(record.label) && record.expiry_timestamp === null;
  expect(judged(record)).toEqual(
    hidesLabel ? { ...expected, availability_status: record.availability_status } : expected,
  );
  const { query, source, ...answer } = await stage.whois(name);
  expect(query).toBe(name);
  expect(judged({ ...answer, source })).toEqual(expected);
  expect(source).toBe(sourceOf(name, record));
  // A label unknown to the index is shown as the caller wrote it.
  expect([answer.name, answer.display]).toEqual([withLabelsOf(name, record.name), record.display]);
  expect(answer.name).toBe([answer.label, answer.parent_name].filter((part) => part !== "").join("."));
  return { ...record, availability_status: answer.availability_status, query };
}

/** A name of the index with the caller's labels instead of those known only by hash. */
function withLabelsOf(asked: string, indexed: string): string {
  const labels = asked.split(".");
  return indexed
    .split(".")
    .map((label, i) => (UNKNOWN_LABEL.test(label) ? labels[i] : label))
    .join(".");
}

/** The chain is asked if the resolver is not an indexed one, unless the name was never registered. */
function sourceOf(name: string, { resolver, expiry_timestamp }: DomainRecord): "indexed" | "live" {
  const wasNeverRegistered = isEthSecondLevel(name) && expiry_timestamp === null;
  if (resolver.status === "indexed" || (resolver.status === "none" && wasNeverRegistered)) return "indexed";
  return "live";
}

/** The node of the records and their resolver (by its contract name). */
export type RecordsPlace = { resolver: string; name: string };

/** Records in force at one resolver, as in the tables. */
export type StoredRecords = {
  texts: Record<string, string | null>;
  addresses: Record<string, Hex | null>;
  contenthash: Hex | null;
  name: string | null;
};

type TextRow = { key: string; value: string | null; is_value_known: boolean; exact: string | null };

/** Records of a name at a resolver in its current version, without texts of unknown value. */
export async function readStoredRecords(
  stage: Stage,
  { resolver, name }: RecordsPlace,
): Promise<StoredRecords> {
  const place = [lower(addressOf(stage.chain, resolver)), nodeOfShown(name)];
  const [row] = await stage.sql<{ version: string; contenthash: Hex | null; name: string | null }>(
    "select version, contenthash, name from resolver_nodes where resolver = $1 and node = $2",
    place,
  );
  const texts = await stage.sql<TextRow>(
    "select key, value, is_value_known, exact from text_records where resolver = $1 and node = $2 and version = $3",
    [...place, row?.version ?? 0],
  );
  const addresses = await stage.sql<{ coin_type: string; address: Hex | null }>(
    "select coin_type, address from address_records where resolver = $1 and node = $2 and version = $3",
    [...place, row?.version ?? 0],
  );
  return {
    texts: Object.fromEntries(texts.filter((text) => text.is_value_known).map(exactText)),
    addresses: Object.fromEntries(addresses.map(({ coin_type, address }) => [coin_type, address])),
    contenthash: row?.contenthash ?? null,
    name: exactName(row?.name ?? null),
  };
}

function exactText({ key, value, exact }: TextRow): [string, string | null] {
  if (exact === null) return [key, value];
  const texts = JSON.parse(exact) as { key: string; value: string | null };
  return [texts.key, texts.value];
}

/**
 * Expects the records of a name in force at a resolver to equal the resolver's own answers, for every key and coin type in the
 * tables or in `asked`. Returns the stored ones.
 */
export async function expectRecordsAsOnChain(
  stage: Stage,
  place: RecordsPlace,
  asked: { keys?: string[]; coinTypes?: bigint[] } = {},
): Promise<StoredRecords> {
  const stored = await readStoredRecords(stage, place);
  const chain = { ...stage.chain, node: nodeOfShown(place.name), resolver: place.resolver };
  const keys = new Set([...Object.keys(stored.texts), ...(asked.keys ?? [])]);
  for (const key of keys) {
    const value = await askResolver(chain, "text", [key], readString);
    expect([key, stored.texts[key] ?? ""]).toEqual([key, value]);
  }
  const coinTypes = new Set([...Object.keys(stored.addresses).map(BigInt), ...(asked.coinTypes ?? [])]);
  for (const coinType of coinTypes) {
    expect([coinType, stored.addresses[String(coinType)] ?? "0x"]).toEqual([
      coinType,
      await readAddress(chain, coinType),
    ]);
  }
  expect(stored.contenthash ?? "0x").toBe((await askResolver<Hex>(chain, "contenthash", [])) ?? "0x");
  expect(stored.name ?? "").toBe((await askResolver(chain, "name", [], readString)) ?? "");
  return stored;
}

type Place = Chain & { node: Hex; resolver: string };

/** A resolver's view function; undefined for a profile that its generation lacks. */
async function askResolver<Result>(
  place: Place,
  functionName: string,
  rest: readonly unknown[],
  ask: (chain: Chain, question: Question) => Promise<Result> = read,
): Promise<Result | undefined> {
  const args = [place.node, ...rest];
  const { abi } = contractOf(place, place.resolver);
  const isKnown = abi.some(
    (item) => item.type === "function" && item.name === functionName && item.inputs.length === args.length,
  );
  return isKnown ? ask(place, { contract: place.resolver, functionName, args }) : undefined;
}

/** The address record as bytes; resolvers without coin types only know Ethereum's, and zero means none there. */
async function readAddress(place: Place, coinType: bigint): Promise<Hex | undefined> {
  const bytes = await askResolver<Hex>(place, "addr", [coinType]);
  if (bytes !== undefined || coinType !== 60n) return bytes;
  const address = await askResolver<Address>(place, "addr", []);
  return address === zeroAddress ? "0x" : address && lower(address);
}

type Log = { address: Address; topics: Hex[]; data: Hex; blockNumber: Hex; logIndex: Hex };

/** Every log of the main chain's contracts, and of named others, from the first block on, as `block/index`. */
async function listTrackedLogs(stage: Stage, others: readonly Address[]): Promise<string[]> {
  const listed = stage.local.deployment.contracts
    .filter(({ role }) => role !== "agent-registry")
    .map(({ address }) => address);
  const logs = await rpc<Log[]>(stage.chain, "eth_getLogs", [
    { fromBlock: "0x0", toBlock: "latest", address: [...listed, ...others] },
  ]);
  return logs.map(({ blockNumber, logIndex }) => `${Number(blockNumber)}/${Number(logIndex)}`);
}

/**
 * Expects the event log to hold every log of every tracked contract of the main chain exactly once, and no others. `others` are
 * unlisted contracts whose logs are all records. The agent registry is omitted: it holds agents of all kinds, and only those
 * bound to names matter. So are discovered contracts, `found`: only some of their events are read.
 */
export async function expectEveryLogOnce(
  stage: Stage,
  others: readonly Address[] = [],
  found: readonly Address[] = [],
): Promise<void> {
  const rows = await stage.sql<{ place: string }>(
    `select block_number || '/' || log_index as place from events
     where ordinal = 0 and chain_id = $1 and contract <> 'AGENT_REGISTRY' and contract_address <> all ($2)
     order by block_number, log_index`,
    [stage.local.deployment.chainId, found.map(lower)],
  );
  expect(rows.map(({ place }) => place)).toEqual(await listTrackedLogs(stage, others));
}
