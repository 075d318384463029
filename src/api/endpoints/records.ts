import { z } from "@hono/zod-openapi";
import type { Ctx } from "../http/context.ts";
import { endpoint } from "../http/endpoint.ts";
import { findRecords, findText } from "../query/records.ts";
import { listTextSteps } from "../query/textHistory.ts";
import {
  type LiveDomain,
  type ResolvedDomain,
  resolveLive,
  resolveWithRecords,
} from "../resolution/domains.ts";
import { type RecordsKey, recordsOf } from "../resolution/ensv2/records.ts";
import { answeringChain } from "../resolution/nameChains.ts";
import {
  allRecords,
  oneText,
  type RecordType,
  usualCoinTypes,
  usualTextKeys,
} from "../resolution/recordSelection.ts";
import {
  blockNumber,
  bytes,
  hash,
  historyFields,
  resolver,
  source,
  textHistoryEntry,
} from "../schemas/answers.ts";
import { input, type ParsedName } from "../schemas/input.ts";
import { cutText, truncatedOf } from "../serializers/cut.ts";
import { toResolver } from "../serializers/domain.ts";
import { historyFieldsOf, NEWEST } from "../serializers/historyPages.ts";
import {
  exactText,
  toAddresses,
  toLiveRecords,
  toTextHistoryEntry,
  toTexts,
} from "../serializers/records.ts";

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
    contenthash: bytes.nullable().optional().openapi({
      description: "Null if there is none; absent if `types` does not ask for it",
    }),
  })
  .openapi("Records");

/** Where the index has the records of a name; null if the name is known to have none. */
const recordsKeyOf = ({ state }: ResolvedDomain): RecordsKey | null => state && recordsOf(state);

const resolverOf = (resolved: ResolvedDomain, { contracts }: Ctx) =>
  toResolver(
    resolved.state ?? { resolver: null, chainId: contracts.chainId },
    contracts,
    resolved.source === "live" ? resolved.records.answeredBy : null,
  );

const noRecords = { texts: {}, addresses: {}, contenthash: null };

type AllRecords = z.infer<typeof records>;

/** A contenthash that was not asked for is left out: null would say that there is none. */
const selectTypes = ({ contenthash, ...others }: AllRecords, types: readonly RecordType[]): AllRecords =>
  types.includes("contenthash") ? { ...others, contenthash } : others;

const domainRecords = endpoint({
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
  hotAnswers: true,
  tool: "get_records",
  handle: async ({ name, types = [...recordTypes] }, ctx) => {
    const select = allRecords(ctx, types);
    const resolved = await resolveWithRecords(ctx, name, select);
    if (resolved.source === "indexed") {
      const key = recordsKeyOf(resolved);
      const records = key ? await readRecords(ctx, key, types) : noRecords;
      const reply = { domain: name.name, resolver: resolverOf(resolved, ctx) };
      if (records !== null)
        return { ...reply, records: selectTypes(records, types), source: "indexed" as const };
    }
    const live = resolved.source === "live" ? resolved : await resolveLive(ctx, name, select);
    return {
      ...{ domain: name.name, resolver: resolverOf(live, ctx) },
      records: selectTypes(toLiveRecords(live.records), types),
      source: "live" as const,
    };
  },
});

/** Records by the index; null if only the chain knows one of the values. */
async function readRecords({ db }: Ctx, key: RecordsKey, types: RecordType[]) {
  const { texts, addresses, contenthash } = await findRecords(db, key);
  if (types.includes("text") && texts.some((text) => !text.isValueKnown)) return null;
  return {
    texts: types.includes("text") ? toTexts(texts) : {},
    addresses: types.includes("addr") ? toAddresses(addresses) : {},
    contenthash,
  };
}

const textRecord = endpoint({
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
  hotAnswers: true,
  tool: "get_records",
  handle: async ({ name, key }, ctx) => {
    const indexedOrLive = await resolveWithRecords(ctx, name, oneText(key));
    const { resolved, text } = await findCurrentText(ctx, indexedOrLive, { name, key });
    const [block, transaction] =
      resolved.source === "live" ? [resolved.blockNumber, null] : [text?.blockNumber, text?.transactionHash];
    return {
      ...{ domain: name.name, resolver: resolverOf(resolved, ctx), key },
      value: resolved.source === "live" ? liveValue(resolved) : text && exactText(text).value,
      block_number: block ?? null,
      transaction_hash: transaction ?? null,
      source: resolved.source,
    };
  },
});

/** A text record as it is now: the row of the index; where the index cannot know the value, what the chain says. */
async function findCurrentText(
  ctx: Ctx,
  resolved: ResolvedDomain,
  { name, key }: { name: ParsedName; key: string },
) {
  if (resolved.source === "live") return { resolved, text: null };
  const recordsKey = recordsKeyOf(resolved);
  const text = recordsKey && (await findText(ctx.db, recordsKey, key));
  if (!text || text.isValueKnown) return { resolved, text };
  return { resolved: await resolveLive(ctx, name, oneText(key)), text: null };
}

const liveValue = ({ records }: LiveDomain): string | null => records.texts[0]?.value ?? null;

const textHistory = endpoint({
  method: "get",
  path: "/domain/{name}/records/text/{key}/history",
  group: "Domains",
  summary: "How a text record went",
  description: `Newest first, from the events of the resolver that was active at the time, if it is an indexed one: what others log proves nothing. A value ends with null where the resolver changed or all records were cleared. Where only the chain can tell the value now, it comes first, \`live\`, without page or on the first one; \`total\` does not count it. ${NEWEST}`,
  params: z.object({ name: input.name(), key }),
  query: z.object({ page: input.historyPage() }),
  reply: z.strictObject({
    domain: z.string(),
    key: z.string(),
    history: z.array(textHistoryEntry),
    ...historyFields,
  }),
  errors: ["INVALID_NAME", "INVALID_PARAMETER", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  hotAnswers: true,
  tool: "get_domain_history",
  handle: async ({ name, key, page }, ctx) => {
    const { chainId, chains } = await answeringChain(ctx, name);
    const { indexed: indexedResolvers } = ctx.contracts.resolversOf(chainId);
    const { resolverCode } = ctx.contracts.ensv2 ?? {};
    const hasLiveEntry = (page ?? 1) === 1;
    const [{ rows, total }, resolved] = await Promise.all([
      listTextSteps(ctx.db, { node: name.node, chains, key, indexedResolvers, resolverCode }, { page }),
      hasLiveEntry ? resolveCurrentText(ctx, name, key) : null,
    ]);
    const history = rows.map(toTextHistoryEntry);
    return {
      ...{ domain: name.name, key },
      history: [...(resolved ? toLiveEntry(resolved, history) : []), ...history],
      ...historyFieldsOf({ page, total }),
    };
  },
});

const resolveCurrentText = async (ctx: Ctx, name: ParsedName, key: string): Promise<ResolvedDomain> =>
  (await findCurrentText(ctx, await resolveWithRecords(ctx, name, oneText(key)), { name, key })).resolved;

type Entry = z.infer<typeof textHistoryEntry>;

/** The value now, if the chain told it; no entry if there is no value and the newest entry says so already. */
function toLiveEntry(resolved: ResolvedDomain, [newest]: readonly Entry[]): Entry[] {
  if (resolved.source === "indexed") return [];
  const value = liveValue(resolved);
  const isKnownAbsent = newest === undefined || (newest.value === null && newest.value_known !== false);
  if (value === null && isKnownAbsent) return [];
  const cut = value === null ? null : cutText(value);
  const { blockNumber } = resolved;
  return [
    { value: cut?.shown ?? null, block_number: blockNumber, source: "live", ...truncatedOf({ value: cut }) },
  ];
}

export const recordEndpoints = [domainRecords, textRecord, textHistory];
