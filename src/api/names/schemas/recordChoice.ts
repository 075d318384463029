import { z } from "@hono/zod-openapi";
import { input, wordsOf } from "./input.ts";

/** Kinds of records that a caller may choose from, and those that are given where none is chosen. */
export const recordTypes = ["text", "addr", "contenthash", "abi", "interface", "pubkey", "name"] as const;
export type RecordType = (typeof recordTypes)[number];
const usualTypes: RecordType[] = ["text", "addr", "contenthash"];

/** Which records of a name a caller asks for. */
export type RecordsAsked = {
  types: readonly RecordType[];
  /** Keys of texts; undefined for all. */
  keys?: readonly string[] | undefined;
  /** Undefined for all. */
  coinTypes?: readonly bigint[] | undefined;
  /** Whether also those that were set once and cleared. */
  cleared: boolean;
};

/** Characters of a key. */
export const MAX_KEY = 1_024;
/** Keys, and coin types, that one request chooses. */
export const MAX_CHOSEN = 100;
/** Coin types are numbers of 256 bits. */
const COIN_TYPE = /^(0|[1-9][0-9]{0,77})$/;

const refuse = (issues: z.core.$RefinementCtx, message: string) => {
  issues.addIssue({ code: "custom", message, params: { code: "INVALID_PARAMETER" } });
  return z.NEVER;
};

/** Checks keys that a caller chose. */
function checkKeys(keys: readonly string[], issues: z.core.$RefinementCtx): readonly string[] {
  if (keys.length > MAX_CHOSEN) return refuse(issues, `\`keys\` has more than ${MAX_CHOSEN} keys.`);
  if (keys.some((key) => key.length > MAX_KEY)) {
    return refuse(issues, `\`keys\` has a key longer than ${MAX_KEY} characters.`);
  }
  return [...new Set(keys)];
}

/** Reads coin types that a caller chose. */
function readCoinTypes(words: readonly string[], issues: z.core.$RefinementCtx): readonly bigint[] {
  if (words.length > MAX_CHOSEN)
    return refuse(issues, `\`coin_types\` has more than ${MAX_CHOSEN} coin types.`);
  if (!words.every((word) => COIN_TYPE.test(word) && BigInt(word) < 2n ** 256n)) {
    return refuse(issues, "`coin_types` must be coin types in decimal digits.");
  }
  return [...new Set(words.map(BigInt))];
}

const KEYS = `Text keys to return, at most ${MAX_CHOSEN}; all by default`;
const COIN_TYPES = `Coin types of addresses to return, at most ${MAX_CHOSEN}; all by default`;
const CLEARED =
  "also return records that were set and cleared, and selected keys and coin types that were never set";

/** The choice in a query. */
export const recordChoice = {
  types: input
    .list(recordTypes, "types", `Kinds of records, separated by commas; ${usualTypes.join(", ")} by default`)
    .optional(),
  keys: z
    .string()
    .transform((text, issues) => checkKeys(text.split(","), issues))
    .openapi({
      type: "string",
      description: `${KEYS}. Separated by commas; a key that contains one can be read with \`POST /lookup\`, or by itself`,
      example: "avatar,url",
    })
    .optional(),
  coin_types: z
    .string()
    .transform((text, issues) => readCoinTypes(wordsOf(text), issues))
    .openapi({ type: "string", description: `${COIN_TYPES}. Separated by commas`, example: "60,0" })
    .optional(),
  cleared: input.flag("cleared", `\`true\`: ${CLEARED}`),
};

/** The choice in a body. */
export const recordChoiceBody = z
  .strictObject({
    types: z
      .array(z.enum(recordTypes))
      .max(recordTypes.length)
      .optional()
      .openapi({
        description: `Kinds of records; ${usualTypes.join(", ")} by default`,
      }),
    keys: input
      .texts({ description: KEYS, example: ["avatar", "url"], maxItems: MAX_CHOSEN })
      .transform(checkKeys)
      .optional(),
    coin_types: input
      .texts({ description: COIN_TYPES, example: ["60", "0"], maxItems: MAX_CHOSEN })
      .transform(readCoinTypes)
      .optional(),
    cleared: z.boolean().default(false).openapi({ description: CLEARED }),
  })
  .openapi("RecordChoice");

type Choice = z.output<typeof recordChoiceBody>;

export const recordsAsked = ({ types = usualTypes, keys, coin_types, cleared }: Choice): RecordsAsked => ({
  types,
  keys,
  coinTypes: coin_types,
  cleared,
});
