import { z } from "@hono/zod-openapi";
import { ApiError } from "../../server/errors/errors.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import {
  type PrimaryNameResult,
  readVerifiedNames,
  resolvePrimaryNames,
} from "../resolution/resolvePrimaryNames.ts";
import { primaryName } from "../schemas/answers.ts";
import { input, parseAddress } from "../schemas/input.ts";
import { toAddress } from "../serializers/hex.ts";
import { toPrimaryName } from "../serializers/toAddress.ts";
import type { SerializeContext } from "../serializers/toDomain.ts";
import { checkItems, parseOr } from "./bulkItems.ts";

/** Addresses in one bulk request: the contract's limit. */
const MAX_ADDRESSES = 200;

const bulkBody = z
  .object({
    addresses: input.texts({
      description: "Addresses: 0x and 40 hexadecimal digits, in any case",
      example: ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"],
      minItems: 1,
      maxItems: MAX_ADDRESSES,
    }),
  })
  .superRefine(({ addresses }, issues) =>
    checkItems({ others: addresses.length }, issues, {
      maxItems: MAX_ADDRESSES,
      what: "addresses",
      fields: "`addresses`",
    }),
  );

const spellings = {
  query: z.string().openapi({ description: "The address as sent" }),
  other_queries: z
    .array(z.string())
    .optional()
    .openapi({ description: "Other spellings of the address, if it was sent in several" }),
};

const unanswered = z
  .strictObject({
    ...spellings,
    error: z.strictObject({
      code: z.enum(["INVALID_ADDRESS", "LIVE_RESOLUTION_FAILED", "LIMIT_EXCEEDED"]),
      message: z.string(),
    }),
  })
  .openapi("UnansweredPrimaryName");

const answered = z.strictObject({ ...primaryName.shape, ...spellings }).openapi("AnsweredPrimaryName");

type Unanswered = z.infer<typeof unanswered>;

const primaryNamesBulk = endpoint({
  method: "post",
  path: "/address/primary-names/bulk",
  group: "Addresses",
  summary: "Primary names of many addresses",
  description:
    "Up to 200 addresses. `results` is keyed by checksummed address, with `query` as sent and other spellings in `other_queries`. Values are null for an address without a primary name. An entry with `error` has no `primary_name`, because it could not be found out: the address is invalid, and its key is the text sent; or only the chain can tell its name; or the claimed names have more than 5,000 labels together (`LIMIT_EXCEEDED`). Such entries do not fail the others.",
  body: bulkBody,
  reply: z.strictObject({
    results: z.record(z.string(), z.union([answered, unanswered])).openapi({
      description:
        "By checksummed address (EIP-55), however it was spelled; invalid addresses are keyed by the text sent",
    }),
  }),
  errors: ["LIMIT_EXCEEDED"],
  cost: ({ addresses }) => addresses.length,
  tool: { name: "get_primary_names", view: "current" },
  handle: async ({ addresses }, ctx) => {
    const items = [...new Set(addresses)].map((text) => ({
      text,
      parsed: parseOr(text, parseAddress, (_, error) => error),
    }));
    const textsOf = Map.groupBy(items, ({ parsed, text }) => (parsed instanceof ApiError ? text : parsed));
    const valid = [...new Set(items.flatMap(({ parsed }) => (parsed instanceof ApiError ? [] : [parsed])))];
    const asked = valid.map((address) => ({ address }));
    const primaryNames = await resolvePrimaryNames(ctx, asked);
    const byAddress = new Map(valid.map((address, i) => [address, primaryNames[i] as PrimaryNameResult]));
    const results = [...textsOf.values()].map((spellings) => {
      const [{ text, parsed }, ...others] = spellings as [(typeof items)[number], ...typeof items];
      if (parsed instanceof ApiError) return [text, toUnanswered(text, parsed)];
      const entry = toEntry(text, byAddress.get(parsed) as PrimaryNameResult, ctx);
      const otherQueries = others.length > 0 && { other_queries: others.map(({ text }) => text) };
      return [toAddress(parsed), { ...entry, ...otherQueries }];
    });
    return { results: Object.fromEntries(results) };
  },
});

const toEntry = (query: string, result: PrimaryNameResult, at: SerializeContext) =>
  result instanceof ApiError ? toUnanswered(query, result) : { ...toPrimaryName(result.primary, at), query };

const toUnanswered = (query: string, { code, message }: ApiError): Unanswered => ({
  query,
  error: { code: code as Unanswered["error"]["code"], message }, // Parsing and resolving throw no other code.
});

export const primaryNameEndpoints = [primaryNamesBulk];

/**
 * Primary names next to addresses on a page of the explorer: those that the index can verify, by lower-case address, and
 * whether they have an avatar. Internal: it has no route, and is free because the page has paid for its own operation.
 */
export const indexedPrimaryNames = endpoint({
  method: "post",
  path: "/explore/primary-names",
  group: "Addresses",
  summary: "Primary names from the index alone",
  body: bulkBody,
  reply: z.strictObject({
    names: z.record(z.string(), z.strictObject({ name: z.string(), has_avatar: z.boolean() })),
  }),
  errors: ["LIMIT_EXCEEDED"],
  cost: 0,
  handle: async ({ addresses }, ctx) => {
    const parsed = [...new Set(addresses.map(parseAddress))];
    const names = await readVerifiedNames(ctx, parsed);
    const named = parsed.flatMap((address, i) => {
      const found = names[i] ?? null;
      return found ? [[address, { name: found.name, has_avatar: found.hasAvatar }] as const] : [];
    });
    return { names: Object.fromEntries(named) };
  },
});
