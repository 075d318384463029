import { z } from "@hono/zod-openapi";
import { address, blockNumber, bytes, count, hash } from "./valuesAnswer.ts";

export const position = z
  .string()
  .regex(/^[0-9a-f]{12}-[0-9]+$/)
  .openapi({
    description: "Opaque position in the feed, to send as `after`",
    example: "8f14e45fceea-1204",
  });

/** What a change changed: only the fields of its type are there. */
const value = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .openapi("ChangeValue", {
    description:
      "The complete value; its fields depend on the type of change. A text over 1,024 bytes is null, with its hash in `…_keccak256` and its length in `…_bytes`. Times and amounts are decimal digits",
    example: { owner_address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" },
  });

/** One change; fields that it does not have are absent. */
export const change = z
  .strictObject({
    position,
    state: z.enum(["new", "removed", "now"]).openapi({
      description:
        "`removed`: a reorganisation undid the change, and `new_value` is in force again. `now`: not a change, but a current value of a name (`resync`)",
    }),
    type: z.string().openapi({ example: "name.transferred" }),
    subject: z.string().optional().openapi({
      description:
        "Identifies what changed, with the same text in every change to it. Followers store `new_value` under it. Absent in markers",
      example: "owner:1:0xde9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f",
    }),
    chain: z.string().openapi({ example: "mainnet" }),
    domain: z
      .string()
      .optional()
      .openapi({ description: "The name as known at the change", example: "alice.eth" }),
    namehash: hash.optional(),
    resolver_address: address.optional(),
    block_number: blockNumber,
    block_hash: hash,
    block_timestamp: count,
    transaction_hash: hash.optional().openapi({ description: "Absent if no log caused the change" }),
    log_index: count.optional(),
    key: z.string().nullable().optional().openapi({
      description: "Key of a text; null if longer than 1,024 bytes. Absent in changes of anything else",
    }),
    key_hash: hash.optional(),
    key_keccak256: hash.optional(),
    key_bytes: count.optional(),
    version: count.optional().openapi({
      description:
        "For records: records of the name at this resolver with an earlier version are no longer in force",
    }),
    coin_type: z.string().optional(),
    address: bytes.optional().openapi({ description: "For primary names: the address" }),
    adapter_address: bytes.optional(),
    agent_id: z.string().optional(),
    labelhash: hash.optional(),
    due_timestamp: count
      .optional()
      .openapi({ description: "For changes by time alone: the second, in unix seconds" }),
    days: count.optional().openapi({ description: "`name.expires_in`: days before expiry" }),
    previous_position: position.nullable().optional().openapi({
      description:
        "`feed.started`: last position of the previous epoch; null if unknown. Absent in all other changes",
    }),
    old_value: value.nullable().optional().openapi({
      description: "Previous value; null if there was none. Absent in markers",
    }),
    new_value: value.nullable().optional().openapi({
      description: "Value from now on; null if there is none. Absent in markers",
    }),
    removed_position: position
      .optional()
      .openapi({ description: "`removed`: position of the change that was undone" }),
  })
  .openapi("Change");

/** The last block of a chain that the feed covers. */
export const feedBlock = z
  .strictObject({
    chain: z.string().openapi({ example: "mainnet" }),
    block_number: blockNumber,
    block_hash: hash,
    block_timestamp: count,
    final_block_number: blockNumber.openapi({ description: "Reorganisations do not go below this block" }),
  })
  .openapi("FeedBlock");
