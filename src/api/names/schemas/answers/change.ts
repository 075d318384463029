import { z } from "@hono/zod-openapi";
import { address, blockNumber, bytes, count, hash } from "./values.ts";

export const position = z
  .string()
  .regex(/^[0-9a-f]{12}-[0-9]+$/)
  .openapi({
    description: "A position in the feed: give it as `after`. Nothing can be read from its text",
    example: "8f14e45fceea-1204",
  });

/** What a change changed: only the fields of its type are there. */
const value = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .openapi("ChangeValue", {
    description:
      "The value, whole: fields by the type of change. A text of more than 1,024 bytes is null here, with its hash in `…_keccak256` and its length in `…_bytes`. Times and amounts are decimal digits",
    example: { owner_address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" },
  });

/** One change; fields that it does not have are absent. */
export const change = z
  .strictObject({
    position,
    state: z.enum(["new", "removed", "now"]).openapi({
      description:
        "`removed`: a reorganisation took the change back, and `new_value` holds again. `now`: no change, but a value of a name as it is (`resync`)",
    }),
    type: z.string().openapi({ example: "name.transferred" }),
    subject: z.string().optional().openapi({
      description:
        "What changed, the same text in every change of it. A follower stores `new_value` by it. Absent in markers",
      example: "owner:1:0xde9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f",
    }),
    chain: z.string().openapi({ example: "mainnet" }),
    domain: z
      .string()
      .optional()
      .openapi({ description: "The name, as it was known at the change", example: "alice.eth" }),
    namehash: hash.optional(),
    resolver_address: address.optional(),
    block_number: blockNumber,
    block_hash: hash,
    block_timestamp: count,
    transaction_hash: hash.optional().openapi({ description: "Absent where no log brought the change" }),
    log_index: count.optional(),
    key: z.string().nullable().optional().openapi({
      description:
        "Texts: the key; null where it has more than 1,024 bytes. Absent in changes of anything else",
    }),
    key_hash: hash.optional(),
    key_keccak256: hash.optional(),
    key_bytes: count.optional(),
    version: count.optional().openapi({
      description: "Records: those of an earlier version than the name's at the resolver no longer hold",
    }),
    coin_type: z.string().optional(),
    address: bytes.optional().openapi({ description: "Primary names: whose it is" }),
    adapter_address: bytes.optional(),
    agent_id: z.string().optional(),
    labelhash: hash.optional(),
    due_timestamp: count
      .optional()
      .openapi({ description: "The second at which time brought the change, in unix seconds" }),
    days: count.optional().openapi({ description: "`name.expires_in`: days before the end" }),
    previous_position: position.nullable().optional().openapi({
      description:
        "`feed.started`: where the epoch before ended; null if unknown. Absent in all other changes",
    }),
    old_value: value.nullable().optional().openapi({
      description: "The value before; null if there was none. Absent in markers",
    }),
    new_value: value.nullable().optional().openapi({
      description: "The value from now on; null if there is none any more. Absent in markers",
    }),
    removed_position: position
      .optional()
      .openapi({ description: "`removed`: the position of the change that was taken back" }),
  })
  .openapi("Change");

/** The block of a chain as of which the feed is. */
export const feedBlock = z
  .strictObject({
    chain: z.string().openapi({ example: "mainnet" }),
    block_number: blockNumber,
    block_hash: hash,
    block_timestamp: count,
    final_block_number: blockNumber.openapi({ description: "No reorganisation goes below it" }),
  })
  .openapi("FeedBlock");
