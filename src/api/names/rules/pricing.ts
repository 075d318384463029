import type { Address } from "viem";
import { type PremiumCurve, premiumAfter } from "./premium.ts";

/** The rent of labels with at least `from` characters, per second. */
export type Rent = { from: number; perSecond: bigint };

/** An ERC-20 token accepted as payment, and the value of one attoUSD in its units. */
export type TokenRatio = { token: Address; numer: bigint; denom: bigint };

/** A discount for durations of at least `from` seconds, as a fraction of the rent. */
export type Discount = { from: bigint; numer: bigint };

/**
 * The parameters of an oracle's price. Rents start with the shortest labels, so the last one that the label is long enough for
 * applies.
 */
export type PriceTerms =
  /** In dollars, paid in ether at the price feed's rate, which has 8 decimals. */
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

/** A price: the rent, and the premium added to it. */
export type Amounts = { base: bigint; premium: bigint };

/** A price in each unit that its oracle uses. */
export type Priced = {
  attoUsd: Amounts | null;
  wei: Amounts | null;
  tokens: readonly (Amounts & { token: Address })[];
};

/**
 * A sale: the label's length in characters, the duration in seconds, and `released`, the seconds since the name became available.
 */
export type Sale = {
  length: number;
  duration: bigint;
  /** Null for a renewal, and for a name that was never registered: neither has a premium. */
  released: bigint | null;
};

/** The feed has 8 decimals; the oracle's dollars have 18, like ether. */
export const FEED_UNIT = 10n ** 8n;

/** The price of a sale, as computed by the oracle. For the source of each rule, see `premium.ts` and the oracles named there. */
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
 * Token amounts are rounded up. The rent is the total minus the premium, so that both add up to the total.
 * Source: ensdomains/contracts-v2, src/registrar/StandardRentPriceOracle.sol, `getRegisterPrice`.
 */
function inToken({ token, numer, denom }: TokenRatio, { base, premium }: Amounts) {
  const toUnits = (attoUsd: bigint) => (attoUsd * numer + denom - 1n) / denom;
  const ofPremium = toUnits(premium);
  return { token, base: toUnits(base + premium) - ofPremium, premium: ofPremium };
}

const ONE_DOLLAR = 10n ** 18n;

/** Wei times an answer of the price feed, which has 8 decimals, that make one dollar. */
const USD_UNIT = FEED_UNIT * ONE_DOLLAR;

/** Converts wei times an answer, or a sum of such products, to dollars, rounded to cents. */
export const toDollars = (amount: bigint): string => inCents(amount, USD_UNIT);

/** Converts attoUSD to dollars, rounded to cents. */
export const attoUsdToDollars = (attoUsd: bigint): string => inCents(attoUsd, ONE_DOLLAR);

function inCents(amount: bigint, unit: bigint): string {
  const cents = (amount * 100n + unit / 2n) / unit;
  return `${cents / 100n}.${(cents % 100n).toString().padStart(2, "0")}`;
}
