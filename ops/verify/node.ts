import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, numberToHex } from "viem";
import { callNode, type JsonRpcCall, NoReply } from "../../src/api/names/live/jsonRpc.ts";
import { rateLimiter } from "../../src/api/names/live/rateLimiter.ts";
import { sanitizeMessage } from "../../src/api/server/errors/foreignText.ts";

/** Long enough for a large batch on a busy node. */
const TIMEOUT_MS = 20_000;
/** How often all nodes are asked before one question counts as failed, and the pause between. */
const TRIES = 3;
const PAUSE_MS = 500;

/** A node could not be asked, or answered an error. The message names no URL. */
export class NodeError extends Error {
  override readonly name: string = "NodeError";
  /** True if a node answered: asking for less may help, asking again does not. */
  readonly isAnswer: boolean;

  constructor(message: string, isAnswer = false) {
    super(message);
    this.isAnswer = isAnswer;
  }
}

/** Nodes of one chain, asked in turn until one answers. */
export type Node = {
  ask: (call: JsonRpcCall) => Promise<unknown>;
  signal: AbortSignal;
};

export type NodePlan = { urls: readonly string[]; requestsPerSecond: number; signal: AbortSignal };

export function openNode({ urls, requestsPerSecond, signal }: NodePlan): Node {
  const takeTurn = rateLimiter(requestsPerSecond);
  const askOnce = async (call: JsonRpcCall): Promise<unknown> => {
    let failure = new NodeError("no node is configured");
    for (const url of urls) {
      await takeTurn(signal);
      try {
        return await askUrl(url, call, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof NodeError)) throw error;
        failure = error;
      }
    }
    throw failure;
  };
  const ask = async (call: JsonRpcCall): Promise<unknown> => {
    for (let tries = 1; ; tries++) {
      try {
        return await askOnce(call);
      } catch (error) {
        if (!(error instanceof NodeError) || error.isAnswer || tries === TRIES) throw error;
        await sleep(PAUSE_MS, undefined, { signal });
      }
    }
  };
  return { ask, signal };
}

async function askUrl(url: string, call: JsonRpcCall, signal: AbortSignal): Promise<unknown> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const reply = await callNode(url, call, limit).catch((error: unknown) => {
    if (!(error instanceof NoReply)) throw error;
    throw new NodeError(error.code === null ? error.message : `${error.message} (${error.code})`);
  });
  const { error, result } = reply;
  if (!error) return result;
  const words = sanitizeMessage(String(error.message).replaceAll(/\w+:\/\/\S+/g, "…"));
  throw new NodeError(`the node returned error ${error.code} (${words})`, true);
}

/** The chain that the nodes serve. */
export async function readChainId(node: Node): Promise<number> {
  return Number(await node.ask({ method: "eth_chainId", params: [] }));
}

export type Block = { number: number; hash: Hex; timestamp: number };

/** A block by its number; null if the node does not have it. */
export async function readBlock(node: Node, number: number): Promise<Block | null> {
  const reply = await node.ask({ method: "eth_getBlockByNumber", params: [numberToHex(number), false] });
  const { hash, timestamp } = (reply ?? {}) as { hash?: unknown; timestamp?: unknown };
  if (typeof hash !== "string" || typeof timestamp !== "string") return null;
  return { number, hash: hash as Hex, timestamp: Number(timestamp) };
}
