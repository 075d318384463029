import { isAddress } from "viem";
import { z } from "zod";
import type { PaymentSettings } from "../src/api/access/payment.ts";
import { complaint, type Given, SettingsError } from "./fault.ts";
import { isUrl, wholeNumber } from "./words.ts";

const address = z.custom<`0x${string}`>((text) => isAddress(String(text)) && !/^0x0+$/.test(String(text)));

const allVariables = z.object({
  MPP_RECIPIENT: address,
  MPP_SECRET_KEY: z.string().refine((text) => Buffer.byteLength(text) >= 32),
  MPP_REALM: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/),
  MPP_CURRENCY: address.refine((text) => /^0x20c0/i.test(text)),
  MPP_PRICE_PER_CREDIT: z.string().regex(/^(?=.*[1-9])\d{1,6}(\.\d{1,6})?$/),
  MPP_CHAIN_ID: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  MPP_RPC_URL: z.string().refine(isUrl(["http:", "https:"])),
});

/** None is needed where nothing is paid for. */
export const paymentVariables = allVariables.partial();

export const paymentExpectations = {
  MPP_RECIPIENT: [
    "the address that is paid (a checksum, if it has one, must be right)",
    "0x1111111111111111111111111111111111111111",
  ],
  MPP_SECRET_KEY: [
    "a secret of at least 32 bytes, the same in all replicas",
    "$(openssl rand -hex 32)",
    "secret",
  ],
  MPP_REALM: ["the host name of this service", "api.example.org"],
  MPP_CURRENCY: ["the address of a TIP-20 token", "0x20c0000000000000000000000000000000000000"],
  MPP_PRICE_PER_CREDIT: ["an amount of the token above 0 with at most 6 decimals", "0.001"],
  MPP_CHAIN_ID: ["the number of a Tempo chain", "4217"],
  MPP_RPC_URL: ["the http(s) URL of a node of that chain", "https://rpc.tempo.xyz"],
} as const;

/** All of these settings or none: a service that takes payments must not do so by half. */
export function readPayments(
  { ACCESS }: { ACCESS: "open" | "metered" },
  given: Given,
): PaymentSettings | null {
  const names = allVariables.keyof().options;
  const set = names.find((name) => given[name] !== undefined);
  if (set === undefined) return null;
  if (ACCESS === "open") {
    throw new SettingsError(`${set} is set, and payments need ACCESS=metered: set it, or remove ${set}`);
  }
  const missing = names.filter((name) => given[name] === undefined);
  if (missing.length > 0) {
    const complaints = missing.map((name) => complaint(name, undefined, paymentExpectations[name]));
    throw new SettingsError([...complaints, `Payments need all of ${names.join(", ")}, or none.`].join("\n"));
  }
  const payment = allVariables.parse(given);
  return {
    recipient: payment.MPP_RECIPIENT,
    secretKey: payment.MPP_SECRET_KEY,
    realm: payment.MPP_REALM,
    currency: payment.MPP_CURRENCY,
    pricePerCredit: payment.MPP_PRICE_PER_CREDIT,
    chainId: payment.MPP_CHAIN_ID,
    rpcUrl: payment.MPP_RPC_URL,
  };
}
