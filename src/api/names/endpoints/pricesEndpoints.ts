import { z } from "@hono/zod-openapi";
import { ApiError } from "../../server/errors/errors.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import { mapYielding } from "../../server/scheduling/turns.ts";
import { bulkPrice, namePrice } from "../schemas/answers.ts";
import { input, type ParsedName, parseName } from "../schemas/input.ts";
import { toInvalidItem, toItemError } from "../serializers/toDomain.ts";
import { checkItems, parseOr } from "./bulkItems.ts";
import { type Quoted, quoteNames } from "./prices/quote.ts";

/** Names in one bulk request. */
export const MAX_PRICED = 100;

/** Labels of all names together. */
export const MAX_PRICED_LABELS = 1_000;

const HOW =
  "The price in force: what the contract that sells the name charges for a registration, including the premium of a recently ended name, and for a renewal. Prices are in wei on ENSv1, Base and Linea, in each payment token in ENSv2, and always in dollars. The oracle is found through the contract at the block, and its parameters are read once per block for all callers, so a price adds no reads of the chain. Only registrar names have a price: second-level .eth names, and names directly under the managed name of an indexed layer 2. The whole answer, including the state, is as of `price_block`; in the next block the premium is lower and the price of ether may differ. Contracts refund any surplus.";

const price = endpoint({
  method: "get",
  path: "/domain/{name}/price",
  group: "Domains",
  summary: "Registration and renewal price of a name",
  description: `${HOW} Without a node, the request fails with LIVE_RESOLUTION_FAILED: the index knows no prices.`,
  params: z.object({ name: input.name() }),
  query: z.object({ years: input.years() }),
  reply: namePrice,
  errors: ["INVALID_NAME", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: { name: "get_price", view: "one" },
  handle: async ({ name, years = [1] }, ctx) => {
    const [quoted] = (await quoteNames(ctx, { names: [name], years })) as [Quoted];
    if (quoted instanceof ApiError) throw quoted;
    return quoted;
  },
});

const body = z
  .object({
    names: input.texts({
      description: "Full names",
      example: ["grace.eth", "alice.eth"],
      minItems: 1,
      maxItems: MAX_PRICED,
    }),
  })
  .superRefine(({ names }, issues) =>
    checkItems({ names }, issues, {
      maxItems: MAX_PRICED,
      maxLabels: MAX_PRICED_LABELS,
      what: "names",
      fields: "`names`",
    }),
  );

const priceBulk = endpoint({
  method: "post",
  path: "/price/bulk",
  group: "Domains",
  summary: "Prices of many names",
  description: `${HOW} Up to ${MAX_PRICED} names, of up to ${MAX_PRICED_LABELS.toLocaleString("en")} labels together. Results keep the order. An item that is invalid, or whose price could not be read, does not fail the others: its error stands in its place.`,
  query: z.object({ years: input.years() }),
  body,
  reply: z.strictObject({ results: z.array(bulkPrice) }),
  errors: ["LIMIT_EXCEEDED"],
  cost: ({ names }) => names.length,
  tool: { name: "get_price", view: "many" },
  handle: async ({ names, years = [1] }, ctx) => {
    const items = await mapYielding(names, (query) => parseOr(query, parseName, toInvalidItem));
    const valid = items.filter((item): item is ParsedName => !("error" in item));
    const quotes = await quoteNames(ctx, { names: valid, years });
    const byItem = new Map(valid.map((item, i) => [item, quotes[i] as Quoted]));
    const results = items.map((item) => {
      if ("error" in item) return item;
      const quoted = byItem.get(item) as Quoted;
      const { query, name } = item;
      return quoted instanceof ApiError
        ? { query, domain: name, error: toItemError(quoted) }
        : { query, ...quoted };
    });
    return { results };
  },
});

export const priceEndpoints = [price, priceBulk];
