import { z } from "zod";
import { redact, SettingsError } from "./fault.ts";
import type { Network } from "./network.ts";
import { readUrls, wholeNumber } from "./words.ts";

/** Who is answered, where they reach us, and how long is known what they paid. */
export type AccessSettings = {
  /** Who is answered: everybody, or by key, payment and a few free requests a minute. */
  access: "open" | "metered";
  /** Origins by which callers reach the API (`https://names.example.org`); none: nobody can sign up for a key. */
  publicUrls: string[];
  /** Number of the operator's own proxies before the API, each of which appends to `X-Forwarded-For`. */
  trustedProxies: number;
  /** How long the ledger of credits keeps what it noted; null for good. */
  ledgerDays: number | null;
};

/** The days of usage that callers may ask for are always kept whole. */
const LEAST_LEDGER_DAYS = 91;

export const accessVariables = z.object({
  ACCESS: z.enum(["open", "metered"]).default("open"),
  TRUSTED_PROXIES: wholeNumber(0, 10).default(0),
  LEDGER_DAYS: wholeNumber(LEAST_LEDGER_DAYS, 36_500).optional(),
  PUBLIC_URL: z.string().optional(),
});

export const accessExpectations = {
  ACCESS: ["open or metered", "metered"],
  TRUSTED_PROXIES: ["the number of your own proxies before the API, from 0 to 10", "1"],
  LEDGER_DAYS: [`a whole number of days from ${LEAST_LEDGER_DAYS} to 36500`, "400"],
} as const;

type AccessValues = z.output<typeof accessVariables> & { ENS_NETWORK: Network; PORT: number };

export const toAccessSettings = (known: AccessValues): AccessSettings => ({
  access: known.ACCESS,
  publicUrls: readPublicUrls(known),
  trustedProxies: known.TRUSTED_PROXIES,
  ledgerDays: known.LEDGER_DAYS ?? null,
});

/** Never taken from a request: its `Host` is whatever the caller wrote. Only a devnet is known to be used on its own machine. */
function readPublicUrls({ ENS_NETWORK, PUBLIC_URL, PORT }: AccessValues): string[] {
  if (PUBLIC_URL === undefined) {
    return ENS_NETWORK === "devnet" ? [`http://localhost:${PORT}`, `http://127.0.0.1:${PORT}`] : [];
  }
  const urls = readUrls("PUBLIC_URL", PUBLIC_URL, "https://names.example.org").map((url) => new URL(url));
  const wrong = urls.find((url) => url.href !== `${url.origin}/` || !PUBLIC_HOST.test(url.hostname));
  if (wrong === undefined) return urls.map(({ origin }) => origin);
  throw new SettingsError(
    `PUBLIC_URL has "${redact(wrong.href)}": expected URLs without a path, whose host is a domain name, an IPv4 address or localhost, comma-separated, for example PUBLIC_URL=https://names.example.org`,
  );
}

/** What a Sign-In with Ethereum message can name as its domain. */
const PUBLIC_HOST = /^(localhost|([a-z0-9-]+\.)+[a-z0-9-]+)$/;
