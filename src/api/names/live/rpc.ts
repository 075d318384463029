import { setTimeout as sleep } from "node:timers/promises";
import { type Address, type Hex, isHex, numberToHex } from "viem";
import { sanitizeMessage } from "../../server/errors/foreignText.ts";
import { LiveFailure } from "./failure.ts";
import { callNode, type JsonRpcCall, type JsonRpcError, type JsonRpcReply, NoReply } from "./jsonRpc.ts";
import { byteLength } from "./liveAbi.ts";
import { rateLimiter, type TakeTurn } from "./rateLimiter.ts";

const CALL_TIMEOUT_MS = 3_000;
/** The largest answer of a contract, and the largest call: all records of a name, including images in texts. */
export const MAX_RESULT_BYTES = 1_048_576;
/** The largest error of a contract. One that requests a look-up contains the contract's own state, which is small. */
export const MAX_REVERT_BYTES = 262_144;
/** How long a block number counts as the newest. */
const HEAD_MS = 1_000;
/** A node may receive a block a moment after the indexer's node. The number of further attempts, and the pause before each. */
const CATCH_UP_TRIES = 4;
const CATCH_UP_MS = 250;

/** A contract's answer: data, or the data of its error. Everything else is a LiveFailure. */
export type CallResult = { ok: true; data: Hex } | { ok: false; revert: Hex };

export type CallAt = { to: Address; data: Hex; blockNumber: number };

/** The nodes of a chain, called at request time. */
export type Rpc = {
  /** False if no node is configured: every call then fails. */
  isConfigured: boolean;
  /** @throws LiveFailure when no node answers */
  call: (call: CallAt, signal: AbortSignal) => Promise<CallResult>;
  /** Number of the newest block, at most a second old. @throws LiveFailure when no node answers */
  newestBlock: (signal: AbortSignal) => Promise<number>;
  /** A block by its number; null if no node has it. @throws LiveFailure when no node answers */
  block: (number: number, signal: AbortSignal) => Promise<NodeBlock | null>;
};

/** A block as a node returns it. */
export type NodeBlock = { number: number; hash: Hex; timestamp: number };

/** A contract's answer is too large. Another node would return the same. */
class TooLarge extends LiveFailure {}

/** A node that does not have the block yet. */
class NodeBehind extends LiveFailure {}

/** Nodes discard the state of older blocks, each after a different time and with a different message. */
const NO_STATE =
  /missing trie node|(state|history|historical).*(not available|unavailable|pruned|not supported)|pruned|no state available|archive/i;

const NO_SUCH_BLOCK = /(header|block) not found|unknown block|block.*out of range|outofrange/i;

type Nodes = {
  urls: readonly string[];
  timeoutMs: number;
  takeTurn: TakeTurn;
  report: (failure: LiveFailure) => void;
  preferred: number;
};

export type RpcPlan = {
  urls: readonly string[];
  /** Requests to all nodes together, including repetitions. Unlimited by default. */
  requestsPerSecond?: number;
  timeoutMs?: number;
  /** Receives the messages of nodes' errors. Defaults to the console. */
  log?: (line: string) => void;
};
type Asking<T> = { asked: JsonRpcCall; read: (reply: JsonRpcReply) => T; signal: AbortSignal };

/**
 * Calls the nodes in turn until one answers, starting with the one that answered last. A revert is an answer: the next node would
 * return the same. Without nodes, every call fails and names the missing setting.
 */
export function createRpc({
  urls,
  requestsPerSecond,
  timeoutMs = CALL_TIMEOUT_MS,
  log = console.warn,
}: RpcPlan): Rpc {
  const takeTurn = rateLimiter(requestsPerSecond ?? Number.POSITIVE_INFINITY);
  const nodes: Nodes = { urls, timeoutMs, takeTurn, report: reporter(log), preferred: 0 };
  let head: { number: Promise<number>; until: number } | undefined;
  return {
    isConfigured: urls.length > 0,
    call: async ({ to, data, blockNumber }, signal) => {
      if (byteLength(data) > MAX_RESULT_BYTES) throw tooLarge("call", MAX_RESULT_BYTES);
      const asked = { method: "eth_call", params: [{ to, data }, numberToHex(blockNumber)] };
      return askPatiently(nodes, { asked, read: readCall, signal });
    },
    newestBlock: (signal) => {
      if (head === undefined || head.until < Date.now()) {
        const asked = { method: "eth_blockNumber", params: [] };
        const number = askPatiently(nodes, { asked, read: readNumber, signal });
        head = { number, until: Date.now() + HEAD_MS };
        number.catch(() => {
          head = undefined;
        });
      }
      return head.number;
    },
    block: (number, signal) => {
      const asked = { method: "eth_getBlockByNumber", params: [numberToHex(number), false] };
      return askPatiently(nodes, { asked, read: (reply) => readBlock(number, reply), signal });
    },
  };
}

/** Repeats a call while no node has the block yet. */
async function askPatiently<T>(nodes: Nodes, asking: Asking<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await askInTurn(nodes, asking);
    } catch (error) {
      if (!(error instanceof NodeBehind) || tries === CATCH_UP_TRIES) throw error;
      await sleep(CATCH_UP_MS, undefined, { signal: asking.signal });
    }
  }
}

async function askInTurn<T>(nodes: Nodes, { asked, read, signal }: Asking<T>): Promise<T> {
  const { urls, timeoutMs, takeTurn, report, preferred } = nodes;
  let failure = notConfigured();
  for (let turn = 0; turn < urls.length; turn++) {
    const index = (preferred + turn) % urls.length;
    await takeTurn(signal);
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const answer = read(await callNode(urls[index] ?? "", asked, limit));
      nodes.preferred = index;
      return answer;
    } catch (error) {
      failure = toFailure(error);
      report(failure);
      // The whole answer is out of time, or too large: another node cannot help.
      if (signal.aborted || failure instanceof TooLarge) throw failure;
    }
  }
  throw failure;
}

const notConfigured = () =>
  new LiveFailure(
    "rpc",
    "This name has to be resolved on chain, and answers from the chain are switched off here (LIVE_RPC_URL).",
  );

function readCall({ error, result }: JsonRpcReply): CallResult {
  if (!error) return { ok: true, data: requireSize(requireHex(result), "answer", MAX_RESULT_BYTES) };
  const revert = revertOf(error);
  if (revert === null) throw errorOf(error);
  return { ok: false, revert: requireSize(revert, "error", MAX_REVERT_BYTES) };
}

function requireSize(data: Hex, what: string, most: number): Hex {
  if (byteLength(data) > most) throw tooLarge(what, most);
  return data;
}

const tooLarge = (what: string, most: number) =>
  new TooLarge("resolver", `The ${what} of a contract is larger than ${most} bytes, the most that is read.`);

function readNumber({ error, result }: JsonRpcReply): number {
  if (error) throw errorOf(error);
  return Number(requireHex(result));
}

function readBlock(number: number, { error, result }: JsonRpcReply): NodeBlock | null {
  if (error) throw errorOf(error);
  if (result === null || result === undefined) return null;
  const { hash, timestamp } = result as { hash?: unknown; timestamp?: unknown };
  return { number, hash: requireHex(hash), timestamp: Number(requireHex(timestamp)) };
}

function requireHex(result: unknown): Hex {
  if (typeof result === "string" && isHex(result)) return result;
  throw new LiveFailure("rpc", "The chain could not be asked: the node's answer cannot be read.");
}

/**
 * The data with which a contract reverted; null if the error is the node's own. Nodes put it in different places: code 3 with
 * `data` (Geth, Erigon, Anvil), `data` after a word (Nethermind), inside another object (proxies), or nowhere, if the contract
 * returned none.
 */
function revertOf(error: JsonRpcError): Hex | null {
  const nested = error.data as { data?: unknown } | string | null | undefined;
  const data = typeof nested === "object" && nested !== null ? nested.data : nested;
  if (typeof data === "string") {
    const bytes = data.replace(/^Reverted /, "");
    if (isHex(bytes) && bytes.length > 2 && bytes.length % 2 === 0) return bytes;
  }
  return error.code === 3 || /revert/i.test(String(error.message).slice(0, MAX_MESSAGE)) ? "0x" : null;
}

/** Enough of a node's message to recognise its meaning. */
const MAX_MESSAGE = 1_000;

/**
 * A node's own error. Callers get only its kind: providers write the operator's keys and plans into their messages. The message
 * is for the operator's log.
 */
class NodeError extends LiveFailure {
  readonly words: string;

  constructor(failure: string, words: string) {
    super("rpc", failure);
    this.words = words;
  }
}

function errorOf({ code, message }: JsonRpcError): LiveFailure {
  const words = String(message).slice(0, MAX_MESSAGE); // A contract may have written the message.
  if (NO_SUCH_BLOCK.test(words)) {
    return new NodeBehind("rpc", "The chain could not be asked: the node does not have the block.");
  }
  if (NO_STATE.test(words)) {
    return new NodeError(
      "The chain could not be asked: the node does not have the state of the block.",
      words,
    );
  }
  const number = Number.isSafeInteger(code) ? ` ${code}` : "";
  return new NodeError(`The chain could not be asked: the node answered error${number}.`, words);
}

function toFailure(error: unknown): LiveFailure {
  if (error instanceof LiveFailure) return error;
  const why = error instanceof NoReply ? error.message : "the node gave no answer that can be read";
  return new LiveFailure("rpc", `The chain could not be asked: ${why}.`);
}

/** Interval of logged node messages: one per ten seconds, because callers decide how often a node is called. */
const REPORT_MS = 10_000;

/** Logs a node's message. The log's stream hides the secrets of the settings. */
function reporter(log: (line: string) => void): (failure: LiveFailure) => void {
  let next = 0;
  return (failure) => {
    if (!(failure instanceof NodeError) || Date.now() < next) return;
    next = Date.now() + REPORT_MS;
    log(`A node of live answers says: ${sanitizeMessage(failure.words)}`);
  };
}
