import { ApiError } from "../schemas/errors.ts";
import type { KeyState, Keys } from "../serviceDb/keys.ts";
import { type Access, type Admission, type Caller, inWords, type Price } from "./access.ts";
import type { Limits } from "./limits.ts";
import type { Payments } from "./payment.ts";

/** What metered access needs; `payments` is null where they are not configured. */
export type MeteredParts = { keys: Keys; limits: Limits; payments: Payments | null };

/** An answer is for one caller only: no cache in between may store it. */
const PRIVATE = { "Cache-Control": "private, no-cache" };

/** HTTP requires this header with every 401. */
export const CHALLENGE = { "WWW-Authenticate": 'ApiKey realm="namedex"' };

/**
 * Answers callers with credits on their key, callers who pay for the request, and all others a few times a minute
 * (`ACCESS=metered`). A request with a wrong key is refused, never answered for free.
 */
export function meteredAccess(parts: MeteredParts): Access {
  return {
    admit: async (caller, price) => {
      const key = caller.header("x-api-key");
      if (key !== undefined) return admitKey(parts, { key, caller, price });
      return (await admitPayment(parts, { caller, price })) ?? admitFree(parts, { caller, price });
    },
  };
}

type Request = { caller: Caller; price: Price };

async function admitKey(parts: MeteredParts, request: Request & { key: string }): Promise<Admission> {
  const state = await findUsable(parts, request);
  if (state.credits >= request.price.credits) return chargeKey(parts, request, state);
  return (await admitPayment(parts, request)) ?? refuseBalance(parts, request, state.credits);
}

/**
 * The key that a caller sent, if it can be used.
 *
 * @throws ApiError INVALID_API_KEY; after too many of these from one address RATE_LIMITED
 */
export async function findUsable(
  { keys, limits }: { keys: Keys; limits: Pick<Limits, "failures"> },
  { key, caller }: { key: string; caller: Caller },
): Promise<KeyState> {
  const state = await keys.find(key);
  if (state !== null && !state.isRevoked) return state;
  const failures = await limits.failures.take(caller.address);
  if (failures.isOver) throw tooManyFailures(failures.headers);
  const fault = state === null ? "is unknown; send one key, whole, in X-API-Key" : "is revoked";
  throw new ApiError("INVALID_API_KEY", `The API key ${fault}.`, { headers: CHALLENGE });
}

function chargeKey(
  parts: MeteredParts,
  request: Request & { key: string },
  { id, credits }: KeyState,
): Admission {
  return {
    headers: { ...PRIVATE, ...remaining(credits) },
    settle: async () => {
      const left = await parts.keys.charge(id, request.price);
      if (left !== null) return remaining(left);
      const state = await findUsable(parts, request);
      return refuseBalance(parts, request, state.credits); // Other requests were faster.
    },
  };
}

/** @throws ApiError PAYMENT_REQUIRED */
async function refuseBalance(
  { payments }: MeteredParts,
  { price }: Request,
  credits: number,
): Promise<never> {
  const message = `The key has ${inWords(credits)} left and this request costs ${price.credits}.`;
  const error = await paymentRequired(payments, price, message);
  error.addHeaders(remaining(credits));
  throw error;
}

/** Null where payments are off or none is sent. Each check asks the chain, so addresses with many bad payments wait. */
async function admitPayment(
  { limits, payments }: MeteredParts,
  { caller, price }: Request,
): Promise<Admission | null> {
  const authorization = caller.header("authorization");
  if (payments === null || authorization === undefined || !isPayment(authorization)) return null;
  const failures = await limits.failures.look(caller.address);
  if (failures.isOver) throw tooManyFailures(failures.headers);
  const counted = <T>(attempt: Promise<T>): Promise<T> =>
    attempt.catch(async (thrown) => {
      if (isRefusal(thrown)) await limits.failures.take(caller.address);
      throw thrown;
    });
  const { settle } = await counted(payments.validate(authorization, price));
  return { headers: PRIVATE, settle: () => counted(settle()) };
}

/** The scheme may follow others: `Bearer …, Payment …`. */
const isPayment = (authorization: string): boolean => /(^|,\s*)payment\s/i.test(authorization);

const isRefusal = (thrown: unknown): boolean =>
  thrown instanceof ApiError && thrown.code === "PAYMENT_REQUIRED";

async function admitFree({ limits, payments }: MeteredParts, { caller, price }: Request): Promise<Admission> {
  const { isOver, headers } = await limits.free.take(caller.address);
  if (!isOver) return { headers: { ...PRIVATE, ...headers }, settle: async () => ({}) };
  const wait = `The free requests of this address are used up for ${headers["Retry-After"]} s`;
  const error =
    payments === null
      ? new ApiError("RATE_LIMITED", `${wait}; a key in X-API-Key has no such limit.`)
      : await payments.required(price, `${wait}: pay for this request, or send a key in X-API-Key.`);
  error.addHeaders(headers);
  throw error;
}

async function paymentRequired(payments: Payments | null, price: Price, message: string): Promise<ApiError> {
  return payments === null ? new ApiError("PAYMENT_REQUIRED", message) : payments.required(price, message);
}

const tooManyFailures = (headers: Record<string, string>): ApiError =>
  new ApiError(
    "RATE_LIMITED",
    `Too many wrong keys or payments from this address; wait ${headers["Retry-After"]} s.`,
    { headers },
  );

const remaining = (credits: number) => ({ "X-Credits-Remaining": String(credits) });
