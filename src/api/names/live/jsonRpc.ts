import { getHttpRpcClient } from "viem/utils";
import { turnFor } from "../../server/scheduling/turns.ts";

export type JsonRpcCall = { method: string; params: unknown[] };

/** A node's own error. Nodes disagree on the content of `data`. */
export type JsonRpcError = { code: number; message: string; data?: unknown };

/** A node's reply: a result, or its own error. */
export type JsonRpcReply = { result?: unknown; error?: JsonRpcError | null };

/**
 * The largest reply that is read: the largest answer of a contract (1 MiB) as hexadecimal digits, and some more. Strangers decide
 * what contracts answer.
 */
export const MAX_REPLY_BYTES = 2 * 1_048_576 + 262_144;

/** A node gave no reply. The message does not name the node: its URL may contain a key. */
export class NoReply extends Error {
  override readonly name = "NoReply";
  /** The system's code for the cause (`ECONNREFUSED`); null if the message says everything. */
  readonly code: string | null;

  constructor(message: string, code: string | null = null) {
    super(message);
    this.code = code;
  }
}

/**
 * Sends one call to one node, once, with viem's client: it accepts user and password in the URL, which `fetch` refuses.
 *
 * @throws NoReply
 * @example await callNode(url, { method: "eth_chainId", params: [] }, AbortSignal.timeout(2_000))
 */
export async function callNode(
  url: string,
  call: JsonRpcCall,
  signal: AbortSignal,
  maxBytes = MAX_REPLY_BYTES,
): Promise<JsonRpcReply> {
  await turnFor(lengthOf(call));
  const reply: unknown = await getHttpRpcClient(url)
    .request({ body: call, fetchOptions: { signal }, maxResponseBodySize: maxBytes })
    .catch((error: unknown) => {
      throw toNoReply(error, maxBytes);
    });
  if (typeof reply !== "object" || reply === null) throw unreadable();
  return reply;
}

/** Characters of a call's data. A gateway's answer is passed back to the contract whole. */
function lengthOf({ params: [first] }: JsonRpcCall): number {
  const data = (first as { data?: unknown } | null | undefined)?.data;
  return typeof data === "string" ? data.length : 0;
}

function toNoReply(error: unknown, maxBytes: number): NoReply {
  const { name, status, cause } = error as { name?: string; status?: number; cause?: unknown };
  if (name === "TimeoutError" || name === "AbortError") return new NoReply("the node did not answer in time");
  if (name === "ResponseBodyTooLargeError") {
    return new NoReply(`the node's answer is larger than ${maxBytes} bytes`);
  }
  if (status !== undefined) return new NoReply(`the node answered with status ${status}`);
  return cause instanceof SyntaxError
    ? unreadable()
    : new NoReply("the node cannot be reached", systemCodeOf(cause));
}

const unreadable = () => new NoReply("the node's answer cannot be read");

/** `fetch` throws "fetch failed", with the system's error as a cause. */
function systemCodeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  return "code" in error ? String(error.code) : systemCodeOf(error.cause);
}
