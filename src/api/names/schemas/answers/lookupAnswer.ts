import { z } from "@hono/zod-openapi";
import { addressDomainItem, askedDomain, unknownDomain, unresolved } from "./domainAnswer.ts";
import { primaryName } from "./primaryNameAnswer.ts";
import { records } from "./recordsAnswer.ts";
import { address, count, decimal, source } from "./valuesAnswer.ts";

const input = z.string().openapi({ description: "As sent", example: "alice.eth" });
const error = z.strictObject({ code: z.string(), message: z.string() });

/** The discriminant of results. */
const kindOf = <Kind extends string>(kind: Kind) =>
  z.literal(kind).openapi({ description: "Which fields the result has" });

const CURSOR = "Send as an input, with the same `records`, to continue";

/** An input that is neither a name, nor a namehash, nor an address, nor a cursor. */
export const invalidInput = z
  .strictObject({ kind: kindOf("invalid"), input, status: z.literal("invalid"), error })
  .openapi("InvalidInput");

/** An input that the answer has no room for. */
export const leftOut = z
  .strictObject({
    kind: kindOf("left_out"),
    input,
    status: z.literal("left_out"),
    cursor: z
      .string()
      .optional()
      .openapi({ description: `${CURSOR}; absent if \`error\` says why it would not help` }),
    error: error.optional(),
  })
  .openapi("LeftOutInput");

const check = z
  .strictObject({
    address: address.nullable().openapi({ description: "The name's Ethereum address; null if it has none" }),
    primary_name: z.string().nullable().optional().openapi({
      description: "The primary name of that address; null if it has none, absent if `unresolved` says why",
    }),
    is_primary: z.boolean().optional().openapi({ description: "Whether it is this name" }),
    unresolved: unresolved.optional(),
  })
  .openapi("PrimaryNameCheck");

/** A name of a batch. */
export const lookedUpName = z
  .strictObject({
    kind: kindOf("name"),
    input,
    status: z.enum(["ok", "not_found", "unresolved", "partial"]).openapi({
      description:
        "`ok`; `not_found`: nobody has the name, `domain` has its state; `unresolved`: something could not be found out, `error` says why, and the rest is certain; `partial`: there are more records, continue with `cursor`",
    }),
    error: error.optional(),
    domain: z.union([askedDomain, unknownDomain]),
    records: records.optional(),
    records_source: source.optional(),
    unresolved: unresolved.optional().openapi({ description: "Records that could not be found out" }),
    primary_name_check: check.optional().openapi({
      description: "Absent unless requested, and if the name could not be resolved",
    }),
    cursor: z.string().optional().openapi({ description: CURSOR }),
  })
  .openapi("LookedUpName");

const ofCoinType = { coin_type: decimal };

/** An address of a batch. */
export const lookedUpAddress = z
  .strictObject({
    kind: kindOf("address"),
    input,
    status: z.enum(["ok", "unresolved"]),
    error: error.optional(),
    address,
    primary_names: z.array(
      z.union([
        z.strictObject({ ...ofCoinType, ...primaryName.shape, source }).openapi("PrimaryNameOfCoinType"),
        z.strictObject({ ...ofCoinType, unresolved }).openapi("UnresolvedPrimaryNameOfCoinType"),
      ]),
    ),
    names: z
      .array(
        z.strictObject({
          relation: z.string().openapi({ example: "effective_owner" }),
          total: count,
          results: z.array(addressDomainItem),
          next_cursor: z.string().nullable().optional().openapi({
            description:
              "For `GET /address/{address}/domains` with this relation; null if there are no more, absent if the list has no cursors",
          }),
        }),
      )
      .optional()
      .openapi({ description: "The first 25 names for each requested relation" }),
  })
  .openapi("LookedUpAddress");
