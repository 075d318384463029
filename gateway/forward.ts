import type { IncomingMessage, ServerResponse } from "node:http";
import { firstLine } from "../log/entry.ts";
import type { GatewaySettings } from "../settings/gateway.ts";
import { ApiError } from "../src/api/errors/errors.ts";
import { ask, CallerLeft, type UpstreamRequest } from "./ask.ts";
import { type Body, BodyTooLarge, bodyOf } from "./body.ts";
import { requestHeaders } from "./headers.ts";
import { chooseIndexer, type Indexer, type Indexers, isAnswering } from "./indexers.ts";
import type { Metrics } from "./metrics.ts";

export type Forwarding = {
  indexers: Indexers;
  metrics: Metrics;
  settings: GatewaySettings;
  /** Answers without end that are being passed on: they are cut when the gateway stops. */
  streams: Set<ServerResponse>;
  /** Whether callers are asked to close their connections. */
  isStopping: () => boolean;
};

/** How many indexers are asked for one request at most. */
const MAX_TRIES = 2;

/** How much longer a caller may take for the whole answer than for a pause in reading it: 2 minutes by default. */
const WHOLE = 4;

/**
 * Forwards a request to the least busy synced indexer; to another one if the first cannot have handled it.
 *
 * @throws ApiError only before any part of an answer was passed on
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  forwarding: Forwarding,
): Promise<Indexer> {
  const { indexers, metrics, settings, streams } = forwarding;
  const tried = new Set<Indexer>();
  const choose = () => chooseIndexer(indexers.all, { tried, maxRequests: settings.maxRequests });
  let free = () => {};
  const question: UpstreamRequest = {
    ...{ request, response },
    patience: { pauseMs: settings.timeoutSeconds * 1_000, wholeMs: settings.timeoutSeconds * WHOLE * 1_000 },
    headers: requestHeaders(request, settings.trustedProxies),
    body: readBody(request, settings),
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
    tried.add(indexer);
    free = placeIn(indexer);
    try {
      const outcome = await ask(indexer, question);
      if (outcome === "broken_off") metrics.brokenOff(indexer);
      if (outcome === "answered" || outcome === "broken_off") return indexer;
      if (outcome === "other_epoch") continue;
      // A refused request was not charged.
      indexers.rest(indexer, "not_ready", "answered 503");
    } catch (error) {
      if (error instanceof CallerLeft) throw error;
      if (error instanceof BodyTooLarge) throw tooLarge(settings);
      if (isAway(indexer, error)) indexers.rest(indexer, "unreachable", firstLine(error));
      if (tried.size >= MAX_TRIES || !mayRepeat(request, error)) throw unreachable(error, settings);
    } finally {
      free();
    }
    metrics.repeated(indexer);
  }
}

/** Counts a request of an indexer; gives what ends the count, once. */
function placeIn(indexer: Indexer): () => void {
  let isCounted = true;
  indexer.inFlight++;
  return () => {
    if (isCounted) indexer.inFlight--;
    isCounted = false;
  };
}

function readBody(request: IncomingMessage, settings: GatewaySettings): Body | null {
  try {
    return bodyOf(request, settings.maxBodyBytes);
  } catch (error) {
    throw error instanceof BodyTooLarge ? tooLarge(settings) : error;
  }
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
      ? "No indexer is synced at the moment; /gateway/status tells why."
      : "Every synced indexer answers as many requests as it may.";
  return new ApiError("NO_INDEXERS_AVAILABLE", message, {
    headers: { "Retry-After": synced === 0 ? "5" : "1" },
  });
}

function unreachable(error: unknown, settings?: GatewaySettings): ApiError {
  const isLate = /TIMEOUT/.test(codeOf(error)) && !wasNeverSent(error);
  const why = isLate
    ? `The indexer did not answer within ${settings?.timeoutSeconds} seconds.`
    : "The indexer could not be reached, or ended the connection before it answered.";
  return new ApiError("INDEXER_UNREACHABLE", why);
}

const noneReachable = (): ApiError =>
  new ApiError("INDEXER_UNREACHABLE", "No indexer can be reached at the moment; /gateway/status tells why.", {
    headers: { "Retry-After": "5" },
  });

const tooLarge = ({ maxBodyBytes }: GatewaySettings) =>
  new ApiError("LIMIT_EXCEEDED", `The body is larger than ${maxBodyBytes} bytes.`, {
    headers: { Connection: "close" },
  });
