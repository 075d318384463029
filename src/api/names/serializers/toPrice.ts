import type { Address } from "viem";
import type { z } from "zod";
import type { Contracts } from "../../../../abis/contracts.ts";
import { type Amounts, attoUsdToDollars, FEED_UNIT, type Priced } from "../rules/pricing.ts";
import type * as schemas from "../schemas/answers.ts";
import { toAddress } from "./hex.ts";
import { toPaymentToken } from "./toPayment.ts";

type NamePrice = z.infer<typeof schemas.namePrice>;
type Offer = NonNullable<NamePrice["registration"]>;

/** A price for some years. A price in wei is also given in dollars if the price of ether is known. */
export function toPrice(
  { years, duration }: { years: number; duration: number },
  priced: Priced,
  { usdPerEther, contracts }: { usdPerEther: bigint | null; contracts: Contracts },
): Offer["prices"][number] {
  const { attoUsd, wei, tokens } = priced;
  const dollars = attoUsd ?? (wei && usdPerEther !== null ? inAttoUsd(wei, usdPerEther) : null);
  return {
    years,
    duration_seconds: duration,
    ...(wei && { wei: written(wei, (amount) => amount.toString()) }),
    usd: dollars && written(dollars, attoUsdToDollars),
    ...(tokens.length > 0 && {
      tokens: tokens.map(({ token, ...amounts }) => ({
        ...toPaymentToken(token, contracts),
        ...written(amounts, (amount) => amount.toString()),
      })),
    }),
  };
}

export const toOffer = (
  { contract, oracle }: { contract: Address; oracle: Address },
  prices: Offer["prices"],
): Offer => ({ contract: toAddress(contract), oracle: toAddress(oracle), prices });

const written = ({ base, premium }: Amounts, write: (amount: bigint) => string) => ({
  base: write(base),
  premium: write(premium),
  total: write(base + premium),
});

const inAttoUsd = ({ base, premium }: Amounts, usdPerEther: bigint): Amounts => ({
  base: (base * usdPerEther) / FEED_UNIT,
  premium: (premium * usdPerEther) / FEED_UNIT,
});

/** The price of ether with all 8 decimals of its feed. */
export const toFeedPrice = (usdPerEther: bigint): string =>
  `${usdPerEther / FEED_UNIT}.${(usdPerEther % FEED_UNIT).toString().padStart(8, "0")}`;
