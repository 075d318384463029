import type { Address } from "viem";
import { GRACE_PERIOD } from "../../../../ens/wrapper.ts";
import { curveOf, type PremiumCurve, premiumAfter, premiumOfEth } from "../../rules/premium.ts";
import { FEED_UNIT, type PriceTerms, type Rent, type TokenRatio } from "../../rules/pricing.ts";
import { ensv2OracleReads, feedReads, oracleReads } from "./priceAbi.ts";
import { asAddress, asNumber, type Read, readOf, type Values } from "./reads.ts";

/** The immutable properties of an oracle. */
export type Description =
  | { in: "usd"; rents: Rent[]; feed: Address }
  | { in: "wei"; rents: Rent[]; premium: PremiumCurve }
  | { in: "fixed"; wei: bigint }
  | Pick<
      Extract<PriceTerms, { in: "tokens" }>,
      "in" | "rents" | "premium" | "discounts" | "discountDenominator"
    >;

const DAY = 86_400n;

/** Label lengths that have a rent of their own, shortest first. */
const LENGTHS = [1, 2, 3, 4, 5, 10] as const;

type Amount = Read<bigint>;

/** Reads that identify an oracle's kind and its immutable properties. */
export function descriptionReads(oracle: Address) {
  const amount = (name: string): Amount => readOf({ target: oracle, abi: oracleReads, name }, asNumber);
  const ofEnsv2 = (name: string): Amount => readOf({ target: oracle, abi: ensv2OracleReads, name }, asNumber);
  return {
    price1: amount("price1Letter"),
    price2: amount("price2Letter"),
    price3: amount("price3Letter"),
    price4: amount("price4Letter"),
    price5: amount("price5Letter"),
    price10: amount("price10Letter"),
    start: amount("startPremium"),
    end: amount("endValue"),
    fixed: amount("FIXED_PRICE_ETH"),
    feed: readOf({ target: oracle, abi: oracleReads, name: "usdOracle" }, asAddress),
    rates: readOf({ target: oracle, abi: ensv2OracleReads, name: "getBaseRates" }, (rates) =>
      (rates as bigint[]).map(asNumber),
    ),
    points: readOf({ target: oracle, abi: ensv2OracleReads, name: "getDiscountPoints" }, (points) =>
      (points as { duration: bigint; numer: bigint }[]).map(({ duration, numer }) => ({
        from: asNumber(duration),
        numer: asNumber(numer),
      })),
    ),
    denominator: ofEnsv2("DISCOUNT_DENOMINATOR"),
    initial: ofEnsv2("PREMIUM_PRICE_INITIAL"),
    halving: ofEnsv2("PREMIUM_HALVING_PERIOD"),
    period: ofEnsv2("PREMIUM_PERIOD"),
  };
}

type Described = Values<ReturnType<typeof descriptionReads>>;

/** The kind of an oracle; null if it answers like no known kind. */
export function describe(values: Described): Description | null {
  const rents = LENGTHS.flatMap((from): Rent[] => {
    const perSecond = values[`price${from}`];
    return perSecond === null ? [] : [{ from: from === 1 ? 0 : from, perSecond }];
  });
  const { feed, start, end, fixed } = values;
  if (rents.length === LENGTHS.length && start !== null && end !== null) {
    return { in: "wei", rents, premium: { start, end, halving: DAY, by: "exponential" } };
  }
  if (rents.length === LENGTHS.length - 1 && values.price10 === null && feed !== null) {
    return { in: "usd", rents, feed };
  }
  if (fixed !== null) return { in: "fixed", wei: fixed };
  return describeEnsv2(values);
}

function describeEnsv2(values: Described): Description | null {
  const { rates, points, denominator, initial, halving, period } = values;
  if (rates === null || rates.length === 0 || points === null || denominator === null) return null;
  if (initial === null || halving === null || halving === 0n || period === null) return null;
  return {
    in: "tokens",
    rents: rates.map((perSecond, i) => ({ from: i + 1, perSecond })),
    premium: curveOf(initial, { halving, period }),
    discounts: points,
    discountDenominator: denominator,
  };
}

/** Seconds after the end of grace at which a premium in dollars is compared with the known curve. */
const PROBES = [0n, DAY + 31_337n, 12n * DAY + 7n, 30n * DAY];

/** Reads of values that can change with each block. */
export function movingReads(
  { oracle, description }: { oracle: Address; description: Description },
  { timestamp, tokens }: { timestamp: bigint; tokens: readonly Address[] },
): Record<string, Read<bigint> | Read<TokenRatio>> {
  if (description.in === "usd") {
    const probes = PROBES.map((elapsed) =>
      readOf(
        {
          target: oracle,
          abi: oracleReads,
          name: "premium",
          args: ["", timestamp - GRACE_PERIOD - elapsed, 0n],
        },
        asNumber,
      ),
    );
    const feed = readOf({ target: description.feed, abi: feedReads, name: "latestAnswer" }, asNumber);
    return { feed, ...Object.fromEntries(probes.map((probe, i) => [`probe${i}`, probe])) };
  }
  if (description.in !== "tokens") return {};
  const ratios = tokens.map((token) => [token, ratioOf(oracle, token)] as const);
  return Object.fromEntries(ratios);
}

const ratioOf = (oracle: Address, token: Address): Read<TokenRatio> =>
  readOf(
    { target: oracle, abi: ensv2OracleReads, name: "getPaymentTokenRatio", args: [token] },
    (decoded) => {
      const [numer, denom] = decoded as readonly [bigint, bigint];
      return { token: token.toLowerCase() as Address, numer: asNumber(numer), denom: asNumber(denom) };
    },
  );

/** The parameters of an oracle's prices; null if the oracle, or its price feed, answers like no known kind. */
export function termsOf(
  description: Description,
  moving: Readonly<Record<string, bigint | TokenRatio | null>>,
): PriceTerms | null {
  if (description.in === "usd") {
    const { feed, ...probes } = moving as Record<string, bigint | null>;
    if (typeof feed !== "bigint" || feed <= 0n) return null;
    const premium = premiumBehind(
      PROBES.map((_, i) => probes[`probe${i}`] ?? null),
      feed,
    );
    return premium === undefined ? null : { in: "usd", usdPerEther: feed, rents: description.rents, premium };
  }
  if (description.in !== "tokens") return description;
  const ratios = Object.values(moving).filter(
    (one): one is TokenRatio => typeof one === "object" && one !== null,
  );
  return { ...description, tokens: ratios.filter(({ denom }) => denom > 0n) };
}

/** The curve that matches these premiums in wei; null without a premium, undefined for an unknown curve. */
function premiumBehind(
  probes: readonly (bigint | null)[],
  usdPerEther: bigint,
): PremiumCurve | null | undefined {
  if (probes.every((wei) => wei === 0n)) return null;
  const isKnown = probes.every(
    (wei, i) => wei === (premiumAfter(premiumOfEth, PROBES[i] ?? 0n) * FEED_UNIT) / usdPerEther,
  );
  return isKnown ? premiumOfEth : undefined;
}
