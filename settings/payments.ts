import { isAddress } from "viem";
import { z } from "zod";
import { complaint, SettingsError } from "./check.ts";
import { digits, httpUrl, text } from "./kinds.ts";
import { type Kind, optional, type ValuesOf } from "./variable.ts";

/** Where payments go and what they buy. */
export type PaymentSettings = {
  /** Address that is paid. */
  recipient: `0x${string}`;
  /** Signs challenges, at least 32 bytes; the same in all replicas. Never logged. */
  secretKey: string;
  /** Names this service in its challenges; usually its host name. */
  realm: string;
  /** Address of the token (TIP-20) that is paid with. */
  currency: `0x${string}`;
  /** Price of one credit, in the token's unit: decimal digits, at most 6 after the point. */
  pricePerCredit: string;
  /** The chain of the payments, and its node. The URL may hold a credential: never logged. */
  chainId: number;
  rpcUrl: string;
};

const address = z.custom<`0x${string}`>((given) => isAddress(String(given)) && !/^0x0+$/.test(String(given)));

const recipient: Kind<`0x${string}`> = {
  shape: address,
  expected: "the address that receives payments (a checksum, if present, must be valid)",
};

const token: Kind<`0x${string}`> = {
  shape: address.refine((given) => /^0x20c0/i.test(given)),
  expected: "the address of a TIP-20 token",
};

export const paymentVariables = {
  MPP_RECIPIENT: optional(recipient, {
    example: "0x1111111111111111111111111111111111111111",
    meaning: "Address that receives payments.",
  }),
  MPP_SECRET_KEY: optional(
    text(
      "a secret of at least 32 bytes, the same in all replicas",
      z.string().refine((secret) => Buffer.byteLength(secret) >= 32),
    ),
    {
      example: "$(openssl rand -hex 32)",
      isSecret: true,
      meaning: "Secret that signs payment challenges.",
    },
  ),
  MPP_REALM: optional(
    text("the host name of this service", z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/)),
    { example: "api.example.org", meaning: "Host name of the service, shown to payers in challenges." },
  ),
  MPP_CURRENCY: optional(token, {
    example: "0x20c0000000000000000000000000000000000000",
    meaning: "Token used for payments.",
  }),
  MPP_PRICE_PER_CREDIT: optional(
    text(
      "a token amount above 0 with at most 6 decimals",
      z.string().regex(/^(?=.*[1-9])\d{1,6}(\.\d{1,6})?$/),
    ),
    { example: "0.001", meaning: "Price of one credit in that token." },
  ),
  MPP_CHAIN_ID: optional(
    { ...digits({ from: 1, to: Number.MAX_SAFE_INTEGER }), expected: "the id of a Tempo chain" },
    { example: "4217", meaning: "Chain used for payments: 4217 is Tempo, 42431 its test network." },
  ),
  MPP_RPC_URL: optional(httpUrl("an http(s) URL of a node of that chain"), {
    example: "https://rpc.tempo.xyz",
    meaning: "RPC URL of that chain.",
  }),
};

type PaymentValues = ValuesOf<typeof paymentVariables>;
type AllPaymentValues = { [Name in keyof PaymentValues]: NonNullable<PaymentValues[Name]> };

const names = Object.keys(paymentVariables) as (keyof PaymentValues)[];

/** Payments need all of these settings or none: half of them would take payments wrongly. */
export function toPaymentSettings(
  known: PaymentValues & { ACCESS: "open" | "metered" },
): PaymentSettings | null {
  const set = names.find((name) => known[name] !== undefined);
  if (set === undefined) return null;
  if (known.ACCESS === "open") {
    throw new SettingsError(
      `${set} is set, but payments need ACCESS=metered: set ACCESS=metered, or remove ${set}`,
    );
  }
  if (!areAllSet(known)) throw new SettingsError(complaintOfMissing(known));
  return {
    recipient: known.MPP_RECIPIENT,
    secretKey: known.MPP_SECRET_KEY,
    realm: known.MPP_REALM,
    currency: known.MPP_CURRENCY,
    pricePerCredit: known.MPP_PRICE_PER_CREDIT,
    chainId: known.MPP_CHAIN_ID,
    rpcUrl: known.MPP_RPC_URL,
  };
}

const areAllSet = (known: PaymentValues): known is AllPaymentValues =>
  names.every((name) => known[name] !== undefined);

function complaintOfMissing(known: PaymentValues): string {
  const missing = names.filter((name) => known[name] === undefined);
  const lines = missing.map((name) => complaint(name, paymentVariables[name]));
  return [...lines, `Set all payment settings or none: ${names.join(", ")}.`].join("\n");
}
