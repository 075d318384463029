import type { ApiError } from "../schemas/errors.ts";

/*
 * The Machine Payments Protocol over MCP (draft-payment-transport-mcp-00): what HTTP has in headers stands in the
 * members of JSON-RPC. Both forms say the same, so that access knows only the one of HTTP.
 */

/** Where a call carries its payment, and an answer the receipt. */
const CREDENTIAL = "org.paymentauth/credential";
export const RECEIPT = "org.paymentauth/receipt";

const PAYMENT_REQUIRED = -32042;
const VERIFICATION_FAILED = -32043;
const INVALID_PARAMS = -32602;

type Json = Record<string, unknown>;

/** A call that is to be paid for, or whose payment is not good: told as an error of JSON-RPC. */
export class PaymentError extends Error {
  override readonly name = "PaymentError";
  readonly code: number;
  readonly data: Json;

  constructor(code: number, message: string, data: Json) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The credential of a call as HTTP's `Authorization` has it; undefined where there is none. @throws PaymentError for what is no credential */
export function authorizationOf(meta: Json | undefined): string | undefined {
  const credential = meta?.[CREDENTIAL];
  if (credential === undefined) return undefined;
  const { challenge, payload, source } = asObject(credential);
  const { request, ...echoed } = asObject(challenge);
  if (!isObject(request) || !isObject(payload)) throw malformed();
  return `Payment ${encode({ challenge: { ...echoed, request: encode(request) }, payload, ...(source !== undefined && { source }) })}`;
}

/** The error of JSON-RPC for one of access that names a price; null if it names none. */
export function toPaymentError(error: ApiError, hasPaid: boolean): PaymentError | null {
  const challenges = challengesIn(error.headers["WWW-Authenticate"] ?? "");
  if (challenges.length === 0) return null;
  return new PaymentError(hasPaid ? VERIFICATION_FAILED : PAYMENT_REQUIRED, error.message, {
    httpStatus: 402,
    challenges,
    ...(error.problem && { problem: error.problem }),
    error: { code: error.code, message: error.message },
  });
}

/** The receipt that `Payment-Receipt` holds, with the challenge that it answers. */
export function receiptOf(header: string, meta: Json | undefined): Json {
  const { challenge } = asObject(meta?.[CREDENTIAL]);
  return { ...asObject(decode(header)), challengeId: asObject(challenge).id };
}

/** A scheme's name, or one of its parameters; commas between them say nothing that these do not. */
const schemeOrParameter = /([\w-]+)\s+(?=[\w-]+=")|([\w-]+)="((?:\\.|[^"\\])*)"/g;

/** Challenges to pay in a `WWW-Authenticate`, each with its request as the object that it is. */
export function challengesIn(header: string): Json[] {
  const challenges: { scheme: string; challenge: Json }[] = [];
  for (const [, scheme, name = "", text = ""] of header.matchAll(schemeOrParameter)) {
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), challenge: {} });
    else Object.assign(challenges.at(-1)?.challenge ?? {}, { [name]: readValue(name, text) });
  }
  return challenges.filter(({ scheme }) => scheme === "payment").map(({ challenge }) => challenge);
}

function readValue(name: string, quoted: string): unknown {
  const text = quoted.replace(/\\(.)/g, "$1");
  return name === "request" ? decode(text) : text;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (text: string): unknown => JSON.parse(Buffer.from(text, "base64url").toString());

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function asObject(value: unknown): Json {
  if (!isObject(value)) throw malformed();
  return value;
}

const malformed = () =>
  new PaymentError(
    INVALID_PARAMS,
    `\`_meta["${CREDENTIAL}"]\` must be {"challenge": {…, "request": {…}}, "payload": {…}}.`,
    {},
  );
