import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, fetch, type Response } from "undici";
import { sanitizeMessage } from "../errors/foreignText.ts";

/** The part of IPv6 that is assigned to the public internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Public by its range, but a service of the host for machines in a cloud (Azure). */
const HOST_SERVICES = ["168.63.129.16"];

/** An IPv4 address written as IPv6 (::ffff:127.0.0.1) counts as IPv4. */
const rangeOf = (address: string): string => ipaddr.process(address).range();

/** True for addresses of the public internet: not private, loopback, link-local (metadata services), reserved or tunnelled. */
function isPublic(text: string): boolean {
  const address = ipaddr.process(text);
  if (address.range() !== "unicast" || HOST_SERVICES.includes(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}

const isLoopback = (address: string): boolean => rangeOf(address) === "loopback";

/** The address in a URL that has one instead of a host name. */
function literalOf(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(host) ? host : null;
}

/*
 * The guard of requests whose URL a stranger chose: a contract, a record, a caller. They go only to public addresses, by
 * https. The address is checked when the connection is made: a host name that resolves to another address the second
 * time gains nothing.
 */

export type OutgoingRules = {
  /** The target, for messages: `gateway`. */
  subject: string;
  /** Largest body of an answer in bytes, counted after decompression. */
  maxBytes: number;
  /**
   * `status`: only the status matters. Up to `maxBytes` of the body are read within a second, so that the connection
   * can be reused; the rest of a longer body is dropped, and the answer counts. Default: `body`.
   */
  reads?: "body" | "status";
  /** Ports that may be asked; any by default. */
  ports?: readonly number[];
  /** Time for a whole request, with its answer. */
  timeoutMs: number;
  /** Open connections to one origin. */
  maxConnections: number;
  /** Hosts of this service, with their ports (`URL.host`): a request to one would be a request to ourselves. */
  ownHosts: readonly string[];
  /** Development: also http, and also loopback addresses where the URL itself names them. */
  allowLoopback: boolean;
  /** Finds the addresses of a host; the system's resolver by default. */
  lookup?: typeof dnsLookup;
};

export type OutgoingRequest = {
  method: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** Ends the request before its time is over. */
  signal: AbortSignal;
};

/** `body` is empty unless the status is one of success, and bodies are read: others are not. */
export type OutgoingAnswer = {
  status: number;
  contentType: string | null;
  /** The header `Retry-After`, as it was sent. */
  retryAfter: string | null;
  body: Uint8Array;
};

export type Outgoing = {
  /** @throws OutgoingError if no request may go there. `ask` checks it, too. */
  check: (url: URL) => void;
  /** @throws OutgoingError where there is no usable answer, or the reason of `signal` */
  ask: (url: URL, request: OutgoingRequest) => Promise<OutgoingAnswer>;
  close: () => Promise<void>;
};

/** `refused`: the request or its answer breaks a rule. `no answer`: not in time, or no connection. */
export class OutgoingError extends Error {
  override readonly name = "OutgoingError";
  readonly reason: "refused" | "no answer";

  constructor(reason: OutgoingError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * A client for URLs of strangers.
 *
 * @example
 * const outgoing = createOutgoing({ subject: "picture", maxBytes: 65_536, timeoutMs: 3_000, ... });
 * const { status, body } = await outgoing.ask(new URL(text), { method: "GET", signal });
 */
export function createOutgoing(rules: OutgoingRules): Outgoing {
  const agent = new Agent({
    connections: rules.maxConnections,
    connect: { lookup: guardedLookup(rules) },
    headersTimeout: rules.timeoutMs,
    bodyTimeout: rules.timeoutMs,
  });
  return {
    check: (url) => requireAllowed(url, rules),
    close: () => agent.destroy(),
    ask: async (url, { signal, ...request }) => {
      requireAllowed(url, rules);
      const ends = AbortSignal.any([signal, AbortSignal.timeout(rules.timeoutMs)]);
      try {
        const response = await fetch(url, {
          ...request,
          redirect: "error",
          dispatcher: agent,
          signal: ends,
        });
        return await readAnswer(response, url, rules);
      } catch (thrown) {
        signal.throwIfAborted();
        throw toOutgoingError(thrown, url);
      }
    },
  };
}

/** Checks the URL. Addresses in the URL itself are checked here, because they are not looked up. */
function requireAllowed(url: URL, { subject, ownHosts, allowLoopback, ports }: OutgoingRules): void {
  const isOwnMachine = allowLoopback && namesLoopback(url);
  if (url.protocol !== "https:" && !(isOwnMachine && url.protocol === "http:")) {
    throw refused(
      `The ${subject}'s URL begins with ${sanitizeMessage(url.protocol)}; only https: is allowed`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw refused(`The ${subject}'s URL contains a user name`);
  }
  if (ports && !isOwnMachine && !ports.includes(portOf(url))) {
    throw refused(`The ${subject}'s URL has the port ${portOf(url)}; allowed: ${ports.join(", ")}`);
  }
  // Another port of the service's host leads to the service too, except on a developer's machine.
  const ownForm = isOwnMachine ? withoutDot : nameOfHost;
  if (ownHosts.some((own) => ownForm(own) === ownForm(url.host))) {
    throw refused(`${sanitizeMessage(url.host)} is this service itself, so it is not asked`);
  }
  const literal = literalOf(url);
  if (literal !== null && !isOwnMachine && !isPublic(literal)) throw notPublic(url.host);
}

/** `api.example.` is the host `api.example`. */
const withoutDot = (host: string): string => host.replace(/\.+(?=(:\d+)?$)/, "");
const nameOfHost = (host: string): string => withoutDot(host).replace(/:\d+$/, "");

const portOf = ({ port }: URL): number => (port === "" ? HTTPS_PORT : Number(port));

const HTTPS_PORT = 443;

const refused = (message: string) => new OutgoingError("refused", message);

const notPublic = (host: string) =>
  refused(`${sanitizeMessage(host)} is not at a public address, so it is not asked`);

function namesLoopback(url: URL): boolean {
  const literal = literalOf(url);
  return literal === null ? url.hostname === "localhost" : isLoopback(literal);
}

/** Gives the connection only the allowed addresses. Without one it fails. */
function guardedLookup({ lookup = dnsLookup, allowLoopback }: OutgoingRules): LookupFunction {
  const mayAsk = (host: string, { address }: LookupAddress) =>
    isPublic(address) || (allowLoopback && host === "localhost" && isLoopback(address));
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const allowed = found.filter((entry) => mayAsk(host, entry));
      const [first] = allowed;
      if (first === undefined) return callback(notPublic(host), []);
      if (options.all) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };
}

async function readAnswer(
  response: Response,
  url: URL,
  { maxBytes, reads }: OutgoingRules,
): Promise<OutgoingAnswer> {
  const { status, ok, headers } = response;
  const answer = {
    status,
    contentType: headers.get("content-type"),
    retryAfter: headers.get("retry-after"),
    body: new Uint8Array(),
  };
  if (reads === "status") {
    await drain(response, maxBytes);
    return answer;
  }
  if (ok) return { ...answer, body: await readBody(response, url, maxBytes) };
  await response.body?.cancel();
  return answer;
}

/** How long an unused body is waited for. */
export const DRAIN_MS = 1_000;

/** Reads a short body to its end. Cancelling a longer one ends the connection. */
async function drain({ body }: Response, maxBytes: number): Promise<void> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  const cancel = () => reader.cancel().catch(() => {}); // The status is known, whatever becomes of the connection.
  const timer = setTimeout(cancel, DRAIN_MS);
  try {
    for (let bytes = 0; bytes <= maxBytes; ) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += (value as Uint8Array).byteLength;
    }
  } catch {
    return;
  } finally {
    clearTimeout(timer);
    void cancel();
  }
}

/** Collects the body up to the limit. Leaving the loop ends the connection. */
async function readBody(response: Response, url: URL, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw refused(`${url.host} answered with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function toOutgoingError(thrown: unknown, url: URL): OutgoingError {
  const host = sanitizeMessage(url.host);
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof OutgoingError) return error;
    if (error.name.endsWith("TimeoutError")) {
      return new OutgoingError("no answer", `${host} did not answer in time`);
    }
    if (error.message === "unexpected redirect") {
      return refused(`${host} redirects; redirects are not followed`);
    }
  }
  return new OutgoingError("no answer", `${host} could not be reached`);
}
