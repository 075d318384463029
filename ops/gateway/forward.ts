import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewaySettings } from "../../settings/gateway.ts";
import { clientAddress } from "../../src/api/server/access/address.ts";
import { ApiError } from "../../src/api/server/errors/errors.ts";
import { firstLine } from "../log/entry.ts";
import { ask, CallerLeft, type UpstreamRequest } from "./ask.ts";
import { BodyTooLarge, NoRoomForBody, readBody } from "./body.ts";
import { requestHeaders } from "./headers.ts";
import { chooseIndexer, type Indexer, type Indexers, isAnswering } from "./indexers.ts";
import type { Metrics } from "./metrics.ts";
import { createShares, ENDLESS, type Shares } from "./places.ts";

export type Forwarding = {
  indexers: Indexers;
  metrics: Metrics;
  settings: GatewaySettings;
  shares: CallerShares;
  /** Answers without end that are being passed on: they are cut when the gateway stops. */
  streams: Set<ServerResponse>;
  /** Whether callers are asked to close their connections. */
  isStopping: () => boolean;
};

/** What callers share: requests that they have here, the bytes of their bodies, and answers of indexers. */
export type CallerShares = Record<"requests" | "bodies" | "answers", Shares>;

export function createCallerShares(
  { all }: Indexers,
  { maxRequestsPerAddress, maxRequests, maxBodyBytes }: GatewaySettings,
): CallerShares {
  const bytes = all.length * maxRequests * maxBodyBytes;
  const answers = () => {
    const synced = all.filter(({ state }) => state === "synced");
    const free = synced.reduce((sum, { inFlight }) => sum + Math.max(0, maxRequests - inFlight), 0);
    return { all: synced.length * maxRequests, free };
  };
  return {
    requests: createShares({ each: maxRequestsPerAddress, room: ENDLESS }),
    bodies: createShares({ room: (taken) => ({ all: bytes, free: bytes - taken }) }),
    answers: createShares({ room: answers }),
  };
}

/** How many indexers are asked for one request at most. */
const MAX_TRIES = 2;

/** How much longer a caller may take for the whole answer than for a pause in reading it: 2 minutes by default. */
const WHOLE = 4;

/**
 * Forwards a request to the least busy synced indexer; to another one if the first cannot have handled it. A caller has a
 * limited number of requests here, held until the answer has ended.
 *
 * @throws ApiError only before any part of an answer was passed on
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  forwarding: Forwarding,
): Promise<Indexer> {
  const { shares, settings } = forwarding;
  const forwardedFor = request.headers["x-forwarded-for"]?.toString();
  const connection = request.socket.remoteAddress;
  const address = clientAddress({ forwardedFor, connection }, settings.trustedProxies);
  if (!shares.requests.take(address))
    throw tooMany(`${settings.maxRequestsPerAddress} open requests, the maximum`);
  let bytes = 0;
  const takeRoom = (more: number): boolean => {
    const isTaken = shares.bodies.take(address, more);
    if (isTaken) bytes += more;
    return isTaken;
  };
  try {
    const body = await readBody(request, { maxBytes: settings.maxBodyBytes, takeRoom });
    return await pass(forwarding, { request, response, body, address });
  } catch (error) {
    if (error instanceof BodyTooLarge) throw tooLarge(settings);
    throw error instanceof NoRoomForBody
      ? tooMany("used its share of memory for request bodies", { Connection: "close" })
      : error;
  } finally {
    shares.bodies.give(address, bytes);
    shares.requests.give(address);
  }
}

/** A request that has arrived as a whole, and the address of its caller. */
type Arrived = Pick<UpstreamRequest, "request" | "response" | "body"> & { address: string };

async function pass(forwarding: Forwarding, { address, ...arrived }: Arrived): Promise<Indexer> {
  const { indexers, metrics, settings, shares, streams } = forwarding;
  const { request, response } = arrived;
  const tried = new Set<Indexer>();
  const choose = () => chooseIndexer(indexers.all, { tried, maxRequests: settings.maxRequests });
  let free = () => {};
  const question: UpstreamRequest = {
    ...arrived,
    patience: { pauseMs: settings.timeoutSeconds * 1_000, wholeMs: settings.timeoutSeconds * WHOLE * 1_000 },
    headers: requestHeaders(request, settings.trustedProxies),
    canMove: () => tried.size < MAX_TRIES && choose() !== null,
    onStream: () => {
      free();
      streams.add(response);
      response.once("close", () => streams.delete(response));
    },
  };
  for (;;) {
    const indexer = choose();
    if (indexer === null) throw noIndexerFor(indexers.all, tried);
    if (!shares.answers.take(address)) throw tooMany("used its share of the available requests");
    tried.add(indexer);
    indexer.inFlight++;
    free = once(() => {
      indexer.inFlight--;
      shares.answers.give(address);
    });
    try {
      const outcome = await ask(indexer, question);
      if (outcome === "broken_off") metrics.brokenOff(indexer);
      if (outcome === "answered" || outcome === "broken_off") return indexer;
      if (outcome === "other_epoch") continue;
      // A refused request was not charged.
      indexers.rest(indexer, "not_ready", "answered 503");
    } catch (error) {
      if (error instanceof CallerLeft) throw error;
      if (isAway(indexer, error)) indexers.rest(indexer, "unreachable", firstLine(error));
      if (tried.size >= MAX_TRIES || !mayRepeat(request, error)) throw unreachable(error, settings);
    } finally {
      free();
    }
    metrics.repeated(indexer);
  }
}

function once(run: () => void): () => void {
  let hasRun = false;
  return () => {
    if (!hasRun) run();
    hasRun = true;
  };
}

const codeOf = (error: unknown): string => String((error as { code?: unknown })?.code ?? "");

/** The connection was never made, so the indexer never saw the request. */
const wasNeverSent = (error: unknown): boolean =>
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(codeOf(error));

/** An indexer that answers others but accepts no new connection is busy, not away. */
const isAway = (indexer: Indexer, error: unknown): boolean =>
  wasNeverSent(error) && !(codeOf(error) === "UND_ERR_CONNECT_TIMEOUT" && isAnswering(indexer));

/** POST operations that only read. All others may change something, so they are sent once. */
const readingPosts = /^(\/api)?\/(whois\/bulk|address\/primary-names\/bulk)$/;

/**
 * Whether the request can safely be sent again: it never arrived, or it is a read that is not charged. A request with a
 * key or a payment may have been charged although no answer came.
 */
function mayRepeat({ method = "", url = "", headers }: IncomingMessage, error: unknown): boolean {
  if (wasNeverSent(error)) return true;
  if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(codeOf(error))) return false; // The caller has waited long enough.
  if (headers["x-api-key"] !== undefined || headers.authorization !== undefined) return false;
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") return true;
  return method === "POST" && readingPosts.test(url.split("?")[0] ?? "");
}

function noIndexerFor(all: readonly Indexer[], tried: ReadonlySet<Indexer>): ApiError {
  if (tried.size > 0) return unreachable(null);
  if (all.every(({ state }) => state === "unreachable")) return noneReachable();
  const synced = all.filter(({ state }) => state === "synced").length;
  const message =
    synced === 0
      ? "No indexer is synced; see /gateway/status."
      : "All synced indexers are at their request limit.";
  return new ApiError("NO_INDEXERS_AVAILABLE", message, {
    headers: { "Retry-After": synced === 0 ? "5" : "1" },
  });
}

function unreachable(error: unknown, settings?: GatewaySettings): ApiError {
  const isLate = /TIMEOUT/.test(codeOf(error)) && !wasNeverSent(error);
  const why = isLate
    ? `The indexer did not answer within ${settings?.timeoutSeconds} seconds.`
    : "The indexer was unreachable, or closed the connection before answering.";
  return new ApiError("INDEXER_UNREACHABLE", why);
}

const noneReachable = (): ApiError =>
  new ApiError("INDEXER_UNREACHABLE", "No indexer is reachable; see /gateway/status.", {
    headers: { "Retry-After": "5" },
  });

const tooLarge = ({ maxBodyBytes }: GatewaySettings) =>
  new ApiError("LIMIT_EXCEEDED", `The body is larger than ${maxBodyBytes} bytes.`, {
    headers: { Connection: "close" },
  });

/** A place is free again as soon as an answer ends: most take far less than a second. */
const tooMany = (what: string, headers = {}): ApiError =>
  new ApiError("RATE_LIMITED", `This address has ${what}; retry when one has finished.`, {
    headers: { "Retry-After": "1", ...headers },
  });
