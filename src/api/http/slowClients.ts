import type { Server, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import { isStream, limitPauses, limitReading, type ReaderPatience } from "./slowReaders.ts";
import { refuseUnreadable } from "./unreadable.ts";

/** How long a request may take to arrive, in milliseconds from its first byte: its headers, and all of it. */
export type Patience = { headersMs: number; requestMs: number };

/** Enough for a full batch over a bad mobile connection. */
const PATIENCE: Patience = { headersMs: 20_000, requestMs: 60_000 };

/**
 * How long a connection stays open without a request, in milliseconds. Proxies and load balancers close theirs after 60
 * seconds: with Node's five seconds they would at times send a request while we close, which a caller sees as a 502.
 */
export const KEEP_ALIVE_MS = 65_000;

/**
 * Ends requests that arrive too slowly, and keeps connections for the next one. Node would wait five minutes for each
 * request, and Ponder, which owns the server, has no setting for it; so the first request sets it. Node looks for late
 * requests every 30 seconds.
 */
export function endSlowRequests({ headersMs, requestMs }: Patience = PATIENCE): MiddlewareHandler {
  return async (c, next) => {
    const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
    const { server } = (incoming?.socket ?? {}) as { server?: Server };
    const waits = { headersTimeout: headersMs, requestTimeout: requestMs, keepAliveTimeout: KEEP_ALIVE_MS };
    if (server) Object.assign(server, waits);
    await next();
  };
}

/**
 * Answers what Node cannot read as a request in the form of all errors: a URL of more than 16 KiB, for example. Ponder
 * owns the server, so the first request sets this, too.
 */
export function answerUnreadable(namePrefixes: readonly string[] = []): MiddlewareHandler {
  const servers = new WeakSet<Server>();
  const answers = new WeakMap<object, ServerResponse>();
  return async (c, next) => {
    const { incoming, outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
    const { server } = (incoming?.socket ?? {}) as { server?: Server };
    if (incoming && outgoing) answers.set(incoming.socket, outgoing as ServerResponse);
    if (server && !servers.has(server)) {
      servers.add(server);
      server.on("clientError", (error, socket) =>
        refuseUnreadable(error, socket, { before: answers.get(socket), namePrefixes }),
      );
    }
    await next();
  };
}

/** Enough for the largest answers, a few MB, over a bad mobile connection. */
export const READER_PATIENCE: ReaderPatience = { pauseMs: 30_000, wholeMs: 120_000 };

/** Ends answers that their readers do not take: each would hold its memory, and its place in a gateway, for ever. */
export function endSlowReaders(patience: ReaderPatience = READER_PATIENCE): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
    if (!outgoing) return;
    if (isStream(c.res.headers.get("content-type"))) limitPauses(outgoing as ServerResponse, patience);
    else limitReading(outgoing as ServerResponse, patience);
  };
}
