import { z } from "@hono/zod-openapi";
import { payment } from "./paymentAnswer.ts";
import {
  address,
  blockNumber,
  chain,
  contractTitle,
  costUsd,
  count,
  decimal,
  endedBy,
  hash,
  mergedEvents,
  truncated,
} from "./valuesAnswer.ts";

const valueKnown = z.literal(false).optional().openapi({
  description: "Present if the index cannot know the value: an old resolver logged only the key",
});

/** The value of a text record since a block. */
export const textHistoryEntry = z
  .strictObject({
    value: z.string().nullable().openapi({
      description: "Null if it was cleared, or ended with its resolver; also with `value_known`",
    }),
    value_known: valueKnown,
    restored: z
      .strictObject({
        value: z.string().nullable().openapi({ description: "Null only with `value_known`" }),
        value_known: valueKnown,
        block_number: blockNumber,
        transaction_hash: hash,
        truncated,
      })
      .optional()
      .openapi({
        description:
          "With `resolver_change`: the value already set at the new resolver, and where it was set. The record has it from this block on",
      }),
    block_number: blockNumber,
    source: z.enum(["indexed", "resolver_change", "live"]).openapi({
      description:
        "`indexed`: set by an event; `resolver_change`: a new resolver ended the value; `live`: the current value, read on chain",
    }),
    resolver: address.optional(),
    transaction_hash: hash.optional(),
    truncated,
  })
  .openapi("TextHistoryEntry");

/** Where a period begins and ends. */
const periodFields = {
  from_timestamp: count,
  from_block: blockNumber.nullable().openapi({
    description: "Null, like `from_tx`, if time alone began the period: there is no block then",
  }),
  from_tx: hash.nullable().openapi({ description: "Null if `from_block` is null" }),
  to_timestamp: count
    .nullable()
    .openapi({ description: "The first second after the period; null for the current period" }),
  to_block: blockNumber.nullable().openapi({
    description: "Null, like `to_tx`, for the current period and if time alone ended it: see `ended_by`",
  }),
  to_tx: hash.nullable().openapi({ description: "Null if `to_block` is null" }),
  ended_by: endedBy.optional(),
};

/** Who owned a name for a time. */
export const ownershipPeriod = z
  .strictObject({
    address,
    title: contractTitle,
    chain,
    reason: z.enum(["registry", "registrar", "wrapper", "token"]).openapi({
      description: "The layer that decided the owner; `token`: the holder in an ENSv2 registry",
    }),
    event_type: z.string().nullable().openapi({
      description: "The event that began the period; null if time alone began it",
      example: "NameWrapped",
    }),
    ...periodFields,
  })
  .openapi("OwnershipPeriod");

/** What one layer, or the registry's resolver, held for a time. */
export const period = z
  .strictObject({ address, title: contractTitle, chain, ...periodFields })
  .openapi("Period");

/** A registration or renewal. */
export const registration = z
  .strictObject({
    contract: z.string().optional().openapi({ example: "CONTROLLER_22764821" }),
    chain,
    event_type: z.string().openapi({ example: "NameRegistered" }),
    block_number: blockNumber,
    transaction_hash: hash,
    merged_events: mergedEvents,
    cost_wei: decimal.nullable().openapi({
      description: "Base price and premium; null if no contract gave a price: auction deposits were refunded",
    }),
    cost_eth: z
      .string()
      .nullable()
      .openapi({ description: "`cost_wei` in ether; null if that is null", example: "0.0032" }),
    cost_usd: costUsd,
    cost_is_upper_bound: z.literal(true).optional().openapi({
      description: "Present if the contract logged the value sent, including the refunded surplus",
    }),
    payment: payment.optional().openapi({
      description: "Present if ENSv2 took the price in a token; `cost_wei` is then null",
    }),
    kind: z.enum(["registered", "migrated", "reserved"]).optional().openapi({
      description:
        "Present on registrations by an ENSv2 registry: `migrated` came from ENSv1; `reserved` waits for its ENSv1 owner and has no owner here",
    }),
    expiry_timestamp: decimal.nullable().openapi({
      description: "Unix seconds; null if no log gives it: auctioned names had no expiry",
      example: "1893456000",
    }),
    owner_address: address.nullable().openapi({
      description:
        "The account that received the name, EIP-55 checksummed; null on renewals and reservations, which have no owner",
    }),
  })
  .openapi("Registration");
