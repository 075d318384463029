import { ApiError } from "../errors/errors.ts";
import { onceAMinute } from "../scheduling/onceAMinute.ts";
import type { KeyState, Keys } from "../serviceDb/keys.ts";
import type { Reservation, Reservations } from "../serviceDb/reservations.ts";
import { type Access, type Admission, admissionWith, type Caller, inWords, type Price } from "./access.ts";
import type { Limits } from "./limits.ts";
import type { Payments } from "./payment.ts";
import { createRequestCount, type RequestCount } from "./requestCount.ts";

/** What metered access needs; `payments` is null where they are not configured. */
export type MeteredParts = {
  keys: Keys;
  reservations: Reservations;
  limits: Limits;
  payments: Payments | null;
  /** Items that a request without a key may have. */
  freeItems: number;
};

/** An answer is for one caller only: no cache in between may store it. */
const PRIVATE = { "Cache-Control": "private, no-cache" };

/** HTTP requires this header with every 401. */
export const CHALLENGE = { "WWW-Authenticate": 'ApiKey realm="namedex"' };

/**
 * Answers callers with credits on their key, callers who pay for the request, and all others a few times a minute
 * (`ACCESS=metered`). A request with a wrong key is refused, never answered for free.
 */
export function meteredAccess(parts: MeteredParts): Access {
  const giveBackAbandoned = onceAMinute(() =>
    parts.reservations.giveBackAbandoned().catch((error) => warn("Abandoned credits", error)),
  );
  const counted = createRequestCount();
  return {
    count: ({ address }, requests) => counted.take(address, requests),
    admit: async (caller, price) => {
      giveBackAbandoned();
      const key = caller.header("x-api-key");
      if (key !== undefined) return uncounted(counted, caller, await admitKey(parts, { key, caller, price }));
      const paid = await admitPayment(parts, { caller, price });
      return paid === null ? admitFree(parts, { caller, price }) : uncounted(counted, caller, paid);
    },
  };
}

/** A request that is paid for counts towards no limit of its address. */
const uncounted = (counted: RequestCount, caller: Caller, admission: Admission): Admission => ({
  ...admission,
  settle: async () => {
    const headers = await admission.settle();
    counted.refund(caller.address);
    return headers;
  },
  raise: async (credits) => uncounted(counted, caller, await admission.raise(credits)),
});

type Request = { caller: Caller; price: Price };

async function admitKey(parts: MeteredParts, request: Request & { key: string }): Promise<Admission> {
  const reservation = await parts.reservations.reserve(request.key, request.price);
  if (reservation !== null) return holdCredits(parts, request, reservation);
  const { credits } = await findUsable(parts, request);
  if (isAskedLater(parts, request))
    return admissionWith(PRIVATE, (whole) => admitKey(parts, costing(request, whole)));
  return (await admitPayment(parts, request)) ?? refuseBalance(parts, request, credits);
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

function holdCredits(
  parts: MeteredParts,
  request: Request & { key: string },
  { id, left }: Reservation,
): Admission {
  const { reservations } = parts;
  const headersOf = (credits: number) => ({ ...PRIVATE, ...remaining(credits) });
  const admission: Admission = {
    settle: async () => {
      if (await reservations.settle(id)) return headersOf(left);
      return (await admitKey(parts, request)).settle(); // The answer took so long that its credits were given back.
    },
    refund: async () => {
      try {
        return headersOf((await reservations.refund(id)) ?? left);
      } catch (error) {
        warn("Reserved credits", error); // They are given back with the abandoned ones.
        return headersOf(left);
      }
    },
    raise: async (credits) => {
      if (credits === request.price.credits) return admission;
      await admission.refund();
      return admitKey(parts, costing(request, credits));
    },
  };
  return admission;
}

/** The same request, with its whole price. */
const costing = <Asked extends Request>(request: Asked, credits: number): Asked => ({
  ...request,
  price: { credits, operation: request.price.operation },
});

/** A payment is for one price, and a request for one names it: both wait until it is known. */
const isAskedLater = ({ payments }: MeteredParts, { price }: Request): boolean =>
  price.isPart === true && payments !== null;

const warn = (what: string, error: unknown): void =>
  console.warn(`${what} could not be refunded now: ${error instanceof Error ? error.name : error}`);

/** @throws ApiError PAYMENT_REQUIRED */
async function refuseBalance(
  { payments }: MeteredParts,
  { price }: Request,
  credits: number,
): Promise<never> {
  const message = `The key has ${inWords(credits)} left and this request costs ${price.credits}.`;
  const error =
    payments === null ? new ApiError("PAYMENT_REQUIRED", message) : await payments.required(price, message);
  error.addHeaders(remaining(credits));
  throw error;
}

/** Null where payments are off or none is sent. Each check asks the chain, so addresses with many bad payments wait. */
async function admitPayment(parts: MeteredParts, request: Request): Promise<Admission | null> {
  const { limits, payments } = parts;
  const { caller, price } = request;
  const authorization = caller.header("authorization");
  if (payments === null || authorization === undefined || !isPayment(authorization)) return null;
  const failures = await limits.failures.look(caller.address);
  if (failures.isOver) throw tooManyFailures(failures.headers);
  if (isAskedLater(parts, request))
    return admissionWith(PRIVATE, async (credits) => {
      const whole = costing(request, credits);
      return (await admitPayment(parts, whole)) ?? admitFree(parts, whole);
    });
  const counted = <T>(attempt: Promise<T>): Promise<T> =>
    attempt.catch(async (thrown) => {
      if (isRefusal(thrown)) await limits.failures.take(caller.address);
      throw thrown;
    });
  const { settle, refund } = await counted(payments.validate(authorization, price));
  return {
    settle: async () => ({ ...PRIVATE, ...(await counted(settle())) }),
    refund: async () => {
      await refund().catch((error) => warn("A payment", error));
      return PRIVATE;
    },
    raise: () => Promise.reject(new Error("Invariant(access): a payment is for one price")),
  };
}

/** The scheme may follow others: `Bearer …, Payment …`. */
const isPayment = (authorization: string): boolean => /(^|,\s*)payment\s/i.test(authorization);

const isRefusal = (thrown: unknown): boolean =>
  thrown instanceof ApiError && thrown.code === "PAYMENT_REQUIRED";

/** A request on many items counts as one (section 5 of the contract), with as many items as the operator allows. */
async function admitFree(parts: MeteredParts, request: Request): Promise<Admission> {
  const { caller, price } = request;
  await requireFewItems(parts, price);
  const { isOver, headers } = await parts.limits.free.take(caller.address);
  if (!isOver) {
    const admission = admissionWith({ ...PRIVATE, ...headers }, async (credits) => {
      await requireFewItems(parts, costing(request, credits).price);
      return admission;
    });
    return admission;
  }
  const refuse = async (whole: Price): Promise<never> => {
    const why = `The free requests of this address are used up for ${headers["Retry-After"]} s`;
    const error = await refuseFree(parts, whole, { code: "RATE_LIMITED", why });
    error.addHeaders(headers);
    throw error;
  };
  if (!isAskedLater(parts, request)) return refuse(price);
  return admissionWith(PRIVATE, (credits) => refuse(costing(request, credits).price));
}

async function requireFewItems(parts: MeteredParts, price: Price): Promise<void> {
  const { freeItems } = parts;
  if (price.credits <= freeItems) return;
  const why = `Without a key, a request has at most ${freeItems} items (FREE_BULK_ITEMS), and this one has ${price.credits}`;
  throw await refuseFree(parts, price, { code: "LIMIT_EXCEEDED", why });
}

/** Where payments are accepted, the error says how to pay for this request. */
const refuseFree = async (
  { payments }: MeteredParts,
  price: Price,
  { code, why }: { code: "LIMIT_EXCEEDED" | "RATE_LIMITED"; why: string },
): Promise<ApiError> =>
  payments === null
    ? new ApiError(code, `${why}; a key in X-API-Key has no such limit.`)
    : payments.required(price, `${why}: pay for this request, or send a key in X-API-Key.`);

const tooManyFailures = (headers: Record<string, string>): ApiError =>
  new ApiError(
    "RATE_LIMITED",
    `Too many wrong keys or payments from this address; wait ${headers["Retry-After"]} s.`,
    { headers },
  );

const remaining = (credits: number) => ({ "X-Credits-Remaining": String(credits) });
