import { digits, httpUrls, oneOf, onOrOff } from "./kinds.ts";
import type { Network } from "./network.ts";
import { optional, type ValuesOf, withDefault } from "./variable.ts";

/** Who is answered, where callers reach the API, and how long the ledger is stored. */
export type AccessSettings = {
  /** `open`: every request is answered. `metered`: by key, payment and a few free requests a minute. */
  access: "open" | "metered";
  /** Origins at which callers reach the API (`https://names.example.org`). Without one, no caller can sign up for a key. */
  publicUrls: string[];
  /** Number of the operator's own proxies in front of the API, each of which appends to `X-Forwarded-For`. */
  trustedProxies: number;
  /** Whether long answers are compressed for callers that accept it. */
  compresses: boolean;
  /** Items that one request without a key may have. */
  freeBulkItems: number;
  /** Days of ledger history; null for all of it. */
  ledgerDays: number | null;
};

/** Callers may ask for their usage of these days, so they are always complete. */
const LEAST_LEDGER_DAYS = 91;

/** What a Sign-In with Ethereum message can name as its domain. */
const PUBLIC_HOST = /^(localhost|([a-z0-9-]+\.)+[a-z0-9-]+)$/;

const publicUrls = httpUrls(
  "comma-separated URLs without a path, whose host is a domain name, an IPv4 address or localhost",
  (url) => url.href === `${url.origin}/` && PUBLIC_HOST.test(url.hostname),
);

const proxies = digits({ from: 0, to: 10 });

export const accessVariables = {
  ACCESS: withDefault("open", oneOf("open", "metered"), {
    example: "metered",
    meaning:
      "Who may send requests. `open`: anyone, without limit. `metered`: callers get five free requests a minute, then need a key or a payment; see [access.md](access.md).",
  }),
  TRUSTED_PROXIES: withDefault(
    0,
    { ...proxies, expected: "the number of your own proxies in front of the API, from 0 to 10" },
    {
      example: "1",
      meaning:
        "Number of your own proxies in front of the API: Namedex trusts that many entries at the end of `X-Forwarded-For`. If it is too low, all clients share the proxy's address. If it is too high, clients can spoof theirs.",
    },
  ),
  HTTP_COMPRESSION: withDefault("on", onOrOff, {
    example: "off",
    meaning:
      "`on` compresses answers and pages of 1 KB and more (gzip) for callers that accept it, except the stream of changes. Use `off` if a proxy compresses.",
  }),
  FREE_BULK_ITEMS: withDefault(500, digits({ from: 1, to: 500, unit: "items" }), {
    meaning:
      "Maximum items in a bulk request without a key, with `ACCESS=metered`. The request counts as one of the five free ones a minute.",
  }),
  LEDGER_DAYS: optional(digits({ from: LEAST_LEDGER_DAYS, to: 36_500, unit: "days" }), {
    example: "400",
    unset: "forever",
    meaning: "How many days of ledger history to keep. Credits are unaffected.",
  }),
  PUBLIC_URL: optional(publicUrls, {
    example: "https://names.example.org",
    unset: "devnet: `http://localhost:<PORT>`",
    meaning:
      "Public URL of the API. With `ACCESS=metered`, setting it lets callers sign up for keys; sign-up messages for other domains are refused.",
  }),
};

type AccessValues = ValuesOf<typeof accessVariables> & { ENS_NETWORK: Network; PORT: number };

export const toAccessSettings = (known: AccessValues): AccessSettings => ({
  access: known.ACCESS,
  publicUrls: readPublicUrls(known),
  trustedProxies: known.TRUSTED_PROXIES,
  compresses: known.HTTP_COMPRESSION === "on",
  freeBulkItems: known.FREE_BULK_ITEMS,
  ledgerDays: known.LEDGER_DAYS ?? null,
});

/** Never taken from a request, because a caller can write any `Host`. A devnet is used on its own machine only. */
function readPublicUrls({ ENS_NETWORK, PUBLIC_URL, PORT }: AccessValues): string[] {
  if (PUBLIC_URL !== undefined) return PUBLIC_URL.map((url) => new URL(url).origin);
  return ENS_NETWORK === "devnet" ? [`http://localhost:${PORT}`, `http://127.0.0.1:${PORT}`] : [];
}
