import type { Address } from "viem";
import { type PremiumCurve, premiumAfter } from "./premium.ts";

/** The rent of labels with at least `from` characters, per second. */
export type Rent = { from: number; perSecond: bigint };

/** An ERC-20 token in which names are paid, and what one attoUSD is in its units. */
export type TokenRatio = { token: Address; numer: bigint; denom: bigint };

/** A discount for durations of at least `from` seconds, as a fraction of the rent. */
export type Discount = { from: bigint; numer: bigint };

/**
 * What an oracle computes prices with. Rents are of the shortest labels first, so that the last one that a label is long
 * enough for is its own.
 */
export type PriceTerms =
  /** In dollars, paid in ether by the price feed, which has 8 decimals. */
  | { in: "usd"; usdPerEther: bigint; rents: readonly Rent[]; premium: PremiumCurve | null }
  /** In wei. */
  | { in: "wei"; rents: readonly Rent[]; premium: PremiumCurve }
  /** One amount of wei for every name and duration. */
  | { in: "fixed"; wei: bigint }
  /** In dollars, paid in tokens. */
  | {
      in: "tokens";
      rents: readonly Rent[];
      premium: PremiumCurve;
      discounts: readonly Discount[];
      discountDenominator: bigint;
      tokens: readonly TokenRatio[];
    };

/** A price: the rent, and the premium on top of it. */
export type Amounts = { base: bigint; premium: bigint };

/** A price in each unit that its oracle has it in. */
export type Priced = {
  attoUsd: Amounts | null;
  wei: Amounts | null;
  tokens: readonly (Amounts & { token: Address })[];
};

/** What is sold: a label of this length in characters, for this time in seconds; `released`: seconds since it could be had again. */
export type Sale = {
  length: number;
  duration: bigint;
  /** Null for a renewal, and for a name that was never registered: neither has a premium. */
  released: bigint | null;
};

/** The feed has 8 decimals, and the oracle's dollars 18, as ether has. */
export const FEED_UNIT = 10n ** 8n;

/** The price of a sale, as the oracle computes it. Source of each rule: `premium.ts`, and the oracles named there. */
export function priceOf(terms: PriceTerms, sale: Sale): Priced {
  switch (terms.in) {
    case "usd": {
      const attoUsd = amountsOf(terms, sale);
      const toWei = (amount: bigint) => (amount * FEED_UNIT) / terms.usdPerEther;
      return { attoUsd, wei: { base: toWei(attoUsd.base), premium: toWei(attoUsd.premium) }, tokens: [] };
    }
    case "wei":
      return { attoUsd: null, wei: amountsOf(terms, sale), tokens: [] };
    case "fixed":
      return { attoUsd: null, wei: { base: terms.wei, premium: 0n }, tokens: [] };
    case "tokens": {
      const { base, premium } = amountsOf(terms, sale);
      const attoUsd = { base: discounted(terms, { rent: base, duration: sale.duration }), premium };
      return { attoUsd, wei: null, tokens: terms.tokens.map((token) => inToken(token, attoUsd)) };
    }
  }
}

type Rated = { rents: readonly Rent[]; premium: PremiumCurve | null };

const amountsOf = ({ rents, premium }: Rated, { length, duration, released }: Sale): Amounts => ({
  base: (rents.findLast(({ from }) => length >= from)?.perSecond ?? 0n) * duration,
  premium: premium === null || released === null ? 0n : premiumAfter(premium, released),
});

type Discounts = { discounts: readonly Discount[]; discountDenominator: bigint };

function discounted(
  { discounts, discountDenominator }: Discounts,
  { rent, duration }: { rent: bigint; duration: bigint },
): bigint {
  const reached = discounts.findLast(({ from }) => duration >= from);
  return reached === undefined ? rent : (rent * reached.numer) / discountDenominator;
}

/**
 * Amounts of a token are rounded up; the rent is what the whole is more than the premium, so that both add up to it.
 * Source: ensdomains/contracts-v2, src/registrar/StandardRentPriceOracle.sol, `getRegisterPrice`.
 */
function inToken({ token, numer, denom }: TokenRatio, { base, premium }: Amounts) {
  const toUnits = (attoUsd: bigint) => (attoUsd * numer + denom - 1n) / denom;
  const ofPremium = toUnits(premium);
  return { token, base: toUnits(base + premium) - ofPremium, premium: ofPremium };
}
