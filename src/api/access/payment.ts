import { Challenge, Credential, Errors, Receipt } from "mppx";
import { Mppx, tempo } from "mppx/server";
import { BaseError, formatUnits, keccak256, parseUnits, TransactionReceiptNotFoundError } from "viem";
import { getTransactionReceipt } from "viem/actions";
import { Transaction } from "viem/tempo";
import type { PaymentSettings } from "../../../settings/payments.ts";
import { ApiError } from "../schemas/errors.ts";
import { type PaymentMarks, paymentMarksIn } from "../serviceDb/payments.ts";
import type { Store } from "../serviceDb/store.ts";
import type { Price } from "./access.ts";
import { clientOf, isChainAway, nameOfError, type PaymentClient } from "./paymentChain.ts";

/** What openapi.json says of a price (`x-payment-info`); `amount` is null where it depends on the request. */
export type PaymentPrice = {
  intent: "charge";
  method: "tempo";
  /** In base units of the token. */
  amount: string | null;
  currency: string;
  description: string;
};

/** A credential that is good for one request, and that nothing was taken from yet. */
export type ValidPayment = {
  /**
   * Moves the money and gives the headers that say so (`Payment-Receipt`, `Cache-Control: private`).
   *
   * @throws ApiError PAYMENT_REQUIRED with a fresh challenge where it could not be moved
   */
  settle: () => Promise<Record<string, string>>;
};

/** Payments by the Machine Payments Protocol: HTTP's `Payment` authentication scheme. */
export type Payments = {
  /**
   * Checks a credential (`Authorization: Payment …`) for exactly this price, without moving money.
   *
   * @throws ApiError PAYMENT_REQUIRED with a fresh challenge
   */
  validate: (authorization: string, price: Price) => Promise<ValidPayment>;
  /** The error that names the price of exactly this request: 402 with `WWW-Authenticate: Payment …` and problem members. */
  required: (price: Price, message: string) => Promise<ApiError>;
  /** What openapi.json says of a price; null credits where they depend on the request. */
  offer: (credits: number | null) => PaymentPrice;
};

/** Every token of the kind (TIP-20) has so many. */
const TOKEN_DECIMALS = 6;
const CLEANING_MS = 60_000;

/** What of the payment library is used, in few words: its own types take seconds to check. */
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

/** Takes payments on one Tempo chain; nothing is asked of the chain before somebody pays. */
export function createPayments(settings: PaymentSettings, store: Store): Payments {
  const client = clientOf(settings);
  const marks = paymentMarksIn(store);
  const till: PaymentContext = { settings, client, marks, server: serverOf({ settings, client, marks }) };
  const clean = cleanerOf(marks);
  return {
    validate: async (authorization, price) => {
      clean();
      const credential = await validate(till, authorization, price);
      return { settle: async () => headersOf(await settle(till, credential, price)) };
    },
    required: (price, message) => refuse(till, price, new Errors.PaymentRequiredError(), message),
    offer: (credits) => offerOf(settings, credits),
  };
}

function serverOf({ settings, client, marks }: Omit<PaymentContext, "server">): Server {
  const { recipient, currency, chainId, realm, secretKey } = settings;
  const charge = tempo.charge({ recipient, currency, chainId, store: marks, getClient: () => client });
  return Mppx.create({ realm, secretKey, methods: [charge] }) as unknown as Server;
}

/** What so many credits cost, in base units of the token. */
const unitsOf = ({ pricePerCredit }: PaymentSettings, credits: number): bigint =>
  parseUnits(pricePerCredit, TOKEN_DECIMALS) * BigInt(credits);

const toWords = (credits: number): string => (credits === 1 ? "1 credit" : `${credits} credits`);

function termsOf({ settings }: PaymentContext, { credits, operation }: Price): Terms {
  const amount = formatUnits(unitsOf(settings, credits), TOKEN_DECIMALS);
  return { request: { amount }, scope: operation };
}

function offerOf(settings: PaymentSettings, credits: number | null): PaymentPrice {
  const offer = { intent: "charge", method: "tempo", currency: settings.currency } as const;
  if (credits !== null) {
    return { ...offer, amount: String(unitsOf(settings, credits)), description: toWords(credits) };
  }
  const each = `1 credit (${unitsOf(settings, 1)} base units) for each item`;
  return { ...offer, amount: null, description: each };
}

const headersOf = (receipt: Receipt.Receipt): Record<string, string> => ({
  "Payment-Receipt": Receipt.serialize(receipt),
  "Cache-Control": "private",
});

async function validate(till: PaymentContext, authorization: string, price: Price): Promise<Credentials> {
  try {
    const credential = await recall(till, parse(authorization));
    await till.server.validateCredential(credential, termsOf(till, price));
    return credential;
  } catch (error) {
    throw await refusalOf(till, price, error);
  }
}

function parse(authorization: string): Credentials {
  const credential = Credential.extractPaymentScheme(authorization);
  try {
    return Credential.deserialize(credential ?? "");
  } catch {
    throw new Errors.MalformedCredentialError({ reason: "it is not base64url of a JSON object" });
  }
}

/** Sends the transaction. What it claims stays claimed unless nothing was sent. */
async function settle(till: PaymentContext, credential: Credentials, price: Price): Promise<Receipt.Receipt> {
  const { marks, held } = holding(till.marks);
  try {
    return await serverOf({ ...till, marks }).broadcastCredential(credential, termsOf(till, price));
  } catch (error) {
    if (held.size === 0) throw await refusalOf(till, price, error);
    return settleUnheard(till, { credential, price, held });
  }
}

/** Marks that remember what was claimed by way of them, and give nothing else back: the library would, other attempts' claims too. */
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
 * The transaction was sent, and no receipt came back: the money may have moved. If the chain has it, all is well; else
 * the payer may come again with the same credential, or with the transaction's hash.
 */
async function settleUnheard(
  till: PaymentContext,
  { credential, price, held }: Unheard,
): Promise<Receipt.Receipt> {
  try {
    await till.marks.markUnclear([...held]);
    const sent = await recall(till, credential);
    if (sent !== credential) return await till.server.broadcastCredential(sent, termsOf(till, price));
  } catch (error) {
    if (error instanceof Errors.PaymentError) throw await refuse(till, price, error);
  }
  const { chainId } = till.settings;
  console.error(
    `Payment ${await hashOf(credential)} on chain ${chainId} was sent, and no receipt came back.`,
  );
  throw new ApiError(
    "INTERNAL_ERROR",
    "The payment was sent, and the chain has not confirmed it yet. Repeat the request with the same credential; do not pay again.",
  );
}

/** The hash in place of a transaction that was sent before without an answer, and that the chain has by now. */
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

/** Hash under which the chain knows the transaction of a credential; null if it holds none. */
async function hashOf({ payload }: Credentials): Promise<`0x${string}` | null> {
  const { type, signature } = (payload ?? {}) as { type?: unknown; signature?: unknown };
  if (type !== "transaction" || typeof signature !== "string") return null;
  try {
    const transaction = Transaction.deserialize(signature as Transaction.TransactionSerializedTempo);
    return keccak256(await Transaction.serialize(transaction as never));
  } catch {
    throw new Errors.MalformedCredentialError({ reason: "its signature is no Tempo transaction" });
  }
}

/** A 402 that says what is wrong with a payment and how to make a new one. */
async function refuse(
  till: PaymentContext,
  price: Price,
  error: Errors.PaymentError,
  message = error.message.split("\n")[0] ?? "",
): Promise<ApiError> {
  const { request, scope } = termsOf(till, price);
  const description = `${scope}: ${toWords(price.credits)}`;
  const challenge = await till.server.challenge.tempo.charge({ ...request, scope, description });
  return new ApiError("PAYMENT_REQUIRED", message, {
    headers: { "WWW-Authenticate": Challenge.serialize(challenge), "Cache-Control": "no-store" },
    problem: { ...error.toProblemDetails(challenge.id), status: 402, detail: message },
  });
}

/** What to answer when a payment failed: faults of the payment are told, ours are logged by their name alone. */
async function refusalOf(till: PaymentContext, price: Price, thrown: unknown): Promise<ApiError> {
  const fault = faultOf(thrown);
  if (fault !== null) return refuse(till, price, fault);
  console.error(`Payments on chain ${till.settings.chainId} fail: ${nameOfError(thrown)}`);
  return new ApiError(
    "INTERNAL_ERROR",
    "The payment could not be checked, and nothing was charged. The same request may be repeated with the same credential.",
  );
}

/** What is wrong with the payment; null if something else is. */
function faultOf(thrown: unknown): Errors.PaymentError | null {
  if (thrown instanceof Errors.PaymentError) return thrown;
  if (thrown instanceof Error && "issues" in thrown) return new Errors.InvalidPayloadError();
  if (thrown instanceof TransactionReceiptNotFoundError) {
    return new Errors.VerificationFailedError({ reason: "the chain does not have this transaction (yet)" });
  }
  if (thrown instanceof BaseError && !isChainAway(thrown)) {
    return new Errors.VerificationFailedError({ reason: "the chain refuses the transaction" });
  }
  return null;
}

/** Removes old marks now and then. */
function cleanerOf(marks: PaymentMarks): () => void {
  let cleanedAt = Date.now();
  return () => {
    if (Date.now() - cleanedAt < CLEANING_MS) return;
    cleanedAt = Date.now();
    void marks
      .removeOld()
      .catch((error) => console.warn(`Old payment marks could not be removed: ${nameOfError(error)}`));
  };
}
