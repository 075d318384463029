import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { MAX_NAME_BYTES } from "../../../ens/name.ts";
import { ApiError, errorCodes } from "../errors/errors.ts";

/* What arrives and is no request, or too large for one: Node would answer it without a body, or not at all. */

/** Web pages of every origin may read these answers. */
export const forPages = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After, Allow",
};

/** The body of an error. */
export const textOf = ({ code, message }: ApiError): string => JSON.stringify({ error: { code, message } });

/** Answers on a connection without a Node response: the input was not a request, or asked for a tunnel. */
export function sendRaw(
  socket: Duplex,
  error: ApiError,
  { status = errorCodes[error.code].status, hasBody = true }: { status?: number; hasBody?: boolean } = {},
): void {
  if (!socket.writable) return void socket.destroy();
  const text = textOf(error);
  const headers = {
    ...forPages,
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    ...error.headers,
    "Content-Length": String(Buffer.byteLength(text)),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${hasBody ? text : ""}`,
    () => socket.destroy(),
  );
}

/** What Node says of bytes that it cannot read; `rawPacket` is the last piece of them that arrived. */
type Unreadable = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** `before` is the last answer on this connection; `namePrefixes` is what stands before a name in paths. */
type Known = { before: ServerResponse | undefined; namePrefixes?: readonly string[] };

/** The answer for what Node cannot read as a request. */
export function refuseUnreadable(
  { code, rawPacket }: Unreadable,
  socket: Duplex & { bytesRead?: number },
  { before, namePrefixes = [] }: Known,
): void {
  const isWithinAnswer = before?.headersSent && !before.writableFinished;
  if (code === "ECONNRESET" || isWithinAnswer) {
    socket.destroy();
    return;
  }
  const line = rawPacket?.subarray(0, MAX_LINE).toString("latin1") ?? "";
  const isFirst = rawPacket?.length === socket.bytesRead;
  const hasBody = !line.startsWith("HEAD ") && (isFirst || rawPacket === undefined || beginsRequest(line));
  const status = code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : undefined;
  sendRaw(
    socket,
    errorFor(code, () => isLongName(line, namePrefixes)),
    { hasBody, ...(status && { status }) },
  );
}

function errorFor(code: string | undefined, isOfName: () => boolean): ApiError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return tooSlow;
  if (code !== "HPE_HEADER_OVERFLOW") return noRequest;
  return isOfName() ? longName : tooLong;
}

/** Enough of a packet to see a request line whose target is too long: Node reads 16 KiB. */
const MAX_LINE = 16_384;

/** A piece that does not begin a request may belong to a HEAD, whose answer has no body. */
const beginsRequest = (line: string): boolean => /^[A-Z]{3,10} /.test(line);

/** Whether the target is too long because of its name, which is then the fault. */
function isLongName(line: string, prefixes: readonly string[]): boolean {
  const target = line.slice(line.indexOf(" ") + 1).replace(/^\/api(?=\/)/, "");
  const prefix = prefixes.find((one) => target.startsWith(one));
  const name = prefix === undefined ? "" : (target.slice(prefix.length).split(/[/?#\s]/, 1)[0] ?? "");
  return name.length > MAX_ENCODED_NAME;
}

/** Three characters of a path for each byte of the longest name. */
const MAX_ENCODED_NAME = 3 * MAX_NAME_BYTES;

const tooSlow = new ApiError("INVALID_PARAMETER", "The request arrived too slowly.");
const tooLong = new ApiError("LIMIT_EXCEEDED", "The target and headers of the request exceed 16 KiB.");
const longName = new ApiError("INVALID_NAME", `The name is longer than ${MAX_NAME_BYTES} bytes of UTF-8.`);
const noRequest = new ApiError("INVALID_PARAMETER", "The data received is not a valid HTTP/1.1 request.");
