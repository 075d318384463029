import { z } from "@hono/zod-openapi";
import { address, bytes } from "./values.ts";

const word = z.string().openapi({ example: `0x${"0".repeat(63)}1` });

const named = z.strictObject({
  texts: z.array(z.string()).openapi({ description: "Keys" }),
  addresses: z.array(z.string()).openapi({ description: "Coin types" }),
});

const BY_INDEX =
  "By events of the resolver in force; absent unless `types` asks for it, and in an answer of the chain";

/** Records of a name. */
export const records = z
  .strictObject({
    texts: z.record(z.string(), z.string()).openapi({
      description: "By key. Empty if there are none, or `types` does not ask for them",
      example: { url: "https://alice.example" },
    }),
    addresses: z.record(z.string(), bytes.or(z.string())).openapi({
      description:
        "By coin type (SLIP-44, ENSIP-11): checksummed for EVM chains, else the bytes that the resolver holds. With `coin_types` what the resolver answers for each of them; else, by the index, what is stored. Empty if there are none, or `types` does not ask for them",
      example: { "60": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" },
    }),
    is_default: z
      .record(z.string(), z.literal(true))
      .optional()
      .openapi({
        description:
          "By coin type: which addresses of `coin_types` are not stored. The resolver answers the address of the default coin type, 2147483648, for them (ENSIP-19). Of a live answer the chain does not say which they are",
        example: { "60": true },
      }),
    contenthash: bytes.nullable().optional().openapi({
      description: "Null if there is none; absent if `types` does not ask for it",
    }),
    abi_types: z
      .array(z.string())
      .optional()
      .openapi({
        description: `Content types of ABIs that were set (ENSIP-4). No event says whether one was set to nothing later. ${BY_INDEX}`,
      }),
    interfaces: z
      .record(z.string(), address)
      .optional()
      .openapi({
        description: `Contracts by interface id (ENSIP-8). ${BY_INDEX}`,
      }),
    public_key: z
      .strictObject({ x: word, y: word })
      .nullable()
      .optional()
      .openapi({ description: `Null if there is none. ${BY_INDEX}` }),
    name: z
      .string()
      .nullable()
      .optional()
      .openapi({ description: `The \`name\` record; null if there is none. ${BY_INDEX}` }),
    is_incomplete: z.literal(true).optional().openapi({
      description: "Present if more than 100 ABIs, interfaces and public keys were set: the newest are given",
    }),
    cleared: named.optional().openapi({
      description: "What was set and cleared since all records of the name were last cleared; with `cleared`",
    }),
    never_set: named.optional().openapi({
      description: "Of the keys and coin types that were chosen, those never set since then; with `cleared`",
    }),
  })
  .openapi("Records");
