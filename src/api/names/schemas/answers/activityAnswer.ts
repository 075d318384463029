import { z } from "@hono/zod-openapi";
import { payment } from "./paymentAnswer.ts";
import { primaryNameEntry } from "./primaryNameAnswer.ts";
import { address, chain, costUsd, count, happenedIn, mergedEvents, truncated } from "./valuesAnswer.ts";

const anyName = z.string().openapi({ example: "alice.eth" });

const purchase = {
  name: anyName,
  chain,
  merged_events: mergedEvents,
  cost_eth: z
    .string()
    .nullable()
    .openapi({ example: "0.005", description: "Null if no event gives the price" }),
  cost_is_upper_bound: z.literal(true).optional().openapi({
    description: "Present on renewals by the 2023 controller whose exact price is unknown",
  }),
  cost_usd: costUsd,
  payment: payment.optional().openapi({
    description:
      "Present if the name was bought or renewed through an ENSv2 registrar; `cost_eth` is then null",
  }),
  years: count.nullable().openapi({
    description: "Full years of 365 days bought; null if no log gives them: auctioned names had no expiry",
  }),
  ...happenedIn,
};

/** One entry of the activity feed. */
export const activity = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("registration"), ...purchase }),
    z.strictObject({ type: z.literal("renewal"), ...purchase }),
    z.strictObject({
      type: z.literal("transfer"),
      name: anyName,
      chain,
      from_address: address,
      to_address: address,
      ...happenedIn,
    }),
    z.strictObject({
      type: z.literal("migration"),
      name: anyName,
      chain,
      owner_address: address
        .nullable()
        .openapi({ description: "The ENSv2 holder from then on; null for no owner" }),
      ...happenedIn,
    }),
    z.strictObject({ type: z.literal("wrap"), name: anyName, chain, owner_address: address, ...happenedIn }),
    z.strictObject({
      type: z.literal("unwrap"),
      name: anyName,
      chain,
      owner_address: address,
      ...happenedIn,
    }),
    z.strictObject({
      type: z.literal("primary_name"),
      address,
      name: primaryNameEntry.shape.name,
      is_name_known: primaryNameEntry.shape.is_name_known,
      truncated,
      chain: z.string(),
      ...happenedIn,
    }),
  ])
  .openapi("Activity");
