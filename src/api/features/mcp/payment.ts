import type { ApiError } from "../../server/errors/errors.ts";

/*
 * The Machine Payments Protocol over MCP (draft-payment-transport-mcp-00): members of JSON-RPC hold what HTTP has in
 * headers. This file translates between the two, so that access knows only the form of HTTP.
 */

/** The members that hold the payment of a call, and the receipt of a result. */
const CREDENTIAL = "org.paymentauth/credential";
export const RECEIPT = "org.paymentauth/receipt";

const PAYMENT_REQUIRED = -32042;
const VERIFICATION_FAILED = -32043;
const INVALID_PARAMS = -32602;

type Json = Record<string, unknown>;

/** A JSON-RPC error: the call must be paid for, or its payment is invalid. */
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

/**
 * A call's credential in the form of HTTP's `Authorization`; undefined without one.
 *
 * @throws PaymentError if the credential is malformed
 */
export function authorizationOf(meta: Json | undefined): string | undefined {
  const credential = meta?.[CREDENTIAL];
  if (credential === undefined) return undefined;
  const { challenge, payload, source } = asObject(credential);
  const { request, ...echoed } = asObject(challenge);
  if (!isObject(request) || !isObject(payload)) throw malformed();
  return `Payment ${encode({ challenge: { ...echoed, request: encode(request) }, payload, ...(source !== undefined && { source }) })}`;
}

/** The JSON-RPC error for an error of access that names a price; null if it names none. */
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

/** The receipt in `Payment-Receipt`, with the id of the challenge that was paid. */
export function receiptOf(header: string, meta: Json | undefined): Json {
  const { challenge } = asObject(meta?.[CREDENTIAL]);
  return { ...asObject(decode(header)), challengeId: asObject(challenge).id };
}

/** The name of a scheme, or one of its parameters. The commas between them can be ignored. */
const schemeOrParameter = /([\w-]+)\s+(?=[\w-]+=")|([\w-]+)="((?:\\.|[^"\\])*)"/g;

/** The payment challenges in a `WWW-Authenticate`, each with its request decoded. */
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
