import { callNode } from "../../names/live/jsonRpc.ts";

/** Newest block of a chain by a node. */
export type Head = { number: number; timestamp: number };

const TIMEOUT_MS = 2_000;
/** How long a head counts as the newest. */
const HEAD_MS = 1_000;

/** Reads the newest block of a chain; `isFresh` ignores a head of a moment ago. Null if no node answers. */
export type Heads = (chainId: number, options?: { isFresh?: boolean }) => Promise<Head | null>;

/**
 * Asks the indexer's nodes for their newest blocks, each at most once a second. It does so by calls of its own: those of
 * the indexer wait in its queue, behind a backfill or for a node that does not answer.
 */
export function createHeads(rpcUrls: Readonly<Record<number, readonly string[]>>): Heads {
  const heads = new Map<number, { head: Promise<Head | null>; until: number }>();
  return (chainId, { isFresh = false } = {}) => {
    const known = heads.get(chainId);
    if (!isFresh && known !== undefined && known.until > Date.now()) return known.head;
    const current = { head: askForHead(rpcUrls[chainId] ?? []), until: Number.POSITIVE_INFINITY };
    heads.set(chainId, current);
    // The second starts at the answer: a node that does not answer is waited for once, not by every request.
    return current.head.finally(() => {
      current.until = Date.now() + HEAD_MS;
    });
  };
}

/** The highest of the nodes' newest blocks; null if none answers within two seconds. */
export async function askForHead(urls: readonly string[]): Promise<Head | null> {
  const heads = await Promise.all([...new Set(urls)].map((url) => askNode(url).catch(() => null)));
  return heads.reduce((best, head) => (head && head.number >= (best?.number ?? 0) ? head : best), null);
}

async function askNode(url: string): Promise<Head | null> {
  const call = { method: "eth_getBlockByNumber", params: ["latest", false] };
  const { result } = await callNode(url, call, AbortSignal.timeout(TIMEOUT_MS));
  const block = result as { number?: string; timestamp?: string } | null | undefined;
  const head = { number: Number(block?.number), timestamp: Number(block?.timestamp) };
  return Number.isSafeInteger(head.number) && Number.isSafeInteger(head.timestamp) ? head : null;
}
