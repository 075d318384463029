import { z } from "@hono/zod-openapi";
import { refusals } from "../../rules/offers.ts";
import { invalidItem, itemError } from "./domainAnswer.ts";
import { paymentToken, tokenUnits } from "./paymentAnswer.ts";
import { address, availabilityStatus, chain, count, decimal, dollars, expiry } from "./valuesAnswer.ts";

const ADDS_UP = "`total` is what the contract charges: `base`, the rent, plus `premium`";

const wei = z
  .strictObject({ base: decimal, premium: decimal, total: decimal })
  .openapi("PriceInWei", { description: `Absent in ENSv2, which takes no ether. ${ADDS_UP}` });

const usd = z.strictObject({ base: dollars, premium: dollars, total: dollars }).openapi("PriceInUsd", {
  description: "Rounded to cents. Null if the oracle computes in wei and the price of ether is unknown",
});

const inToken = z
  .strictObject({
    ...paymentToken,
    base: tokenUnits("The rent, in the token's units"),
    premium: tokenUnits("The premium"),
    total: tokenUnits("What the contract charges"),
  })
  .openapi("PriceInToken");

const price = z
  .strictObject({
    years: count.openapi({ example: 1 }),
    duration_seconds: count.openapi({ example: 31_536_000, description: "Years of 365 days" }),
    wei: wei.optional(),
    usd: usd.nullable(),
    tokens: z.array(inToken).optional().openapi({
      description: "Present in ENSv2: the price in each accepted token",
    }),
  })
  .openapi("Price");

const offer = z
  .strictObject({
    contract: address.openapi({ description: "The contract that sells it" }),
    oracle: address.openapi({ description: "Its price oracle" }),
    prices: z.array(price),
  })
  .openapi("PriceOffer");

const refusal = z.enum(refusals).openapi("PriceRefusal", {
  description:
    "Why not: `registered`; `grace` (only renewable); `not_registered` (nobody could renew it); `given_up` (ENSv2: its owner gave it up, and it is not sold yet); `too_short` (controllers sell three characters and more); `label_unknown` (only the label's hash is known, and rent depends on the number of characters); `subname` (the parent's owner decides); `not_sold` (no ENS registrar has such names); `chain_not_indexed` (its layer 2 is not indexed here); `closed` (no contract may sell it at present); `unknown` (its state cannot be determined)",
});

const side = (what: string) =>
  offer.nullable().openapi({ description: `The cost to ${what} the name; null if not possible` });

const reason = (what: string) =>
  refusal.nullable().openapi({ description: `Why it cannot be ${what}; null if it can` });

/** What a name costs. */
export const namePrice = z
  .strictObject({
    domain: z.string(),
    chain,
    availability_status: availabilityStatus,
    expiry_timestamp: expiry,
    length: count.nullable().openapi({
      description: "Characters of the label as counted by the oracle; null if no price depends on them",
      example: 5,
    }),
    registration: side("register"),
    registration_refusal: reason("registered"),
    renewal: side("renew"),
    renewal_refusal: reason("renewed"),
    usd_per_ether: z
      .strictObject({
        value: z
          .string()
          .regex(/^\d+\.\d{8}$/)
          .openapi({ example: "1600.00000000" }),
        chain_id: count,
        block_number: count,
      })
      .nullable()
      .openapi({
        description:
          "The price of ether used to convert dollars and wei, and where it was read; for a layer 2, the main chain's. Null if not needed or unknown",
      }),
    price_block: z
      .strictObject({ chain_id: count, block_number: count, block_timestamp: count })
      .nullable()
      .openapi({
        description:
          "The block of the whole answer, including the state: at this block the contracts return these prices. Null if no contract was asked because none sells the name",
      }),
  })
  .openapi("NamePrice");

/** What one of several names costs, or why that is not known. */
export const bulkPrice = z.union([
  z.strictObject({ query: z.string(), ...namePrice.shape }).openapi("BulkPrice"),
  z.strictObject({ query: z.string(), domain: z.string(), error: itemError }).openapi("BulkPriceError"),
  invalidItem,
]);
