import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, errorCodes } from "../errors/errors.ts";

/* What arrives and is no request, or too large for one: Node would answer it without a body, or not at all. */

/** Web pages of every origin may read these answers. */
export const forPages = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After, Allow",
};

/** The body of an error. */
export const textOf = ({ code, message }: ApiError): string => JSON.stringify({ error: { code, message } });

/** Answers on a connection that has no response of Node's: what arrived is no request, or asks for a tunnel. */
export function sendRaw(
  socket: Duplex,
  error: ApiError,
  status: number = errorCodes[error.code].status,
): void {
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
