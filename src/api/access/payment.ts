import type { ApiError } from "../errors.ts";
import type { Price } from "./access.ts";

/** Where payments go and what they buy. */
export type PaymentSettings = {
  /** Address that is paid. */
  recipient: `0x${string}`;
  /** Signs challenges, at least 32 bytes; the same in all replicas. Never logged. */
  secretKey: string;
  /** Names this service in its challenges, as a rule its host name. */
  realm: string;
  /** Address of the token (TIP-20) that is paid with. */
  currency: `0x${string}`;
  /** Decimals of the token. */
  decimals: number;
  /** What one credit costs, in base units of the token. */
  unitsPerCredit: bigint;
  /** The chain on which is paid, and its node. The URL may hold a credential: never logged. */
  chainId: number;
  rpcUrl: string;
};

/** What openapi.json says of a price (`x-payment-info`); `amount` is null where it depends on the request. */
export type PaymentOffer = {
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
  offer: (credits: number | null) => PaymentOffer;
};
