import {
  createMcpHandler,
  localhostAllowedOrigins,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Access, Caller } from "../../server/access/access.ts";
import { isLoopback } from "../../server/access/address.ts";
import { ApiError } from "../../server/errors/errors.ts";
import { requireBodyType } from "../../server/http/bodyType.ts";
import { compressed } from "../../server/http/compression.ts";
import type { Endpoint } from "../../server/http/endpoint.ts";
import type { OperationServer } from "../../server/http/routes.ts";
import type { Chains } from "./brief.ts";
import { serversFor } from "./server.ts";

/** Messages of one request: the protocol no longer has batches, but old clients may send small ones. */
const MAX_MESSAGES = 20;

/** `POST /mcp`: the operations as tools, by streamable HTTP without sessions. Every other method gets 405. */
export function mcpRoutes(
  operations: readonly Endpoint[],
  {
    executeOperation,
    callerOf,
    countRequests,
    compresses = false,
  }: OperationServer & { countRequests: Access["count"] },
  { publicUrls = [], chains }: { publicUrls?: readonly string[]; chains: Chains },
): Hono {
  const publicHosts = hostsOf(publicUrls);
  const serverFor = serversFor(operations, { executeOperation, chains });
  // The server never sends notifications: streams that wait for them would only hold connections.
  const handler = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.caller as Caller), {
    maxSubscriptions: 0,
  });
  return new Hono().post("/mcp", async (c) => {
    const caller = callerOf(c);
    if (!publicHosts.has(c.req.header("host") ?? "")) refuseForeignPages(c.req.header("origin"), caller);
    requireBothForms(c.req.header("accept"));
    const parsedBody = await readMessages(c);
    // The request is counted already, and is one message.
    if (Array.isArray(parsedBody)) countRequests(caller, Math.max(0, parsedBody.length - 1));
    // The library passes the caller to the tools this way; the token is for servers that use one.
    const authInfo = { token: "", clientId: "", scopes: [], extra: { caller } };
    const reply = await handler.fetch(withoutBody(c.req.raw), { authInfo, parsedBody });
    if (!compresses) return reply;
    // Streams too hold the one answer and end: nothing later would come.
    c.header("Content-Type", reply.headers.get("content-type") ?? "application/json");
    return c.body(await compressed(c, await reply.text()), reply.status as ContentfulStatusCode);
  });
}

/**
 * The hosts under which the operator publishes the service. A request for one of them came through a proxy: no page can
 * choose the host that its browser names. Loopback hosts are no public ones.
 */
const hostsOf = (publicUrls: readonly string[]): ReadonlySet<string> =>
  new Set(
    publicUrls
      .filter((url) => !validateOriginHeader(url, localhostAllowedOrigins()).ok)
      .map((url) => new URL(url).host),
  );

/**
 * Refuses web pages of other hosts that reach a server on the developer's own machine, directly or through DNS rebinding.
 * Only browsers send `Origin`. Behind trusted proxies the caller is not on this machine.
 */
function refuseForeignPages(origin: string | undefined, { address }: Caller): void {
  if (origin === undefined || !isLoopback(address)) return;
  if (validateOriginHeader(origin, localhostAllowedOrigins()).ok) return;
  throw new ApiError(
    "FORBIDDEN_ORIGIN",
    "Web pages of other hosts may not use a server on this machine. If a proxy on this machine is in front of it, set TRUSTED_PROXIES, or PUBLIC_URL where the proxy passes Host on.",
  );
}

const answerForms = ["application/json", "text/event-stream"];

/** Old clients get a stream of events, new clients JSON: a client has to accept both. */
function requireBothForms(accept = "*/*"): void {
  const taken = accept.split(",").map((form) => form.split(";")[0]?.trim().toLowerCase());
  const takes = (form: string) => [form, `${form.split("/")[0]}/*`, "*/*"].some((one) => taken.includes(one));
  if (answerForms.every(takes)) return;
  throw new ApiError("NOT_ACCEPTABLE", `The header Accept must be: ${answerForms.join(", ")}.`);
}

async function readMessages(c: Context): Promise<unknown> {
  requireBodyType(c, "application/json");
  const messages = await parse(c);
  if (Array.isArray(messages) && messages.length > MAX_MESSAGES) {
    throw new ApiError("LIMIT_EXCEEDED", `At most ${MAX_MESSAGES} messages in one request.`);
  }
  return messages;
}

async function parse(c: Context): Promise<unknown> {
  try {
    return await c.req.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ApiError("INVALID_PARAMETER", "The body is not valid JSON.");
  }
}

/** The request as the library expects it: its body is already read, and a client that accepts anything names both forms. */
function withoutBody({ url, headers, signal }: Request): Request {
  const own = new Headers(headers);
  own.set("accept", answerForms.join(", "));
  own.delete("content-length");
  return new Request(url, { method: "POST", headers: own, signal });
}
