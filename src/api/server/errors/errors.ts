import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { isDatabaseAway } from "../postgres/databaseErrors.ts";

/** Every error code of the API with its HTTP status and what it means to the caller. */
export const errorCodes = {
  INVALID_NAME: {
    status: 400,
    meaning: "The name is missing, too long, or cannot be normalised (ENSIP-15).",
  },
  INVALID_ADDRESS: { status: 400, meaning: "The address is not 0x and 40 hexadecimal digits." },
  INVALID_HASH: { status: 400, meaning: "The hash is not 0x and 64 hexadecimal digits." },
  INVALID_PARAMETER: { status: 400, meaning: "A parameter or the body has an invalid value." },
  MISSING_PARAMETER: { status: 400, meaning: "A required parameter is missing." },
  LIMIT_EXCEEDED: {
    status: 400,
    meaning: "The request has more items or bytes than allowed, or its page is too deep.",
  },
  RESPONSE_TOO_LARGE: {
    status: 400,
    meaning: "The answer would exceed the size limit; the message says how to split the request.",
  },
  INVALID_API_KEY: { status: 401, meaning: "The API key is unknown or revoked." },
  PAYMENT_REQUIRED: {
    status: 402,
    meaning:
      "The key has too few credits for this request; or, without a key, the free requests are used up and it can be paid for (`WWW-Authenticate: Payment`).",
  },
  FORBIDDEN_ORIGIN: {
    status: 403,
    meaning:
      "A web page of another host may not do this: use a server on the reader's machine, or the explorer's form for a key.",
  },
  NOT_FOUND: {
    status: 404,
    meaning: "No operation has this path, or the key has no webhook with this number.",
  },
  NOT_OFFERED: { status: 404, meaning: "The operator of this service has not enabled this operation." },
  METHOD_NOT_ALLOWED: { status: 405, meaning: "The path exists, but only with the methods in `Allow`." },
  NOT_ACCEPTABLE: { status: 406, meaning: "`Accept` excludes every format of this path." },
  POSITION_GONE: {
    status: 410,
    meaning:
      "The position in the feed of changes is too old or from another epoch; the message names the oldest and newest ones.",
  },
  RATE_LIMITED: {
    status: 429,
    meaning: "Too many requests; `Retry-After` gives the seconds to wait.",
  },
  LIVE_RESOLUTION_FAILED: {
    status: 502,
    meaning: "The answer must come from the chain, but the chain could not be read.",
  },
  INDEXER_UNREACHABLE: { status: 502, meaning: "The proxy could not reach any indexer." },
  INDEX_NOT_READY: {
    status: 503,
    meaning:
      "The index is incomplete or behind its chain, its tables are locked, its database does not respond, or the server is stopping; `Retry-After` says when to retry, `/indexing-status` shows the progress.",
  },
  NO_INDEXERS_AVAILABLE: { status: 503, meaning: "The proxy knows no synced indexer with free capacity." },
  INTERNAL_ERROR: {
    status: 500,
    meaning: "An unexpected server error; the request is not at fault.",
  },
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** The body of every error answer. */
export type ErrorBody = { error: { code: ErrorCode; message: string } };

type ErrorDetails = {
  headers?: Record<string, string>;
  problem?: Record<string, unknown>;
  isCharged?: boolean;
};

/** An error that the caller gets to see: its message says what was wrong, and what is allowed. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  /** Headers of the answer. */
  headers: Record<string, string>;
  /** Members of RFC 9457 beside our own; the answer is then application/problem+json. */
  readonly problem: Record<string, unknown> | undefined;
  /** Its work is paid for like an answer's. All other errors are free. */
  readonly isCharged: boolean;

  constructor(code: ErrorCode, message: string, more: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.headers = more.headers ?? {};
    this.problem = more.problem;
    this.isCharged = more.isCharged ?? false;
  }

  /** Adds headers; headers that the error already has stay. */
  addHeaders(headers: Record<string, string>): void {
    this.headers = { ...headers, ...this.headers };
  }
}

/** An error that passes: the same request may succeed after some seconds. */
export const retryLater = (code: ErrorCode, message: string, seconds: number): ApiError =>
  new ApiError(code, message, { headers: { "Retry-After": String(seconds) } });

/** The answer for anything that was thrown. */
export const answerError = (thrown: unknown, c: Context): Response =>
  errorResponse(c, toLoggedError(thrown, c));

/** The error that the caller may see for anything that was thrown. An unexpected one is logged whole. */
export function toLoggedError(thrown: unknown, c: Context): ApiError {
  const error = toApiError(thrown);
  if (error.code === "INTERNAL_ERROR") logOf(c).error({ error: thrown }, "request failed");
  else if (isDatabaseAway(thrown)) logOf(c).error({ error: thrown }, "the database does not answer");
  return error;
}

type ErrorLog = { error: (what: { error: unknown }, message: string) => void };

/** The request's own log; the console if the application has no log. */
const logOf = (c: Context): ErrorLog =>
  c.get("log") ?? { error: ({ error }, message) => console.error(`${message}:`, error) };

/** The answer for an error of a known code. */
export function errorResponse(c: Context, error: ApiError): Response {
  const body: ErrorBody = { error: { code: error.code, message: error.message } };
  const problem = error.problem && { "content-type": "application/problem+json" };
  return c.json({ ...error.problem, ...body }, errorCodes[error.code].status, {
    ...error.headers,
    ...problem,
  });
}

/** A database that is started again answers after some seconds. */
const RETRY_SECONDS = 5;

/** The error that the caller may see for anything that was thrown. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  // Thrown by the validator, before any handler runs: the body, or its Content-Type, is not JSON.
  if (thrown instanceof HTTPException && thrown.status === 415) {
    return new ApiError("INVALID_PARAMETER", "The body must be sent with Content-Type: application/json.");
  }
  if (thrown instanceof HTTPException && thrown.status === 400) {
    return new ApiError("INVALID_PARAMETER", "The body is not valid JSON.");
  }
  if (isDatabaseAway(thrown)) {
    const message = "The database does not respond at the moment. See /indexing-status.";
    return retryLater("INDEX_NOT_READY", message, RETRY_SECONDS);
  }
  return new ApiError("INTERNAL_ERROR", "Something went wrong on our side. You may repeat the request.");
}
