import { z } from "@hono/zod-openapi";
import { blockNumber, hash, truncated } from "./valuesAnswer.ts";

const REGISTRARS = "`REVERSE_REGISTRAR`, `DEFAULT_REVERSE_REGISTRAR` or `L2_REVERSE_REGISTRAR`";

const registrar = z.string().openapi({ example: "REVERSE_REGISTRAR", description: REGISTRARS });

/** The primary name of an address; null where it has none. */
export const primaryName = z
  .strictObject({
    primary_name: z.string().nullable().openapi({ description: "Null if it has none", example: "alice.eth" }),
    display: z.string().optional().openapi({ example: "Alice.eth" }),
    registrar: registrar
      .nullable()
      .openapi({ description: `${REGISTRARS}; null if there is no primary name` }),
  })
  .openapi("PrimaryName");

/** A name as an address claimed it, whether or not it resolved to the address. */
export const primaryNameEntry = z
  .strictObject({
    name: z.string().nullable().openapi({ description: "Null where the address cleared its name" }),
    is_name_known: z
      .literal(false)
      .optional()
      .openapi({ description: "Present if the name is null because no event gives it" }),
    registrar,
    chain: z.string().openapi({ description: "The chain of `block_number`" }),
    block_number: blockNumber,
    transaction_hash: hash,
    truncated,
  })
  .openapi("PrimaryNameEntry");
