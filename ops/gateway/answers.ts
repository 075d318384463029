import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, errorCodes } from "../../src/api/server/errors/errors.ts";
import { forPages, sendRaw, textOf } from "../../src/api/server/http/unreadable.ts";
import { ALLOWED, methodNotAllowed } from "./target.ts";

/** An answer of the gateway itself. */
type Answer = { status: number; type: string; text: string; headers?: Record<string, string> };

export function send(response: ServerResponse, { status, type, text, headers = {} }: Answer): void {
  response.writeHead(status, {
    ...forPages,
    "Content-Type": type,
    "X-Content-Type-Options": "nosniff",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
    ...headers,
  });
  response.end(text);
}

/** The answer for anything that was thrown. */
export function sendError(response: ServerResponse, thrown: unknown): void {
  const isKnown = thrown instanceof ApiError;
  if (!isKnown) console.error("The gateway failed:", thrown);
  const error = isKnown
    ? thrown
    : new ApiError("INTERNAL_ERROR", "Something went wrong on our side. You may repeat the request.");
  send(response, {
    status: errorCodes[error.code].status,
    type: "application/json",
    text: textOf(error),
    headers: error.headers,
  });
}

const PREFLIGHT_SECONDS = "86400";

/**
 * Answers `OPTIONS`, which needs no indexer, so that pages can read the error if no indexer answers. An indexer would answer
 * every `OPTIONS` as a browser's preflight, without `Allow`. False for all other requests.
 */
export function answerOptions({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  if (method !== "OPTIONS") return false;
  const isPreflight = headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
  const asked = headers["access-control-request-headers"];
  response.writeHead(204, {
    ...forPages,
    Allow: ALLOWED,
    ...(isPreflight && {
      "Access-Control-Allow-Methods": ALLOWED,
      "Access-Control-Max-Age": PREFLIGHT_SECONDS,
      Vary: "Access-Control-Request-Headers",
      ...(asked !== undefined && { "Access-Control-Allow-Headers": asked }),
    }),
  });
  response.end();
  return true;
}

export const refuseTunnel = (_request: IncomingMessage, socket: Duplex): void =>
  sendRaw(socket, methodNotAllowed("CONNECT"));
