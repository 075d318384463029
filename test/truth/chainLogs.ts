import { type AbiEvent, type AbiParameter, decodeAbiParameters, type Hex, hexToBytes } from "viem";
import type { ChainDeployment, ContractEntry } from "../../abis/deployments.ts";
import { request, requestMany } from "./chainReads.ts";
import { eventsOf, recordEvents } from "./contractAbis.ts";
import { topicOf } from "./eventTopics.ts";

/** Bytes of a text argument as logged: they may not be UTF-8. */
export type TextBytes = { bytes: Hex };

/** An argument of a log: hashes, addresses and bytes as lower-case hex, integers as bigint, texts as their bytes. */
export type Argument = Hex | bigint | boolean | TextBytes | readonly bigint[];

/** A log of the chain that the index must hold, decoded by the contract's own complete ABI. */
export type Log = {
  blockNumber: number;
  logIndex: number;
  blockTimestamp: number;
  transactionHash: Hex;
  address: Hex;
  /** The contract of the deployment that emitted it; null for a resolver event from an unlisted contract. */
  entry: ContractEntry | null;
  /** The contract's role; resolver events from unlisted contracts count as a resolver's. */
  role: ContractEntry["role"];
  eventName: string;
  args: Record<string, Argument>;
};

/** A log's transaction: sender, receiver (null for a creation), input and value. */
export type Transaction = { hash: Hex; from: Hex; to: Hex | null; input: Hex; value: Hex };

/** All logs of the chain: those that the index must hold, and those of tracked contracts that no ABI explains. */
export type Logged = { logs: Log[]; transactions: Map<Hex, Transaction>; unexplained: string[] };

type RawLog = {
  address: Hex;
  topics: Hex[];
  data: Hex;
  blockNumber: Hex;
  blockTimestamp?: Hex;
  logIndex: Hex;
  transactionHash: Hex;
};

/** Reads every log of a chain, without asking the index which contracts count. */
export async function readLogged(rpcUrl: string, deployment: ChainDeployment): Promise<Logged> {
  const raw = await request<RawLog[]>(rpcUrl, "eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
  const times = await readTimes(rpcUrl, raw);
  const explain = explainerOf(deployment);
  const logged: Logged = { logs: [], transactions: new Map(), unexplained: [] };
  for (const one of raw) {
    const outcome = explain(one);
    if (outcome === null) continue;
    const place = { blockNumber: Number(one.blockNumber), logIndex: Number(one.logIndex) };
    if (typeof outcome === "string") {
      logged.unexplained.push(`${place.blockNumber}/${place.logIndex} of ${one.address}: ${outcome}`);
      continue;
    }
    logged.logs.push({
      ...place,
      ...outcome,
      blockTimestamp: times.get(one.blockNumber) ?? 0,
      transactionHash: one.transactionHash,
      address: lower(one.address),
    });
  }
  logged.logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  logged.transactions = await readTransactions(rpcUrl, logged.logs);
  return logged;
}

async function readTimes(rpcUrl: string, raw: readonly RawLog[]): Promise<Map<Hex, number>> {
  const numbers = [...new Set(raw.map((log) => log.blockNumber))];
  const requests = numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [number, false] }));
  const blocks = await requestMany<{ timestamp: Hex }>(rpcUrl, requests);
  return new Map(
    blocks.map((block, index) => [
      numbers[index] as Hex,
      "result" in block ? Number(block.result.timestamp) : 0,
    ]),
  );
}

async function readTransactions(rpcUrl: string, logs: readonly Log[]): Promise<Map<Hex, Transaction>> {
  const hashes = [...new Set(logs.map((log) => log.transactionHash))];
  const requests = hashes.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] }));
  const answers = await requestMany<Transaction>(rpcUrl, requests);
  return new Map(
    answers.flatMap((answer) => ("result" in answer ? [[answer.result.hash, answer.result]] : [])),
  );
}

/** Of the agent adapter its bindings are followed, and of its registry the agents that the adapter registered. */
function isFollowed(
  { role, eventName, args }: Pick<Log, "role" | "eventName" | "args">,
  adapter: Hex,
): boolean {
  if (role === "agent-adapter") return eventName === "AgentBound";
  if (role !== "agent-registry") return true;
  const by: Record<string, Argument | undefined> = {
    Registered: args.owner,
    URIUpdated: args.updatedBy,
    Transfer: args.from,
  };
  return by[eventName] === adapter;
}

type Explained = Pick<Log, "entry" | "role" | "eventName" | "args">;

/** Interprets each log: its content, null if it does not count, or the reason (text) why it cannot be read. */
function explainerOf(deployment: ChainDeployment): (log: RawLog) => Explained | string | null {
  const tracked = new Map(
    deployment.contracts.map((entry) => [lower(entry.address), { entry, events: eventsOf(entry) }]),
  );
  const firstRegistryBlock = Math.min(
    ...deployment.contracts.filter(({ role }) => role === "registry").map(({ startBlock }) => startBlock),
  );
  const adapter = lower(deployment.contracts.find(({ role }) => role === "agent-adapter")?.address ?? "0x");
  return (log) => {
    const contract = tracked.get(lower(log.address));
    if (contract !== undefined) {
      const said = decode(contract.events, log) ?? decode(recordEvents, log);
      if (said === null) return `no event of ${contract.entry.role} ${contract.entry.generation} fits`;
      const explained = { entry: contract.entry, role: contract.entry.role, ...said };
      return isFollowed(explained, adapter) ? explained : null;
    }
    if (Number(log.blockNumber) < firstRegistryBlock) return null;
    const said = decode(recordEvents, log);
    return said === null ? null : { entry: null, role: "resolver", ...said };
  };
}

function decode(events: readonly AbiEvent[], log: RawLog): Pick<Log, "eventName" | "args"> | null {
  for (const event of events) {
    const indexed = event.inputs.filter((input) => input.indexed);
    if (topicOf(event) !== log.topics[0] || indexed.length + 1 !== log.topics.length) continue;
    try {
      return { eventName: event.name, args: decodeArguments(event, log) };
    } catch {
      // The data does not fit, but another layout of the same topic may.
    }
  }
  return null;
}

function decodeArguments(event: AbiEvent, log: RawLog): Record<string, Argument> {
  const args: Record<string, Argument> = {};
  const plain = event.inputs.filter((input) => !input.indexed);
  const values = decodeAbiParameters(plain.map(asRaw), log.data) as unknown[];
  for (const [index, input] of plain.entries()) args[input.name ?? ""] = toArgument(input, values[index]);
  const indexed = event.inputs.filter((input) => input.indexed);
  for (const [index, input] of indexed.entries()) {
    const topic = log.topics[index + 1] as Hex;
    const isHash = input.type === "string" || input.type === "bytes";
    const [value] = isHash ? [topic] : decodeAbiParameters([input], topic);
    args[input.name ?? ""] = typeof value === "string" ? lower(value as Hex) : (value as Argument);
  }
  return args;
}

/** `string` and `bytes` are encoded alike; decoding as bytes preserves a text that is not UTF-8. */
const asRaw = (input: AbiParameter): AbiParameter =>
  input.type === "string" ? { ...input, type: "bytes" } : input;

function toArgument(input: AbiParameter, value: unknown): Argument {
  if (input.type === "string") return { bytes: value as Hex };
  if (typeof value === "string") return lower(value as Hex);
  if (typeof value === "number") return BigInt(value);
  return value as Argument;
}

const lower = (hex: Hex): Hex => hex.toLowerCase() as Hex;

/** A text as a reader sees it: bytes that are not UTF-8 show as U+FFFD. A byte order mark belongs to it. */
export const shownText = (text: TextBytes): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(hexToBytes(text.bytes));

/** A text, or null if its bytes are not UTF-8. */
export function exactText(text: TextBytes): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(hexToBytes(text.bytes));
  } catch {
    return null;
  }
}
