import { z } from "@hono/zod-openapi";
import { namehash } from "viem";
import { endpoint } from "../../server/http/endpoint.ts";
import { mapYielding } from "../../server/scheduling/turns.ts";
import { type DomainResult, orThrow, resolveNames } from "../resolution/resolveDomains.ts";
import { endingExpiryOf } from "../rules/lifeEnds.ts";
import type { Availability } from "../rules/stages.ts";
import {
  askedDomain,
  bulkDomain,
  bulkUnknownDomain,
  count,
  invalidItem,
  unknownDomain,
} from "../schemas/answers.ts";
import { input, parseHash, parseName } from "../schemas/input.ts";
import { toAskedRecord, toInvalidItem, toItem } from "../serializers/toDomain.ts";
import { checkItems, parseOr } from "./bulkItems.ts";

const whois = endpoint({
  method: "get",
  path: "/whois/{name}",
  group: "Domains",
  summary: "Details of a name",
  description:
    "Owner, expiry, resolver and state of a name. The chain is read (`source` is `live`) if the name's resolver is not indexed, if it has no resolver, or if no event named it and an ancestor's resolver may answer for it. A label that the index knows only by its hash is shown as you sent it: its hash proves it. A name about which nothing is known has only a state.",
  params: z.object({ name: input.name() }),
  query: z.object({ partial: input.partial() }),
  reply: askedDomain.or(unknownDomain),
  errors: ["INVALID_NAME", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: "whois",
  handle: async ({ name, partial }, ctx) => {
    const [result] = await resolveNames(ctx, [name], { details: true });
    return toAskedRecord(name, partial ? result : orThrow(result), ctx);
  },
});

/** Items in one bulk request: the contract's limit. */
const MAX_ITEMS = 500;
/** Labels of all names together: ten for each of 500 names, though most have two. Each may be an ancestor to look up. */
export const MAX_LABELS = 5_000;

const bulkFields = z.object({
  names: input
    .texts({ description: "Full names", example: ["alice.eth", "wrapped.eth"], maxItems: MAX_ITEMS })
    .optional(),
  namehashes: input
    .texts({
      description: "Namehashes: 0x and 64 hexadecimal digits",
      example: [namehash("grace.eth")],
      maxItems: MAX_ITEMS,
    })
    .optional(),
});

/** 1 to 500 items. An invalid item does not fail the others: its error takes its place. */
const bulkBody = bulkFields.superRefine(({ names = [], namehashes = [] }, issues) =>
  checkItems({ names, others: namehashes.length }, issues, {
    maxItems: MAX_ITEMS,
    maxLabels: MAX_LABELS,
    what: "names and namehashes together",
    fields: "`names` or `namehashes`",
  }),
);

const summary = z
  .strictObject({
    total: count,
    registered: count,
    grace: count,
    premium: count,
    available: count,
    unknown: count,
    expiring_30d: count,
  })
  .openapi("BulkSummary");

const whoisBulk = endpoint({
  method: "post",
  path: "/whois/bulk",
  group: "Domains",
  summary: "Many names",
  description:
    "Up to 500 names and namehashes; names of up to 5,000 labels together. Results keep the order: names first, then namehashes. An item that is invalid, or that only the chain could answer and did not, does not fail the others: its error stands beside what is known.",
  query: z.object({ partial: input.partial() }),
  body: bulkBody,
  reply: z.strictObject({ results: z.array(z.union([bulkDomain, bulkUnknownDomain, invalidItem])), summary }),
  errors: ["LIMIT_EXCEEDED"],
  cost: ({ names = [], namehashes = [] }) => names.length + namehashes.length,
  tool: "whois_bulk",
  handle: async ({ names = [], namehashes = [], partial }, ctx) => {
    const items = [
      ...(await mapYielding(names, (query) => parseOr(query, parseName, toInvalidItem))),
      ...namehashes.map((query) =>
        parseOr(query, (hash) => ({ query, node: parseHash(hash) }), toInvalidItem),
      ),
    ];
    const valid = items.filter(isValid);
    const results = await resolveNames(ctx, valid, { details: true });
    const resultOf = new Map(valid.map((item, i) => [item, results[i] as DomainResult]));
    const entries = await mapYielding(items, (item) => {
      if (!isValid(item)) return item;
      const result = resultOf.get(item) as DomainResult;
      return toItem(toAskedRecord(item, result, ctx), result, { partial });
    });
    return { results: entries, summary: toSummary(entries, ctx.now) };
  },
});

type InvalidItem = z.infer<typeof invalidItem>;

const isValid = <T extends object>(item: T | InvalidItem): item is T => !("error" in item);

type Result = { availability_status: Availability } & Partial<Parameters<typeof endingExpiryOf>[0]>;

const THIRTY_DAYS = 30 * 86_400;

function toSummary(results: Result[], now: number): z.infer<typeof summary> {
  const having = (status: Result["availability_status"]) =>
    results.filter(({ availability_status }) => availability_status === status).length;
  const expiring = results.filter(({ availability_status, expiry_timestamp, ownership, wrapper }) => {
    if (availability_status !== "registered" || !expiry_timestamp || !ownership) return false;
    const expiry = Number(endingExpiryOf({ expiry_timestamp, ownership, wrapper }) ?? 0);
    return expiry > now && expiry <= now + THIRTY_DAYS;
  });
  return {
    total: results.length,
    registered: having("registered"),
    grace: having("grace"),
    premium: having("premium"),
    available: having("available"),
    unknown: having("unknown"),
    expiring_30d: expiring.length,
  };
}

export const whoisEndpoints = [whois, whoisBulk];
