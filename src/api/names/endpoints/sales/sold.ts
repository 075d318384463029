import { z } from "@hono/zod-openapi";
import type { Contracts } from "../../../../../abis/contracts.ts";
import type { DaySales, Sold } from "../../query/purchases.ts";
import { toDollars } from "../../rules/pricing.ts";
import {
  address,
  chain,
  contractTitle,
  count,
  dollars,
  paymentToken,
  tokenUnits,
} from "../../schemas/answers.ts";
import { toAddress } from "../../serializers/hex.ts";
import { chainOf, titleField } from "../../serializers/toDomain.ts";
import { toPaymentToken } from "../../serializers/toPayment.ts";
import { sumOf } from "../../statistics/numbers.ts";

export const wei = (description: string) =>
  z.string().regex(/^\d+$/).openapi({ description, example: "5000000000000000" });

const usd = (description: string) =>
  dollars.nullable().openapi({
    description: `${description} in dollars, rounded to cents; null if the price of ether at one of these sales is unknown`,
  });

export const soldFields = {
  registrations: count,
  renewals: count,
  registration_cost_wei: wei("Amount paid to controllers for the registrations, including premiums"),
  premium_wei: wei("The premium part"),
  renewal_cost_wei: wei("Amount paid to controllers for the renewals"),
  registration_cost_usd: usd("`registration_cost_wei`"),
  premium_usd: usd("`premium_wei`"),
  renewal_cost_usd: usd("`renewal_cost_wei`"),
  cost_is_upper_bound: z.literal(true).optional().openapi({
    description: "Present if the cost of some renewals is known only as an upper bound, in wei and dollars",
  }),
  payments: z
    .array(
      z.strictObject({
        ...paymentToken,
        registration_amount: tokenUnits("Amount paid for registrations, including premiums"),
        premium_amount: tokenUnits("The premium part"),
        renewal_amount: tokenUnits("Amount paid for renewals"),
      }),
    )
    .optional()
    .openapi({
      description:
        "Present if ENSv2 is indexed: revenue of its registrars by ERC-20 token, in the token's units. Costs in wei are those of ENSv1",
    }),
};

export const PAID =
  "ENSv2 names are paid in ERC-20 tokens, listed by token. Costs are those logged by controllers: auction deposits were refunded and do not count. Dollars are by the price of ether at each sale, from the price feed of the controllers: its last answer before the sale's log, on other chains its last answer by time. They do not include tokens.";

/** The fields of `soldFields`. */
export function toSold(sales: readonly Sold[], contracts: Contracts) {
  const registrations = sales.filter(({ isRegistration }) => isRegistration);
  const renewals = sales.filter(({ isRegistration }) => !isRegistration);
  return {
    registrations: sumOf(registrations, ({ names }) => names),
    renewals: sumOf(renewals, ({ names }) => names),
    registration_cost_wei: weiOf(registrations, ({ cost }) => cost),
    premium_wei: weiOf(registrations, ({ premium }) => premium),
    renewal_cost_wei: weiOf(renewals, ({ cost }) => cost),
    registration_cost_usd: dollarsOf(registrations, ({ costUsd }) => costUsd),
    premium_usd: dollarsOf(registrations, ({ premiumUsd }) => premiumUsd),
    renewal_cost_usd: dollarsOf(renewals, ({ costUsd }) => costUsd),
    ...(sales.some(({ isUpperBound }) => isUpperBound) && { cost_is_upper_bound: true as const }),
    ...(contracts.ensv2 && { payments: toPayments(registrations, renewals, contracts) }),
  };
}

/** Amounts paid, by token. */
function toPayments(registrations: readonly Sold[], renewals: readonly Sold[], contracts: Contracts) {
  const all = [...registrations, ...renewals];
  const tokens = new Set(all.flatMap(({ token }) => token?.address ?? []));
  return [...tokens].sort().map((address) => {
    const sumIn = (sales: readonly Sold[], part: "amount" | "premium") =>
      weiOf(sales, ({ token }) => (token?.address === address ? token[part] : "0"));
    return {
      ...toPaymentToken(address, contracts),
      registration_amount: sumIn(registrations, "amount"),
      premium_amount: sumIn(registrations, "premium"),
      renewal_amount: sumIn(renewals, "amount"),
    };
  });
}

const sumOfAmounts = (amounts: readonly string[]): bigint =>
  amounts.reduce((sum, amount) => sum + BigInt(amount), 0n);

const weiOf = (sales: readonly Sold[], amountOf: (sale: Sold) => string): string =>
  sumOfAmounts(sales.map(amountOf)).toString();

function dollarsOf(sales: readonly Sold[], amountOf: (sale: Sold) => string | null): string | null {
  const amounts = sales.map(amountOf);
  return amounts.every((amount) => amount !== null) ? toDollars(sumOfAmounts(amounts)) : null;
}

export const seller = {
  contract: z.string().openapi({ example: "CONTROLLER_9380471" }),
  chain,
  address,
  title: contractTitle,
};

/** Sales by selling contract. */
export const bySeller = (sales: readonly DaySales[]): DaySales[][] => [
  ...Map.groupBy(
    sales,
    ({ chainId, seller, sellerAddress }) => `${chainId} ${seller} ${sellerAddress}`,
  ).values(),
];

/** The selling contract. */
export const toSeller = ({ chainId, seller: family, sellerAddress }: DaySales, contracts: Contracts) => ({
  contract: contracts.contractLabel({ family, chainId, address: sellerAddress }),
  ...chainOf(chainId, contracts),
  address: toAddress(sellerAddress),
  ...titleField(sellerAddress, chainId, contracts),
});
