import { z } from "@hono/zod-openapi";
import { address, bytes } from "./valuesAnswer.ts";

const word = z.string().openapi({ example: `0x${"0".repeat(63)}1` });

const named = z.strictObject({
  texts: z.array(z.string()).openapi({ description: "Keys" }),
  addresses: z.array(z.string()).openapi({ description: "Coin types" }),
});

const BY_INDEX =
  "From events of the resolver in force; absent unless requested by `types`, and in live answers";

/** Records of a name. */
export const records = z
  .strictObject({
    texts: z.record(z.string(), z.string()).openapi({
      description: "By key. Empty if there are none, or `types` does not request them",
      example: { url: "https://alice.example" },
    }),
    addresses: z.record(z.string(), bytes.or(z.string())).openapi({
      description:
        "By coin type (SLIP-44, ENSIP-11): checksummed for EVM chains, otherwise the resolver's bytes. With `coin_types`, what the resolver answers for each; otherwise, in indexed answers, what is stored. Empty if there are none, or `types` does not request them",
      example: { "60": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" },
    }),
    is_default: z
      .record(z.string(), z.literal(true))
      .optional()
      .openapi({
        description:
          "By coin type: addresses of `coin_types` that are not stored. For these, the resolver answers the address of the default coin type, 2147483648 (ENSIP-19). In live answers they cannot be told apart",
        example: { "60": true },
      }),
    contenthash: bytes.nullable().optional().openapi({
      description: "Null if there is none; absent if `types` does not request it",
    }),
    abi_types: z
      .array(z.string())
      .optional()
      .openapi({
        description: `Content types of ABIs that were set (ENSIP-4). One may have been emptied later, which no event shows. ${BY_INDEX}`,
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
      description:
        "Present if more than 100 ABIs, interfaces and public keys were set: only the newest are given",
    }),
    cleared: named.optional().openapi({
      description: "With `cleared`: records set and cleared since all records of the name were last cleared",
    }),
    never_set: named.optional().openapi({
      description: "With `cleared`: selected keys and coin types never set since then",
    }),
  })
  .openapi("Records");
