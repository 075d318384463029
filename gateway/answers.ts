import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, errorCodes } from "../src/api/schemas/errors.ts";
import { ALLOWED, methodNotAllowed } from "./target.ts";

/** An answer of the gateway itself. */
type Answer = { status: number; type: string; text: string; headers?: Record<string, string> };

/** Web pages of every origin may read answers; indexers say so themselves. */
const forPages = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After, Allow",
};

export function send(response: ServerResponse, { status, type, text, headers = {} }: Answer): void {
  response.writeHead(status, {
    ...{ ...forPages, "Content-Type": type, "X-Content-Type-Options": "nosniff" },
    ...{ "Content-Length": Buffer.byteLength(text), "Cache-Control": "no-store", ...headers },
  });
  response.end(text);
}

/** The answer for anything that was thrown. */
export function sendError(response: ServerResponse, thrown: unknown): void {
  const isKnown = thrown instanceof ApiError;
  if (!isKnown) console.error("The gateway failed:", thrown);
  const error = isKnown
    ? thrown
    : new ApiError("INTERNAL_ERROR", "Something went wrong on our side. The request itself may be repeated.");
  send(response, {
    status: errorCodes[error.code].status,
    type: "application/json",
    text: textOf(error),
    headers: error.headers,
  });
}

const textOf = ({ code, message }: ApiError): string => JSON.stringify({ error: { code, message } });

const PREFLIGHT_SECONDS = "86400";

/**
 * Answers what needs no indexer: a browser's question whether a page may ask (`OPTIONS` before the request itself), so
 * that pages can read the error if no indexer answers; and `OPTIONS *`. False for all other requests.
 */
export function answerOptions({ method, url, headers }: IncomingMessage, response: ServerResponse): boolean {
  if (method !== "OPTIONS") return false;
  const isPreflight = headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
  if (!isPreflight && url !== "*") return false;
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

/** Answers on a connection that has no response of Node's: what arrived is no request, or asks for a tunnel. */
function sendRaw(socket: Duplex, error: ApiError, status: number = errorCodes[error.code].status): void {
  if (!socket.writable) return void socket.destroy();
  const text = textOf(error);
  const headers = {
    ...{ ...forPages, "Content-Type": "application/json", "Cache-Control": "no-store", ...error.headers },
    ...{ "Content-Length": String(Buffer.byteLength(text)), Connection: "close" },
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`, () =>
    socket.destroy(),
  );
}

/** The answer for what Node cannot read as a request. `before` is the last answer on this connection. */
export function refuseUnreadable(
  { code }: NodeJS.ErrnoException,
  socket: Duplex,
  before: ServerResponse | undefined,
): void {
  const isWithinAnswer = before?.headersSent && !before.writableFinished;
  if (code === "ECONNRESET" || isWithinAnswer) socket.destroy();
  else if (code === "ERR_HTTP_REQUEST_TIMEOUT") sendRaw(socket, tooSlow, 408);
  else sendRaw(socket, code === "HPE_HEADER_OVERFLOW" ? tooLong : noRequest);
}

const tooSlow = new ApiError("INVALID_PARAMETER", "The request arrived too slowly.");
const tooLong = new ApiError(
  "LIMIT_EXCEEDED",
  "The target and the headers of the request are larger than 16 KiB.",
);
const noRequest = new ApiError("INVALID_PARAMETER", "What arrived is not a valid request of HTTP/1.1.");

export const refuseTunnel = (_request: IncomingMessage, socket: Duplex): void =>
  sendRaw(socket, methodNotAllowed("CONNECT"));
