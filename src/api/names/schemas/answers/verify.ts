import { z } from "@hono/zod-openapi";
import { blockNumber, count, hash, truncated } from "./values.ts";

const status = z.enum(["equal", "different", "not_compared"]);

const text = z.string().nullable();

/** A value of the index beside what the contracts say of it. */
export const comparedField = z
  .strictObject({
    table: z.string().openapi({ example: "domains" }),
    column: z.string().openapi({ example: "registry_owner" }),
    of: z.string().openapi({ description: "The name, and of a record which one at which resolver" }),
    status,
    index: text.openapi({ description: "What the index has; null for none" }),
    chain: text
      .optional()
      .openapi({ description: "What the contracts answer; null for none, absent where it was not compared" }),
    why: z.string().optional().openapi({ description: "Present where it was not compared" }),
    calls: z
      .array(z.strictObject({ to: z.string(), data: z.string() }))
      .optional()
      .openapi({ description: "Of a difference: the calls (`eth_call` at this block) that show it" }),
    truncated,
  })
  .openapi("ComparedField");

export const uncompared = z
  .enum(["layer2", "more_records", "resolver_not_indexed", "records_of_ensv2", "row_of_ensv2"])
  .openapi({
    description:
      "`layer2`: what the registry of a layer 2 says, which live answers do not ask; `more_records`: texts or addresses after the first ones; `resolver_not_indexed`: records of a resolver whose logs do not tell all; `records_of_ensv2`: records that have a number; `row_of_ensv2`: the name's row waits for what its entry says",
  });

export const verification = z
  .strictObject({
    domain: z.string(),
    namehash: hash,
    block_number: blockNumber,
    block_hash: hash,
    block_timestamp: count,
    status: status.openapi({
      description: "`different` if any field is, `equal` if none is and some were compared",
    }),
    compared: count.openapi({ description: "Fields that were compared" }),
    differences: count,
    not_compared: count,
    fields: z.array(comparedField),
    left_out: z.array(uncompared).openapi({ description: "What was not compared at all" }),
  })
  .openapi("Verification");
