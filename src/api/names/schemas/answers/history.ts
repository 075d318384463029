import { z } from "@hono/zod-openapi";
import { endedBy } from "./lifetime.ts";
import { payment } from "./payment.ts";
import { address, blockNumber, chain, count, decimal, hash, mergedEvents, truncated } from "./values.ts";

const valueKnown = z.literal(false).optional().openapi({
  description: "Present where the index cannot know the value: an old resolver logged the key alone",
});

/** The value of a text record since a block. */
export const textHistoryEntry = z
  .strictObject({
    value: z.string().nullable().openapi({
      description: "Null where it was cleared, or ended with its resolver; also with `value_known`",
    }),
    value_known: valueKnown,
    restored: z
      .strictObject({
        value: z.string().nullable().openapi({ description: "Null with `value_known` alone" }),
        value_known: valueKnown,
        block_number: blockNumber,
        transaction_hash: hash,
        truncated,
      })
      .optional()
      .openapi({
        description:
          "With `resolver_change`: the value that the new resolver holds since before, and where it was set. The record has it from this block on",
      }),
    block_number: blockNumber,
    source: z.enum(["indexed", "resolver_change", "live"]).openapi({
      description:
        "`indexed`: set by an event; `resolver_change`: a new resolver ended the value; `live`: the value now, resolved on chain",
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
    description: "Null, as `from_tx`, where time alone began the period: there is no block then",
  }),
  from_tx: hash.nullable().openapi({ description: "Null where `from_block` is" }),
  to_timestamp: count
    .nullable()
    .openapi({ description: "The first second at which it no longer held; null for the current period" }),
  to_block: blockNumber.nullable().openapi({
    description: "Null, as `to_tx`, for the current period, and where time alone ended it: see `ended_by`",
  }),
  to_tx: hash.nullable().openapi({ description: "Null where `to_block` is" }),
  ended_by: endedBy.optional(),
};

/** Who owned a name for a time. */
export const ownershipPeriod = z
  .strictObject({
    address,
    chain,
    reason: z.enum(["registry", "registrar", "wrapper", "token"]).openapi({
      description: "The layer that decided the owner; `token`: the holder in a registry of ENSv2",
    }),
    event_type: z.string().nullable().openapi({
      description: "The event that began the period; null where time alone began it",
      example: "NameWrapped",
    }),
    ...periodFields,
  })
  .openapi("OwnershipPeriod");

/** What one layer, or the registry's resolver, held for a time. */
export const period = z.strictObject({ address, chain, ...periodFields }).openapi("Period");

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
      description:
        "Base price and premium; null where no contract told a price: an auction's deposit was given back",
    }),
    cost_eth: z
      .string()
      .nullable()
      .openapi({ description: "`cost_wei` in ether; null where that is", example: "0.0032" }),
    cost_is_upper_bound: z.literal(true).optional().openapi({
      description: "Present where the contract logged the value sent, of which the surplus went back",
    }),
    payment: payment.optional().openapi({
      description: "Present where ENSv2 took the price, in a token; `cost_wei` is null then",
    }),
    kind: z.enum(["registered", "migrated", "reserved"]).optional().openapi({
      description:
        "Present on registrations by a registry of ENSv2: `migrated` came from ENSv1, `reserved` waits for its owner there and has none here",
    }),
    expiry_timestamp: decimal.nullable().openapi({
      description: "Unix seconds; null where no log tells it: an auctioned name had no end",
      example: "1893456000",
    }),
    owner_address: address.nullable().openapi({
      description:
        "Who got the name, EIP-55 checksummed; null on renewals and reservations, which name no owner",
    }),
  })
  .openapi("Registration");
