import { z } from "@hono/zod-openapi";
import { blockNumber, count, hash, truncated } from "./valuesAnswer.ts";

const status = z.enum(["equal", "different", "not_compared"]);

const text = z.string().nullable();

/** A value of the index beside what the contracts say of it. */
export const comparedField = z
  .strictObject({
    table: z.string().openapi({ example: "domains" }),
    column: z.string().openapi({ example: "registry_owner" }),
    of: z.string().openapi({ description: "The name and, for a record, the record and its resolver" }),
    status,
    index: text.openapi({ description: "Value in the index; null for none" }),
    chain: text
      .optional()
      .openapi({ description: "Value from the contracts; null for none, absent if not compared" }),
    why: z.string().optional().openapi({ description: "Present if not compared" }),
    calls: z
      .array(z.strictObject({ to: z.string(), data: z.string() }))
      .optional()
      .openapi({ description: "For a difference: the calls (`eth_call` at this block) that show it" }),
    truncated,
  })
  .openapi("ComparedField");

export const uncompared = z
  .enum(["layer2", "more_records", "resolver_not_indexed", "records_of_ensv2", "row_of_ensv2"])
  .openapi({
    description:
      "`layer2`: data in a layer 2's registry, which live answers do not read; `more_records`: texts or addresses beyond the first ones; `resolver_not_indexed`: records of a resolver whose logs are incomplete; `records_of_ensv2`: records with a number; `row_of_ensv2`: the name's row still waits for its entry's data",
  });

export const verification = z
  .strictObject({
    domain: z.string(),
    namehash: hash,
    block_number: blockNumber,
    block_hash: hash,
    block_timestamp: count,
    status: status.openapi({
      description: "`different` if any field is; `equal` if none is and some were compared",
    }),
    compared: count.openapi({ description: "Compared fields" }),
    differences: count,
    not_compared: count,
    fields: z.array(comparedField),
    left_out: z.array(uncompared).openapi({ description: "What was not compared" }),
  })
  .openapi("Verification");
