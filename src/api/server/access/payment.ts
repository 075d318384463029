import { Challenge, Credential, Errors, Receipt } from "mppx";
import { Mppx, tempo } from "mppx/server";
import {
  BaseError,
  createClient,
  formatUnits,
  HttpRequestError,
  http,
  keccak256,
  LimitExceededRpcError,
  parseUnits,
  TimeoutError,
  TransactionReceiptNotFoundError,
} from "viem";
import { getTransactionReceipt } from "viem/actions";
import { tempo as tempoChain } from "viem/chains";
import { Transaction } from "viem/tempo";
import type { PaymentSettings } from "../../../../settings/payments.ts";
import { ApiError } from "../errors/errors.ts";
import { onceAMinute } from "../scheduling/onceAMinute.ts";
import { type PaymentMarks, paymentMarksIn } from "../serviceDb/payments.ts";
import type { Store } from "../serviceDb/store.ts";
import { inWords, type Price } from "./access.ts";

/** A price in openapi.json (`x-payment-info`); `amount` is null where it depends on the request. */
export type PaymentPrice = {
  intent: "charge";
  method: "tempo";
  /** In base units of the token. */
  amount: string | null;
  currency: string;
  description: string;
};

/** A valid credential, held for one request. No money has moved yet. */
export type ValidPayment = {
  /**
   * Moves the money and gives the headers of the receipt (`Payment-Receipt`, `Cache-Control: private`).
   *
   * @throws ApiError PAYMENT_REQUIRED with a fresh challenge if it could not be moved
   */
  settle: () => Promise<Record<string, string>>;
  /** The request failed: the credential is good for another one. */
  refund: () => Promise<void>;
};

/** The same for every token of this kind (TIP-20). */
const TOKEN_DECIMALS = 6;

/** The part of the payment library that is used; checking its own types takes seconds. */
type Server = {
  challenge: {
    tempo: {
      charge: (offer: { amount: string; scope: string; description: string }) => Promise<Challenge.Challenge>;
    };
  };
  validateCredential: (credential: Credentials, terms: Terms) => Promise<unknown>;
  broadcastCredential: (credential: Credentials, terms: Terms) => Promise<Receipt.Receipt>;
};
type Credentials = Credential.Credential;
type Terms = { request: { amount: string }; scope: string };

/** What every step of a payment works with. */
type PaymentContext = {
  settings: PaymentSettings;
  client: PaymentClient;
  marks: PaymentMarks;
  server: Server;
};

export type Payments = ReturnType<typeof createPayments>;

/**
 * Takes payments by the Machine Payments Protocol (HTTP's `Payment` authentication scheme) on one Tempo chain, which is read only when
 * a payment arrives.
 */
export function createPayments(settings: PaymentSettings, store: Store) {
  const client = clientOf(settings);
  const marks = paymentMarksIn(store);
  const context: PaymentContext = { settings, client, marks, server: serverOf({ settings, client, marks }) };
  const clean = onceAMinute(() =>
    marks
      .removeOld()
      .catch((error) => console.warn(`Old payment marks could not be removed: ${nameOfError(error)}`)),
  );
  return {
    /**
     * Checks a credential (`Authorization: Payment …`) for exactly this price, without moving money, and holds it: another
     * request with it is refused until this one ends.
     *
     * @throws ApiError PAYMENT_REQUIRED with a fresh challenge
     */
    validate: async (authorization: string, price: Price): Promise<ValidPayment> => {
      clean();
      const { credential, held } = await validate(context, authorization, price);
      return {
        settle: async () => {
          const receipt = await settle(context, credential, price);
          await held.keep().catch((error) => console.warn(`A payment lost its hold: ${nameOfError(error)}`));
          return headersOf(receipt);
        },
        refund: held.release,
      };
    },
    /** The error that names the price of exactly this request: 402 with `WWW-Authenticate: Payment …` and problem members. */
    required: (price: Price, message: string): Promise<ApiError> =>
      refuse(context, price, new Errors.PaymentRequiredError(), message),
    /** The price for openapi.json; `credits` is null where they depend on the request. */
    offer: (credits: number | null): PaymentPrice => offerOf(settings, credits),
  };
}

function serverOf({ settings, client, marks }: Omit<PaymentContext, "server">): Server {
  const { recipient, currency, chainId, realm, secretKey } = settings;
  const charge = tempo.charge({ recipient, currency, chainId, store: marks, getClient: () => client });
  return Mppx.create({ realm, secretKey, methods: [charge] }) as unknown as Server;
}

/** The cost of credits in base units of the token. */
const unitsOf = ({ pricePerCredit }: PaymentSettings, credits: number): bigint =>
  parseUnits(pricePerCredit, TOKEN_DECIMALS) * BigInt(credits);

function termsOf({ settings }: PaymentContext, { credits, operation }: Price): Terms {
  const amount = formatUnits(unitsOf(settings, credits), TOKEN_DECIMALS);
  return { request: { amount }, scope: operation };
}

function offerOf(settings: PaymentSettings, credits: number | null): PaymentPrice {
  const offer = { intent: "charge", method: "tempo", currency: settings.currency } as const;
  if (credits !== null) {
    return { ...offer, amount: String(unitsOf(settings, credits)), description: inWords(credits) };
  }
  const each = `1 credit (${unitsOf(settings, 1)} base units) for each item`;
  return { ...offer, amount: null, description: each };
}

const headersOf = (receipt: Receipt.Receipt): Record<string, string> => ({
  "Payment-Receipt": Receipt.serialize(receipt),
  "Cache-Control": "private",
});

async function validate(
  context: PaymentContext,
  authorization: string,
  price: Price,
): Promise<{ credential: Credentials; held: Held }> {
  try {
    const credential = await recall(context, parse(authorization));
    await context.server.validateCredential(credential, termsOf(context, price));
    return { credential, held: await holdPayment(context, credential) };
  } catch (error) {
    throw await refusalOf(context, price, error);
  }
}

/** A payment that one request holds, so that no other works for the same money. */
type Held = {
  /** The payment was used: it stays held as long as it is valid. */
  keep: () => Promise<void>;
  release: () => Promise<void>;
};

/** Holds a payment by what identifies it, in whatever form it was sent. */
async function holdPayment({ marks }: PaymentContext, credential: Credentials): Promise<Held> {
  const { id, expires } = credential.challenge;
  const { hash } = (credential.payload ?? {}) as { hash?: unknown };
  const sent = typeof hash === "string" ? hash.toLowerCase() : id;
  const key = `held:${(await hashOf(credential)) ?? sent}`;
  if (!(await marks.tryHold(key)))
    throw new Errors.VerificationFailedError({ reason: "it already pays, or paid, for another request" });
  return {
    keep: async () => {
      if (expires !== undefined) await marks.keepHeld(key, Date.parse(expires));
    },
    release: () => marks.delete(key),
  };
}

function parse(authorization: string): Credentials {
  const credential = Credential.extractPaymentScheme(authorization);
  try {
    return Credential.deserialize(credential ?? "");
  } catch {
    throw new Errors.MalformedCredentialError({ reason: "it is not base64url of a JSON object" });
  }
}

/** Sends the transaction. Its claims stay, unless nothing was sent. */
async function settle(
  context: PaymentContext,
  credential: Credentials,
  price: Price,
): Promise<Receipt.Receipt> {
  const { marks, held } = holding(context.marks);
  try {
    return await serverOf({ ...context, marks }).broadcastCredential(credential, termsOf(context, price));
  } catch (error) {
    if (held.size === 0) throw await refusalOf(context, price, error);
    return settleUnheard(context, { credential, price, held });
  }
}

/** Marks that remember their own claims and release only those: the library would release claims of other attempts too. */
function holding(marks: PaymentMarks): { marks: PaymentMarks; held: Set<string> } {
  const held = new Set<string>();
  return {
    held,
    marks: {
      ...marks,
      tryClaim: async (key, expires) => {
        const isClaimed = await marks.tryClaim(key, expires);
        if (isClaimed) held.add(key);
        return isClaimed;
      },
      delete: async (key) => {
        if (held.delete(key)) await marks.delete(key);
      },
    },
  };
}

type Unheard = { credential: Credentials; price: Price; held: Set<string> };

/**
 * The transaction was sent, and no receipt came back: the money may have moved. If the chain has the transaction, the
 * payment counts. Otherwise the payer may repeat the request with the same credential, or with the transaction's hash.
 */
async function settleUnheard(
  context: PaymentContext,
  { credential, price, held }: Unheard,
): Promise<Receipt.Receipt> {
  try {
    await context.marks.markUnclear([...held]);
    const sent = await recall(context, credential);
    if (sent !== credential) return await context.server.broadcastCredential(sent, termsOf(context, price));
  } catch (error) {
    if (error instanceof Errors.PaymentError) throw await refuse(context, price, error);
  }
  const { chainId } = context.settings;
  console.error(
    `Payment ${await hashOf(credential)} on chain ${chainId} was sent, and no receipt came back.`,
  );
  throw new ApiError(
    "INTERNAL_ERROR",
    "The payment was sent, but the chain has not confirmed it yet. Repeat the request with the same credential; do not pay again.",
  );
}

/** If an earlier transaction got no answer and is on the chain by now, its hash instead of the transaction. */
async function recall({ marks, client }: PaymentContext, credential: Credentials): Promise<Credentials> {
  const hash = await hashOf(credential);
  if (hash === null || !(await marks.isUnclear(`mppx:charge:${hash}`))) return credential;
  try {
    await getTransactionReceipt(client, { hash });
    return { ...credential, payload: { type: "hash", hash } };
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return credential;
    throw error;
  }
}

/** Hash of the transaction in a credential; otherwise null. */
async function hashOf({ payload }: Credentials): Promise<`0x${string}` | null> {
  const { type, signature } = (payload ?? {}) as { type?: unknown; signature?: unknown };
  if (type !== "transaction" || typeof signature !== "string") return null;
  try {
    const transaction = Transaction.deserialize(signature as Transaction.TransactionSerializedTempo);
    return keccak256(await Transaction.serialize(transaction as never));
  } catch {
    throw new Errors.MalformedCredentialError({ reason: "its signature is not a Tempo transaction" });
  }
}

/** A 402 that says what is wrong with a payment, and how to pay. */
async function refuse(
  context: PaymentContext,
  price: Price,
  error: Errors.PaymentError,
  message = error.message.split("\n")[0] ?? "",
): Promise<ApiError> {
  const { request, scope } = termsOf(context, price);
  const description = `${scope}: ${inWords(price.credits)}`;
  const challenge = await context.server.challenge.tempo.charge({ ...request, scope, description });
  return new ApiError("PAYMENT_REQUIRED", message, {
    headers: { "WWW-Authenticate": Challenge.serialize(challenge), "Cache-Control": "no-store" },
    problem: { ...error.toProblemDetails(challenge.id), status: 402, detail: message },
  });
}

/** The answer to a failed payment: it names faults of the payment; of ours only the name is logged. */
async function refusalOf(context: PaymentContext, price: Price, thrown: unknown): Promise<ApiError> {
  const fault = faultOf(thrown);
  if (fault !== null) return refuse(context, price, fault);
  console.error(`Payments on chain ${context.settings.chainId} fail: ${nameOfError(thrown)}`);
  return new ApiError(
    "INTERNAL_ERROR",
    "The payment could not be checked, and nothing was charged. You may repeat the request with the same credential.",
  );
}

/** The fault of the payment; null if the fault is elsewhere. */
function faultOf(thrown: unknown): Errors.PaymentError | null {
  if (thrown instanceof Errors.PaymentError) return thrown;
  if (thrown instanceof Error && "issues" in thrown) return new Errors.InvalidPayloadError();
  if (thrown instanceof TransactionReceiptNotFoundError) {
    return new Errors.VerificationFailedError({ reason: "the chain does not have this transaction (yet)" });
  }
  if (thrown instanceof BaseError && !isChainAway(thrown)) {
    return new Errors.VerificationFailedError({ reason: "the chain rejected the transaction" });
  }
  return null;
}

/** The client of the chain that payments are made on. viem's own, because the payment library takes one. */
type PaymentClient = ReturnType<typeof clientOf>;

const RPC_TIMEOUT_MS = 8_000;

/** A client of the node of payments. It tries nothing twice: the payer can repeat the request. */
function clientOf({ chainId, rpcUrl }: PaymentSettings) {
  const chain = { ...tempoChain, id: chainId, rpcUrls: { default: { http: [rpcUrl] } } };
  return createClient({ chain, transport: http(rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 0 }) });
}

/** Whether the node gave no answer at all, not even an error. */
const isChainAway = (error: BaseError): boolean =>
  error.walk((cause) =>
    [HttpRequestError, TimeoutError, LimitExceededRpcError].some((kind) => cause instanceof kind),
  ) !== null;

/** The name of an error, for the log: messages of viem contain the node's URL and the transaction. */
function nameOfError(thrown: unknown): string {
  if (thrown instanceof BaseError) return (thrown.walk() as { name?: string }).name ?? thrown.name;
  if (!(thrown instanceof Error)) return typeof thrown;
  return "code" in thrown ? `${thrown.name} ${thrown.code}` : thrown.name;
}
