import type { ErrorReply } from "./openapi/types.gen.ts";

/** Every error code of the API. */
export type ErrorCode = ErrorReply["error"]["code"];

/** The fields of an error. */
export type ErrorDetails<Code extends string> = {
  code: Code;
  message: string;
  /** HTTP status; undefined if there was no answer. */
  status?: number | undefined;
  /** Seconds after which to retry. */
  retryAfter?: number | undefined;
  /** The server's id of the request, for its operator. */
  requestId?: string | undefined;
  cause?: unknown;
};

/**
 * An error of the API, or of the connection to it. All others extend it.
 *
 * @example
 * if (error instanceof NamedexError) console.log(error.code, error.status, error.requestId);
 */
export class NamedexError<Code extends string = string> extends Error {
  override readonly name: string = "NamedexError";
  readonly code: Code;
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;

  constructor({ code, message, cause, status, retryAfter, requestId }: ErrorDetails<Code>) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }
}

type InvalidCode =
  | "INVALID_NAME"
  | "INVALID_ADDRESS"
  | "INVALID_HASH"
  | "INVALID_PARAMETER"
  | "MISSING_PARAMETER"
  | "LIMIT_EXCEEDED"
  | "RESPONSE_TOO_LARGE";

/** The request is invalid or too large; the message says what to change. */
export class InvalidRequestError extends NamedexError<InvalidCode> {
  override readonly name = "InvalidRequestError";
}

/** The API key is unknown or has no credits left, or this web page may not send requests. */
export class AccessError extends NamedexError<"INVALID_API_KEY" | "PAYMENT_REQUIRED" | "FORBIDDEN_ORIGIN"> {
  override readonly name = "AccessError";
}

/** Too many requests. Retry after `retryAfter` seconds. */
export class RateLimitedError extends NamedexError<"RATE_LIMITED"> {
  override readonly name = "RateLimitedError";
}

/** The server does not have the operation: it has another version, or turned it off. */
export class NoSuchOperationError extends NamedexError<
  "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "NOT_OFFERED"
> {
  override readonly name = "NoSuchOperationError";
}

/** The position in the feed of changes is too old or from another epoch: reload what you follow. */
export class PositionGoneError extends NamedexError<"POSITION_GONE"> {
  override readonly name = "PositionGoneError";
}

/** The answer must come from the chain, but the chain could not be read. */
export class LiveResolutionError extends NamedexError<"LIVE_RESOLUTION_FAILED"> {
  override readonly name = "LiveResolutionError";
}

type UnavailableCode = "INDEX_NOT_READY" | "INDEXER_UNREACHABLE" | "NO_INDEXERS_AVAILABLE";

/** The index is incomplete or not current, or no server is available. */
export class UnavailableError extends NamedexError<UnavailableCode> {
  override readonly name = "UnavailableError";
}

/** A server error; the request is not at fault. */
export class ServerError extends NamedexError<"INTERNAL_ERROR"> {
  override readonly name = "ServerError";
}

/** Nothing answered (`NO_ANSWER`), or something other than Namedex (`UNREADABLE_ANSWER`). These codes are the client's. */
export class ConnectionError extends NamedexError<"NO_ANSWER" | "UNREADABLE_ANSWER"> {
  override readonly name = "ConnectionError";
}

/** The class of each code. The compiler fails if the API has a code that is not here. */
const classes = {
  INVALID_NAME: InvalidRequestError,
  INVALID_ADDRESS: InvalidRequestError,
  INVALID_HASH: InvalidRequestError,
  INVALID_PARAMETER: InvalidRequestError,
  MISSING_PARAMETER: InvalidRequestError,
  LIMIT_EXCEEDED: InvalidRequestError,
  RESPONSE_TOO_LARGE: InvalidRequestError,
  INVALID_API_KEY: AccessError,
  PAYMENT_REQUIRED: AccessError,
  FORBIDDEN_ORIGIN: AccessError,
  NOT_FOUND: NoSuchOperationError,
  METHOD_NOT_ALLOWED: NoSuchOperationError,
  NOT_ACCEPTABLE: NoSuchOperationError,
  NOT_OFFERED: NoSuchOperationError,
  POSITION_GONE: PositionGoneError,
  RATE_LIMITED: RateLimitedError,
  LIVE_RESOLUTION_FAILED: LiveResolutionError,
  INDEXER_UNREACHABLE: UnavailableError,
  INDEX_NOT_READY: UnavailableError,
  NO_INDEXERS_AVAILABLE: UnavailableError,
  INTERNAL_ERROR: ServerError,
} satisfies { [Code in ErrorCode]: new (details: ErrorDetails<Code>) => NamedexError };

/** An error of the class for its code. */
export function errorOfCode(details: ErrorDetails<string>): NamedexError {
  const known: Record<string, new (details: ErrorDetails<never>) => NamedexError> = classes;
  const ErrorClass = Object.hasOwn(classes, details.code) ? known[details.code] : undefined;
  // A newer server may have codes that this client does not know.
  return ErrorClass ? new ErrorClass({ ...details, code: details.code as never }) : new NamedexError(details);
}

/** Converts what a request failed with: an answer of the API, another answer, or none. */
export function toNamedexError(thrown: unknown, response: Response | undefined): NamedexError {
  if (thrown instanceof NamedexError) return thrown;
  if (response === undefined) {
    const message = `The server could not be reached: ${reasonOf(thrown)}`;
    return new ConnectionError({ code: "NO_ANSWER", message, cause: thrown });
  }
  const about = {
    status: response.status,
    retryAfter: secondsIn(response.headers.get("retry-after")),
    requestId: response.headers.get("x-request-id") ?? undefined,
  };
  if (response.ok || !isErrorReply(thrown)) {
    const message = `The answer (HTTP ${response.status}) is not one of Namedex. Is \`url\` right?`;
    return new ConnectionError({ ...about, code: "UNREADABLE_ANSWER", message, cause: thrown });
  }
  const { code, message } = thrown.error;
  return errorOfCode({ ...about, code, message });
}

/** `fetch` hides in `cause` what went wrong. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? `${thrown.message} (${thrown.cause.message})` : thrown.message;
}

function isErrorReply(body: unknown): body is { error: { code: string; message: string } } {
  const { error } = (body ?? {}) as { error?: { code?: unknown; message?: unknown } };
  return typeof error?.code === "string" && typeof error.message === "string";
}

/** `Retry-After` is a number of seconds, or a date. */
function secondsIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const milliseconds = Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1_000));
}
