import type { Change } from "./openapi/types.gen.ts";
import { read } from "./read.ts";

/** A message that a webhook sent. */
export type WebhookMessage = {
  /** The same in each attempt: a receiver that has seen it answers 200 and does nothing else. */
  id: string;
  /** A change's type, or `webhook.test` or `webhook.gap`. */
  type: string;
  /** When it happened, in unix seconds. */
  timestamp: bigint;
  /** The change; with `payload: "thin"` without its values. */
  data: Partial<Change> & Record<string, unknown>;
};

/** A request of the Fetch API, or its headers and its unchanged body. */
export type WebhookRequest =
  | Request
  | {
      headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
      body: string | Uint8Array;
    };

/** The message is not authentic: it was changed, signed with another secret, or is too old. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** How much the clocks of sender and receiver may differ. Source: the libraries of Standard Webhooks. */
const TOLERANCE_SECONDS = 300;

const PREFIX = "whsec_";

/**
 * Verifies and parses a webhook message. Works in Node.js, Deno, Bun and workers.
 *
 * @param secret from `POST /webhooks`; a list while it is rotated
 * @throws WebhookError if the signature, the time or the form is wrong: answer 400
 * @example
 * const { id, type, data } = await verify(request, "whsec_…");
 */
export async function verify(
  request: WebhookRequest,
  secret: string | readonly string[],
): Promise<WebhookMessage> {
  const id = headerOf(request, "webhook-id");
  const seconds = headerOf(request, "webhook-timestamp");
  const signatures = headerOf(request, "webhook-signature").split(" ");
  if (!/^\d{1,12}$/.test(seconds)) throw new WebhookError("webhook-timestamp is no number of seconds");
  if (Math.abs(Date.now() / 1_000 - Number(seconds)) > TOLERANCE_SECONDS) {
    throw new WebhookError("The message is too old, or this clock is wrong");
  }
  const body = await bodyOf(request);
  const signed = concat(new TextEncoder().encode(`${id}.${seconds}.`), body);
  for (const one of typeof secret === "string" ? [secret] : secret) {
    if (await isSigned(signed, signatures, one)) return { id, ...readMessage(body) };
  }
  throw new WebhookError("No signature is one of the secret");
}

function headerOf({ headers }: WebhookRequest, name: string): string {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const [, value] = entries.find(([given]) => given.toLowerCase() === name) ?? [];
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookError(`The request has no header ${name}`);
}

async function bodyOf(request: WebhookRequest): Promise<Uint8Array> {
  const { body } = request;
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  return new Uint8Array(await (request as Request).arrayBuffer());
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

/** Compares in constant time, as Web Crypto does. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
  secret: string,
): Promise<boolean> {
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  // Web Crypto takes no key without bytes.
  if (bytes === null || bytes.length === 0) throw new WebhookError("The secret is not whsec_ and base64");
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
  for (const signature of signatures) {
    const [version, text = ""] = signature.split(",");
    const given = version === "v1" ? bytesOf(text) : null;
    if (given !== null && (await crypto.subtle.verify("HMAC", key, given, signed))) return true;
  }
  return false;
}

/** Base64 as bytes; null if invalid. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function readMessage(body: Uint8Array): Omit<WebhookMessage, "id"> {
  try {
    return read(JSON.parse(new TextDecoder().decode(body))) as Omit<WebhookMessage, "id">;
  } catch {
    throw new WebhookError("The body is not JSON");
  }
}
