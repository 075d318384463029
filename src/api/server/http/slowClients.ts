import type { RequestListener, Server, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import { oneByOne } from "./oneByOne.ts";
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

/** Ponder owns the server, and has no setting for what it does: so its first request sets it. */
function prepareServer(prepare: (server: Server) => void): MiddlewareHandler {
  const prepared = new WeakSet<Server>();
  return async (c, next) => {
    const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
    const { server } = (incoming?.socket ?? {}) as { server?: Server };
    if (server && !prepared.has(server)) {
      prepared.add(server);
      prepare(server);
    }
    await next();
  };
}

/**
 * Ends requests that arrive too slowly, and keeps connections for the next one. Node would wait five minutes for each
 * request. It looks for late requests every 30 seconds.
 */
export const endSlowRequests = ({ headersMs, requestMs }: Patience = PATIENCE): MiddlewareHandler =>
  prepareServer((server) => {
    const waits = { headersTimeout: headersMs, requestTimeout: requestMs, keepAliveTimeout: KEEP_ALIVE_MS };
    Object.assign(server, waits);
  });

/** Answers the requests of a connection in turn. */
export const answerOneByOne = (): MiddlewareHandler =>
  prepareServer((server) => {
    const [listener] = server.listeners("request") as RequestListener[];
    if (listener) server.off("request", listener).on("request", oneByOne(listener));
  });

/** Answers what Node cannot read as a request in the form of all errors: a URL of more than 16 KiB, for example. */
export function answerUnreadable(namePrefixes: readonly string[] = []): MiddlewareHandler {
  const answers = new WeakMap<object, ServerResponse>();
  const prepare = prepareServer((server) => {
    server.on("clientError", (error, socket) =>
      refuseUnreadable(error, socket, { before: answers.get(socket), namePrefixes }),
    );
  });
  return (c, next) => {
    const { incoming, outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
    if (incoming && outgoing) answers.set(incoming.socket, outgoing as ServerResponse);
    return prepare(c, next);
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
