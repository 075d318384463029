import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Dispatcher } from "undici";
import { ApiError } from "../src/api/errors.ts";
import { type Body, BodyTooLarge, bodyOf } from "./body.ts";
import { replyHeaders, requestHeaders } from "./headers.ts";
import { chooseIndexer, type Indexer, type Indexers } from "./indexers.ts";
import type { Metrics } from "./metrics.ts";
import type { Settings } from "./settings.ts";

type Reply = Dispatcher.ResponseData;

export type Forwarding = {
  indexers: Indexers;
  metrics: Metrics;
  settings: Settings;
  /** Whether callers are asked to close their connections. */
  isStopping: () => boolean;
};

/** A request is asked of so many indexers at most. */
const MAX_TRIES = 2;

/**
 * Answers a request by the least busy indexer that is synced; by another one where the first cannot have answered it.
 *
 * @throws ApiError while nothing of an answer was passed on
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  forwarding: Forwarding,
): Promise<Indexer> {
  const { indexers, metrics, settings } = forwarding;
  const left = new AbortController();
  response.once("close", () => left.abort());
  const headers = requestHeaders(request, settings.trustedProxies);
  const asking = { request, headers, body: readBody(request, settings), signal: left.signal };
  const tried = new Set<Indexer>();
  for (;;) {
    const indexer = chooseIndexer(indexers.all, { tried, maxRequests: settings.maxRequests });
    if (indexer === null) throw nobodyFor(indexers.all, tried);
    tried.add(indexer);
    indexer.inFlight++;
    try {
      const reply = await ask(indexer, asking);
      const canMove = tried.size < MAX_TRIES && hasOther(indexers.all, { tried, settings });
      if (reply.statusCode !== 503 || !canMove) {
        await pass({ reply, response, indexer }, forwarding);
        return indexer;
      }
      // It refused, and whoever is refused has paid nothing.
      await reply.body.dump();
      indexers.rest(indexer, "not_ready", "answered 503");
    } catch (error) {
      if (error instanceof ApiError || response.headersSent || left.signal.aborted) throw error;
      if (error instanceof BodyTooLarge) throw tooLarge(settings);
      if (wasNeverSent(error)) indexers.rest(indexer, "unreachable", String((error as Error).message));
      if (tried.size >= MAX_TRIES || !mayRepeat(request, error)) throw unreachable(error, settings);
    } finally {
      indexer.inFlight--;
    }
    metrics.repeated(indexer);
  }
}

type Asking = {
  request: IncomingMessage;
  headers: Record<string, string | string[]>;
  body: Body | null;
  signal: AbortSignal;
};

function ask({ pool, prefix }: Indexer, { request, headers, body, signal }: Asking): Promise<Reply> {
  return pool.request({
    method: (request.method ?? "GET") as Dispatcher.HttpMethod,
    path: `${prefix}${request.url}`,
    headers,
    body: body && (body.read() as AsyncIterable<Buffer> as never),
    signal,
  });
}

type Passing = { reply: Reply; response: ServerResponse; indexer: Indexer };

/** Passes an answer on as it comes. One that breaks off ends the connection: nobody takes half of it for the whole. */
async function pass(
  { reply, response, indexer }: Passing,
  { metrics, isStopping }: Forwarding,
): Promise<void> {
  if (isStopping()) response.setHeader("Connection", "close");
  response.writeHead(reply.statusCode, replyHeaders(reply.headers));
  try {
    await pipeline(reply.body, response);
  } catch (error) {
    const hasCallerLeft = codeOf(error) === "ERR_STREAM_PREMATURE_CLOSE" || nameOf(error) === "AbortError";
    if (!hasCallerLeft) metrics.brokenOff(indexer);
    response.destroy();
  }
}

const nameOf = (error: unknown): string => String((error as { name?: unknown })?.name ?? "");

function readBody(request: IncomingMessage, settings: Settings): Body | null {
  try {
    return bodyOf(request, settings.maxBodyBytes);
  } catch (error) {
    throw error instanceof BodyTooLarge ? tooLarge(settings) : error;
  }
}

const hasOther = (
  all: readonly Indexer[],
  { tried, settings }: { tried: ReadonlySet<Indexer>; settings: Settings },
): boolean => chooseIndexer(all, { tried, maxRequests: settings.maxRequests }) !== null;

const codeOf = (error: unknown): string => String((error as { code?: unknown })?.code ?? "");

/** The connection was never made, so that the indexer knows nothing of the request. */
const wasNeverSent = (error: unknown): boolean =>
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(codeOf(error));

/** Operations that read though they are posted. All other posts may change something: they are asked once. */
const readingPosts = /^(\/api)?\/(whois\/bulk|address\/primary-names\/bulk)$/;

/**
 * Whether asking again can do no harm: the request never left, or it is a read for which nothing is charged. Whoever
 * sends a key or a payment may have been charged though no answer came.
 */
function mayRepeat({ method = "", url = "", headers }: IncomingMessage, error: unknown): boolean {
  if (wasNeverSent(error)) return true;
  if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(codeOf(error))) return false; // The caller has waited long enough.
  if (headers["x-api-key"] !== undefined || headers.authorization !== undefined) return false;
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") return true;
  return method === "POST" && readingPosts.test(url.split("?")[0] ?? "");
}

function nobodyFor(all: readonly Indexer[], tried: ReadonlySet<Indexer>): ApiError {
  if (tried.size > 0) return unreachable(null);
  const synced = all.filter(({ state }) => state === "synced").length;
  const message =
    synced === 0
      ? "No indexer is synced at the moment; /gateway/status tells why."
      : "Every synced indexer answers as many requests as it may.";
  return new ApiError("NO_INDEXERS_AVAILABLE", message, {
    headers: { "Retry-After": synced === 0 ? "5" : "1" },
  });
}

function unreachable(error: unknown, settings?: Settings): ApiError {
  const isLate = /TIMEOUT/.test(codeOf(error)) && !wasNeverSent(error);
  const why = isLate
    ? `The indexer did not answer within ${settings?.timeoutSeconds} seconds.`
    : "The indexer could not be reached, or ended the connection before it answered.";
  return new ApiError("INDEXER_UNREACHABLE", why);
}

const tooLarge = ({ maxBodyBytes }: Settings) =>
  new ApiError("LIMIT_EXCEEDED", `The body is larger than ${maxBodyBytes} bytes.`, {
    headers: { Connection: "close" },
  });
