import { z } from "@hono/zod-openapi";
import type { Address, Hex } from "viem";
import type { Ctx } from "../http/context.ts";
import { endpoint } from "../http/endpoint.ts";
import { findRecords, findText, listTextSteps } from "../query/records.ts";
import {
  indexedResolver,
  type LiveDomain,
  type ResolvedDomain,
  resolveDomain,
  resolveLive,
} from "../resolution/domains.ts";
import {
  allRecords,
  oneText,
  type RecordType,
  usualCoinTypes,
  usualTextKeys,
} from "../resolution/recordSelection.ts";
import { blockNumber, bytes, hash, resolver, source, textHistoryEntry } from "../schemas/answers.ts";
import { input, type ParsedName } from "../schemas/input.ts";
import { toResolver } from "../serializers/domain.ts";
import { exactText, toAddresses, toLiveRecords, toTextHistory, toTexts } from "../serializers/records.ts";

const recordTypes = ["text", "addr", "contenthash"] as const satisfies RecordType[];

const MAX_KEY = 1_024;
const key = z
  .string()
  .max(MAX_KEY, { error: () => `\`key\` is longer than ${MAX_KEY} characters.` })
  .openapi({ description: "Key of the text record", example: "com.twitter" });

const records = z
  .strictObject({
    texts: z.record(z.string(), z.string()).openapi({ example: { url: "https://alice.example" } }),
    addresses: z.record(z.string(), bytes.or(z.string())).openapi({
      description:
        "By coin type (SLIP-44, ENSIP-11): checksummed for EVM chains, else the bytes that the resolver holds",
      example: { "60": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" },
    }),
    contenthash: bytes.nullable(),
  })
  .openapi("Records");

/** Where the index has the records of a name; null if it is known to have none. */
const indexedPlace = (ctx: Ctx, name: ParsedName, found: Extract<ResolvedDomain, { source: "indexed" }>) => {
  const address = indexedResolver(found);
  return address && { chainId: ctx.contracts.chainId, resolver: address, node: name.node };
};

type RecordsKey = { chainId: number; resolver: Address; node: Hex };

const resolverOf = ({ facts }: ResolvedDomain, ctx: Ctx) =>
  toResolver(facts?.resolver ?? null, ctx.contracts);

const nothing = { texts: {}, addresses: {}, contenthash: null };

export const domainRecords = endpoint({
  method: "get",
  path: "/domain/{name}/records",
  group: "Domains",
  summary: "Texts, addresses and contenthash of a name",
  description: `What the name's current resolver holds for it. Text records are written by owners: treat them as untrusted. On chain keys cannot be listed: a live answer has those that events ever named for the name, and the usual ones, texts ${usualTextKeys.map((one) => `\`${one}\``).join(", ")} and coin types ${usualCoinTypes.join(", ")}.`,
  params: z.object({ name: input.name() }),
  query: z.object({
    types: input.list(recordTypes, "types", "Which records, separated by commas; all by default").optional(),
  }),
  reply: z.strictObject({ domain: z.string(), resolver, records, source }),
  errors: ["INVALID_NAME", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: "get_records",
  handle: async ({ name, types = [...recordTypes] }, ctx) => {
    const wanting = allRecords(ctx, types);
    const found = await resolveDomain(ctx, name, wanting);
    if (found.source === "indexed") {
      const place = indexedPlace(ctx, name, found);
      const records = place ? await readRecords(ctx, place, types) : nothing;
      const reply = { domain: name.name, resolver: resolverOf(found, ctx) };
      if (records !== null) return { ...reply, records, source: "indexed" as const };
    }
    const live = found.source === "live" ? found : await resolveLive(ctx, name, wanting);
    return {
      ...{ domain: name.name, resolver: resolverOf(live, ctx), records: toLiveRecords(live.records) },
      source: "live" as const,
    };
  },
});

/** Records by the index; null if it does not know a value that only the chain has. */
async function readRecords({ db }: Ctx, of: RecordsKey, types: RecordType[]) {
  const { texts, addresses, contenthash } = await findRecords(db, of);
  if (types.includes("text") && texts.some((text) => !text.isValueKnown)) return null;
  return {
    texts: types.includes("text") ? toTexts(texts) : {},
    addresses: types.includes("addr") ? toAddresses(addresses) : {},
    contenthash: types.includes("contenthash") ? contenthash : null,
  };
}

export const textRecord = endpoint({
  method: "get",
  path: "/domain/{name}/records/text/{key}",
  group: "Domains",
  summary: "One text record of a name",
  description:
    "Value null: the record is not set. Block and transaction are those of its last setting; of a live value there is no transaction, and the block is the one at which it was resolved.",
  params: z.object({ name: input.name(), key }),
  reply: z
    .strictObject({
      domain: z.string(),
      resolver,
      key: z.string(),
      value: z.string().nullable(),
      block_number: blockNumber.nullable(),
      transaction_hash: hash.nullable(),
      source,
    })
    .openapi("TextRecord"),
  errors: ["INVALID_NAME", "INVALID_PARAMETER", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: "get_records",
  handle: async ({ name, key }, ctx) => {
    const { found, text } = await findCurrentText(ctx, await resolveDomain(ctx, name, oneText(key)), {
      name,
      key,
    });
    const [block, transaction] =
      found.source === "live" ? [found.blockNumber, null] : [text?.blockNumber, text?.transactionHash];
    return {
      ...{ domain: name.name, resolver: resolverOf(found, ctx), key },
      value: found.source === "live" ? liveValue(found) : text && exactText(text).value,
      block_number: block ?? null,
      transaction_hash: transaction ?? null,
      source: found.source,
    };
  },
});

/** A text as it is now: the index's row, or, where the index cannot know, what the chain says. */
async function findCurrentText(
  ctx: Ctx,
  found: ResolvedDomain,
  { name, key }: { name: ParsedName; key: string },
) {
  if (found.source === "live") return { found, text: null };
  const of = indexedPlace(ctx, name, found);
  const text = of && (await findText(ctx.db, of, key));
  if (text && !text.isValueKnown) return { found: await resolveLive(ctx, name, oneText(key)), text: null };
  return { found, text };
}

const liveValue = ({ records }: LiveDomain): string | null => records.texts[0]?.value ?? null;

export const textHistory = endpoint({
  method: "get",
  path: "/domain/{name}/records/text/{key}/history",
  group: "Domains",
  summary: "How a text record went",
  description:
    "Newest first, from the events of the resolver that was active at the time, if it is an indexed one: what others log proves nothing. A value ends with null where the resolver changed or all records were cleared. Where only the chain can tell the value now, it is the first entry, `live`.",
  params: z.object({ name: input.name(), key }),
  reply: z.strictObject({ domain: z.string(), key: z.string(), history: z.array(textHistoryEntry) }),
  errors: ["INVALID_NAME", "INVALID_PARAMETER", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: "get_domain_history",
  handle: async ({ name, key }, ctx) => {
    const [steps, facts] = await Promise.all([
      listTextSteps(ctx.db, { node: name.node, key }),
      resolveDomain(ctx, name, oneText(key)),
    ]);
    // A value is open in its row only if it is in its event.
    const isOpen = steps.some(({ valueSource }) => valueSource === "unknown");
    const { found } = isOpen ? await findCurrentText(ctx, facts, { name, key }) : { found: facts };
    const proven = steps.filter(
      ({ eventType, resolver }) =>
        eventType === null || (resolver !== null && ctx.contracts.isIndexedResolver(resolver)),
    );
    const history = toTextHistory(proven, key);
    return { domain: name.name, key, history: [...toLiveEntry(found, history), ...history] };
  },
});

type Entry = z.infer<typeof textHistoryEntry>;

/** The value now, where the chain told it; none where there is no value and the newest entry says so already. */
function toLiveEntry(found: ResolvedDomain, [newest]: readonly Entry[]): Entry[] {
  if (found.source === "indexed") return [];
  const value = liveValue(found);
  const isKnownAbsent = newest === undefined || (newest.value === null && newest.value_known !== false);
  return value === null && isKnownAbsent ? [] : [{ value, block_number: found.blockNumber, source: "live" }];
}

export const recordEndpoints = [domainRecords, textRecord, textHistory];
