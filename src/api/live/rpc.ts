import { setTimeout as sleep } from "node:timers/promises";
import { type Address, type Hex, isHex, numberToHex } from "viem";
import { getHttpRpcClient } from "viem/utils";
import { foreignWords, LiveFailure } from "./failure.ts";

const CALL_TIMEOUT_MS = 3_000;
/** How long one block number is taken for the newest. */
const HEAD_MS = 1_000;
/** A node may hear of a block a moment after the indexer's node did: it is asked again so often, after so long. */
const CATCH_UP_TRIES = 4;
const CATCH_UP_MS = 250;

/** What a contract answered: data, or the data of its error. Everything else is a LiveFailure. */
export type CallResult = { ok: true; data: Hex } | { ok: false; revert: Hex };

export type CallAt = { to: Address; data: Hex; blockNumber: number };

/** A node of the chain, asked at request time. */
export type Rpc = {
  /** False without any node: then every call fails. */
  isConfigured: boolean;
  /** @throws LiveFailure when no node answers */
  call: (call: CallAt, signal: AbortSignal) => Promise<CallResult>;
  /** Number of the newest block, at most a second old. @throws LiveFailure when no node answers */
  newestBlock: (signal: AbortSignal) => Promise<number>;
};

type Request = { method: string; params: unknown[] };

/** A node that does not have the block yet. */
class NodeBehind extends LiveFailure {}

const NO_SUCH_BLOCK = /(header|block) not found|unknown block|block.*out of range|outofrange/i;

/** One node's answer, or why it gave none. */
type Reply = { result: unknown } | { error: { code: number; message: string; data?: unknown } };

/**
 * Asks the nodes in turn until one answers, beginning with the one that answered last. A revert is an answer: the next
 * node would say the same. Without nodes every call fails and says which setting is missing.
 */
export function createRpc({
  urls,
  timeoutMs = CALL_TIMEOUT_MS,
}: {
  urls: readonly string[];
  timeoutMs?: number;
}): Rpc {
  const nodes = urls.map((url) => getHttpRpcClient(url));
  let preferred = 0;

  async function request<T>(asked: Request, read: (reply: Reply) => T, signal: AbortSignal): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await askInTurn(asked, read, signal);
      } catch (error) {
        if (!(error instanceof NodeBehind) || tries === CATCH_UP_TRIES) throw error;
        await sleep(CATCH_UP_MS, undefined, { signal });
      }
    }
  }

  async function askInTurn<T>(asked: Request, read: (reply: Reply) => T, signal: AbortSignal): Promise<T> {
    let failure = notConfigured();
    for (let turn = 0; turn < nodes.length; turn++) {
      const index = (preferred + turn) % nodes.length;
      const node = nodes[index];
      try {
        const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        const answer = read(
          (await node?.request({ body: asked, fetchOptions: { signal: limited } })) as Reply,
        );
        preferred = index;
        return answer;
      } catch (error) {
        failure = toFailure(error);
        if (signal.aborted) throw failure; // The whole answer is out of time; another node cannot help.
      }
    }
    throw failure;
  }

  let head: { number: Promise<number>; until: number } | undefined;
  return {
    isConfigured: nodes.length > 0,
    call: ({ to, data, blockNumber }, signal) =>
      request({ method: "eth_call", params: [{ to, data }, numberToHex(blockNumber)] }, readCall, signal),
    newestBlock: (signal) => {
      if (head === undefined || head.until < Date.now()) {
        const number = request({ method: "eth_blockNumber", params: [] }, readNumber, signal);
        head = { number, until: Date.now() + HEAD_MS };
        number.catch(() => {
          head = undefined;
        });
      }
      return head.number;
    },
  };
}

const notConfigured = () =>
  new LiveFailure(
    "rpc",
    "This name has to be resolved on chain, and no node is configured for that: the operator has to set LIVE_RPC_URL.",
  );

function readCall(reply: Reply): CallResult {
  if ("error" in reply && reply.error) {
    const revert = revertOf(reply.error);
    if (revert === null) throw errorOf(reply.error);
    return { ok: false, revert };
  }
  return { ok: true, data: readHex(reply) };
}

function readNumber(reply: Reply): number {
  if ("error" in reply && reply.error) throw errorOf(reply.error);
  return Number(readHex(reply));
}

function readHex(reply: Reply): Hex {
  const { result } = reply as { result?: unknown };
  if (typeof result !== "string" || !isHex(result)) {
    throw unreadable();
  }
  return result;
}

/**
 * The data with which a contract reverted; null if the error is the node's own. Nodes disagree on where it stands: code 3
 * with `data` (Geth, Erigon, Anvil), `data` with a word before it (Nethermind), inside another object (proxies), or
 * nowhere, where the contract gave none.
 */
function revertOf(error: { code: number; message: string; data?: unknown }): Hex | null {
  const nested = error.data as { data?: unknown } | string | null | undefined;
  const data = typeof nested === "object" && nested !== null ? nested.data : nested;
  if (typeof data === "string") {
    const bytes = data.replace(/^Reverted /, "");
    if (isHex(bytes) && bytes.length > 2 && bytes.length % 2 === 0) return bytes;
  }
  return error.code === 3 || /revert/i.test(error.message) ? "0x" : null;
}

/** A node's own error; addresses of servers in it stay ours, they may hold keys. */
function errorOf({ code, message }: { code: number; message: string }): LiveFailure {
  const words = foreignWords(String(message).replaceAll(/\w+:\/\/\S+/g, "…"));
  const failure = `The chain could not be asked: the node answered error ${code} (${words}).`;
  return NO_SUCH_BLOCK.test(words) ? new NodeBehind("rpc", failure) : new LiveFailure("rpc", failure);
}

function toFailure(error: unknown): LiveFailure {
  if (error instanceof LiveFailure) return error;
  const { name, status } = error as { name?: string; status?: number };
  if (name === "TimeoutError" || name === "AbortError") {
    return new LiveFailure("rpc", "The chain could not be asked: the node did not answer in time.");
  }
  if ((error as Error).cause instanceof SyntaxError) return unreadable();
  const why = status === undefined ? "the node cannot be reached" : `the node answered with status ${status}`;
  return new LiveFailure("rpc", `The chain could not be asked: ${why}.`);
}

const unreadable = () =>
  new LiveFailure("rpc", "The chain could not be asked: the node's answer cannot be read.");
