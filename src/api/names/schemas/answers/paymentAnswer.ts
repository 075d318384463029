import { z } from "@hono/zod-openapi";
import { address, count } from "./valuesAnswer.ts";

/** An amount of an ERC-20 token. */
export const tokenUnits = (description: string) =>
  z.string().regex(/^\d+$/).openapi({ description, example: "5000000" });

/** An ERC-20 token in which names of ENSv2 are paid. */
export const paymentToken = {
  token: address,
  symbol: z
    .string()
    .nullable()
    .openapi({ example: "USDC", description: "Null for a token not listed by the deployment" }),
  decimals: count.nullable().openapi({ example: 6, description: "Null if `symbol` is null" }),
};

/** What was paid for a name of ENSv2. */
export const payment = z
  .strictObject({ ...paymentToken, amount: tokenUnits("Amount paid, in the token's units") })
  .openapi("Payment");
