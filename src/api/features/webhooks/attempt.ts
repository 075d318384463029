import type { lookup as dnsLookup } from "node:dns";
import { createOutgoing, type Outgoing, OutgoingError } from "../../server/outgoing/outgoing.ts";
import { AT_ONCE, MAX_ANSWER, PORTS, TIMEOUT_MS } from "./bounds.ts";
import { signatureOf } from "./secrets.ts";

/** The outcome of an attempt. `error` says why there is no status, in words that an owner may see. */
export type Result = {
  status: number | null;
  error: string | null;
  retryAfter: string | null;
  /** No answer came in time, or no connection. */
  isSilent: boolean;
};

export type ReceiverRules = {
  /** Hosts of this service, to which no webhook may lead. */
  ownHosts: readonly string[];
  /** Development: also http, and loopback addresses where the URL names them. */
  allowLoopback: boolean;
  timeoutMs?: number;
  lookup?: typeof dnsLookup;
};

/** The client for receivers, whose URLs strangers chose. */
export const createReceivers = (rules: ReceiverRules): Outgoing =>
  createOutgoing({
    subject: "webhook",
    maxBytes: MAX_ANSWER,
    reads: "status",
    ports: PORTS,
    timeoutMs: TIMEOUT_MS,
    maxConnections: AT_ONCE.host,
    ...rules,
  });

type Sent = {
  url: string;
  id: string;
  body: string;
  /** The newest first. */
  secrets: readonly string[];
  signal: AbortSignal;
};

/**
 * Sends a message once, with the headers of Standard Webhooks 1.0.
 *
 * @throws the reason of `signal`
 */
export async function attempt(
  receivers: Outgoing,
  { url, id, body, secrets, signal }: Sent,
): Promise<Result> {
  const seconds = Math.floor(Date.now() / 1_000);
  const headers = {
    "content-type": "application/json",
    "user-agent": "Namedex",
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatureOf({ id, seconds, body }, secrets),
  };
  try {
    const { status, retryAfter } = await receivers.ask(new URL(url), {
      method: "POST",
      headers,
      body,
      signal,
    });
    return { status, error: null, retryAfter, isSilent: false };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = thrown instanceof OutgoingError ? thrown : null;
    return {
      status: null,
      error: error?.message ?? "no answer",
      retryAfter: null,
      isSilent: error?.reason !== "refused",
    };
  }
}

export const isSuccess = ({ status }: Pick<Result, "status">): boolean =>
  status !== null && status >= 200 && status < 300;
