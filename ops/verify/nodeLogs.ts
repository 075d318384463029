import { type Hex, numberToHex } from "viem";
import type { CachedFilter, CachedLog } from "../../engine/cachedLogs.ts";
import { withoutEmail } from "../../src/ens/shortNameClaims.ts";
import type { Range } from "./logRanges.ts";
import { type Node, NodeError } from "./node.ts";

/** A node that does not answer so often, with nothing between, is not asked any more. */
const MAX_FAILURES = 6;

type Question = { address?: string[]; topics: (string[] | string | null)[] };

/** A log of a node; not all nodes give the time of its block. */
export type NodeLog = CachedLog & { timestamp: number | null };

/** Asks a node for the logs of a range. They can be more than the filters want: the caller filters them. */
export type LogReader = (range: Range) => Promise<NodeLog[]>;

/** Addresses in one question; nodes take no more than a thousand or so. */
const MAX_ADDRESSES = 500;

/** Gives more logs than the filters want: addresses and topics of several are asked for together. */
export const logReader = (node: Node, filters: readonly CachedFilter[]): LogReader =>
  readerOf(node, questionsOf(filters));

/** Gives all logs of these contracts, in lower case. */
export const addressReader = (node: Node, addresses: readonly string[]): LogReader =>
  readerOf(
    node,
    inPieces(addresses, MAX_ADDRESSES).map((address) => ({ address, topics: [] })),
  );

function readerOf(node: Node, questions: readonly Question[]): LogReader {
  const state = { failures: 0 };
  return async (range) => {
    const logs: NodeLog[] = [];
    for (const question of questions) logs.push(...(await askRange(node, { question, range, state })));
    return logs;
  };
}

/**
 * One question for the filters of any address, one for those of given ones (several if these are many), and one for each
 * set of further topics.
 */
function questionsOf(filters: readonly CachedFilter[]): Question[] {
  const groups = new Map<string, { addresses: Set<string>; topics: Set<string>; rest: (string | null)[] }>();
  for (const { contracts, topics } of filters) {
    if (contracts?.size === 0) continue;
    const [topic0, ...rest] = topics;
    const key = JSON.stringify([contracts === null, rest]);
    const group = groups.get(key) ?? { addresses: new Set(), topics: new Set(), rest };
    groups.set(key, group);
    for (const address of contracts?.keys() ?? []) group.addresses.add(address);
    if (topic0 !== null) group.topics.add(topic0);
  }
  return [...groups.values()].flatMap(({ addresses, topics, rest }) => {
    const question: Question = {
      topics: rest.every((topic) => topic === null) ? [[...topics]] : [[...topics], ...rest],
    };
    return addresses.size === 0
      ? [question]
      : inPieces([...addresses], MAX_ADDRESSES).map((address) => ({ ...question, address }));
  });
}

const inPieces = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

type Asked = { question: Question; range: Range; state: { failures: number } };

/** Where a node refuses, or its answer is too large, the halves are asked. @throws NodeError */
async function askRange(node: Node, { question, range, state }: Asked): Promise<NodeLog[]> {
  const { from, to } = range;
  const filter = { ...question, fromBlock: numberToHex(from), toBlock: numberToHex(to) };
  try {
    const reply = await node.ask({ method: "eth_getLogs", params: [filter] });
    const logs = parseLogs(reply);
    state.failures = 0;
    return logs;
  } catch (error) {
    if (!(error instanceof NodeError) || from === to) throw error;
    if (!error.isAnswer) state.failures += 1;
    if (state.failures >= MAX_FAILURES) throw error;
  }
  const middle = Math.floor((from + to) / 2);
  const halves = [
    { from, to: middle },
    { from: middle + 1, to },
  ];
  const logs: NodeLog[] = [];
  for (const half of halves) logs.push(...(await askRange(node, { question, range: half, state })));
  return logs;
}

/** As the cache has them, without e-mail addresses. @throws NodeError */
export function parseLogs(reply: unknown): NodeLog[] {
  if (!Array.isArray(reply)) throw new NodeError("the node's answer is malformed");
  return reply.map((log: unknown) => {
    const {
      blockNumber,
      logIndex,
      transactionIndex,
      blockHash,
      transactionHash,
      address,
      topics,
      data,
      blockTimestamp,
    } = (log ?? {}) as Record<string, unknown>;
    const words = [blockNumber, logIndex, transactionIndex, blockHash, transactionHash, address, data];
    if (!words.every((word) => typeof word === "string") || !Array.isArray(topics)) {
      throw new NodeError("the node's answer is malformed");
    }
    return {
      blockNumber: Number(blockNumber),
      logIndex: Number(logIndex),
      transactionIndex: Number(transactionIndex),
      data: withoutEmail({ topics, data: data as Hex }),
      blockHash: String(blockHash).toLowerCase(),
      transactionHash: String(transactionHash).toLowerCase(),
      address: String(address).toLowerCase(),
      timestamp: typeof blockTimestamp === "string" ? Number(blockTimestamp) : null,
      topics: [0, 1, 2, 3].map((index) => (typeof topics[index] === "string" ? topics[index] : null)),
    };
  });
}
