import { z } from "@hono/zod-openapi";
import type { Ctx } from "../../server/http/context.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import { type Clearing, findClearing, findText, type TextRow } from "../query/records.ts";
import { listTextSteps, textKeys } from "../query/textHistory.ts";
import { historyGap } from "../resolution/ensv2/followed.ts";
import type { NameRecords } from "../resolution/indexedRecords.ts";
import { answeringChain } from "../resolution/nameChains.ts";
import { oneText, usualCoinTypes, usualTextKeys } from "../resolution/recordSelection.ts";
import {
  type DomainResult,
  type LiveDomain,
  orThrow,
  resolveNames,
  type UnresolvedDomain,
} from "../resolution/resolveDomains.ts";
import { recordsKeyOf, resolveRecords } from "../resolution/resolveRecords.ts";
import {
  blockNumber,
  hash,
  historyFields,
  isIncomplete,
  records,
  resolver,
  source,
  textHistoryEntry,
  unresolved,
} from "../schemas/answers.ts";
import { input, type ParsedName } from "../schemas/input.ts";
import { historyPage } from "../schemas/paging.ts";
import { MAX_KEY, type RecordsAsked, recordChoice, recordsAsked } from "../schemas/recordChoice.ts";
import { cutText, truncatedOf } from "../serializers/cut.ts";
import { NEWEST, openHistory } from "../serializers/historyPages.ts";
import { partsOfRecords, toResolver, unresolvedParts } from "../serializers/toDomain.ts";
import { exactText, toRecordsPart, toTextHistoryEntry } from "../serializers/toRecords.ts";

const key = z
  .string()
  .max(MAX_KEY, { error: () => `\`key\` is longer than ${MAX_KEY} characters.` })
  .openapi({ description: "Key of the text record; may be empty", example: "com.twitter" });

const knownResolver = resolver.optional().openapi({
  description: "Absent only if `unresolved` has `domain`: not even the name's registry could be read",
});

const resolverOf = (resolved: DomainResult, { contracts }: Ctx) =>
  toResolver(
    resolved.state ?? { resolver: null, chainId: contracts.chainId },
    contracts,
    resolved.source === "live" ? resolved.records.answeredBy : null,
  );

/** The indexed part of an answer whose resolver could not be asked. */
function withoutResolver(ctx: Ctx, outcome: UnresolvedDomain, part: "records" | "value") {
  const { state, error, source } = outcome;
  const unresolved = unresolvedParts(partsOfRecords(state, part), error);
  return { source, ...(state !== null && { resolver: resolverOf(outcome, ctx) }), unresolved };
}

const domainRecords = endpoint({
  method: "get",
  path: "/domain/{name}/records",
  group: "Domains",
  summary: "Records of a name",
  description: `Records of the name at its current resolver. Text records are written by owners: treat them as untrusted. Keys cannot be listed on chain, so a live answer has the keys from the name's events and the usual ones: texts ${usualTextKeys.map((one) => `\`${one}\``).join(", ")} and coin types ${usualCoinTypes.join(", ")}.`,
  params: z.object({ name: input.name() }),
  query: z.object({ ...recordChoice, partial: input.partial() }),
  emptyParam: "keys",
  reply: z.strictObject({
    domain: z.string(),
    resolver: knownResolver,
    records: records.optional().openapi({ description: "Absent only if `unresolved` says why" }),
    source,
    unresolved: unresolved.optional(),
  }),
  errors: ["INVALID_NAME", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: { name: "get_records", view: "all" },
  handle: async ({ name, partial, ...choice }, ctx) => {
    const asked = recordsAsked(choice);
    const found = await resolveRecords(ctx, name, asked);
    if (!partial) orThrow(found.result);
    return { domain: name.name, ...toRecordsReply(ctx, found, asked) };
  },
});

function toRecordsReply(ctx: Ctx, found: NameRecords, asked: RecordsAsked) {
  const { result } = found;
  const part = toRecordsPart(found, asked);
  if (result.kind === "unresolved" && !part.records) return withoutResolver(ctx, result, "records");
  return { resolver: resolverOf(result, ctx), source: result.source, ...part };
}

const textRecord = endpoint({
  method: "get",
  path: "/domain/{name}/records/text/{key}",
  group: "Domains",
  summary: "Text record of a name",
  description:
    "A null value means that the record is not set. Block and transaction are those that last set it, or that cleared all records; a live value has no transaction, and its block is the one it was read at. All three are absent if `unresolved` says that the value could not be found out.",
  params: z.object({ name: input.name(), key }),
  emptyParam: "key",
  query: z.object({ partial: input.partial() }),
  reply: z
    .strictObject({
      domain: z.string(),
      resolver: knownResolver,
      key: z.string(),
      value: z
        .string()
        .nullable()
        .optional()
        .openapi({ description: "Null if the record is not set; absent if `unresolved` says why" }),
      block_number: blockNumber.nullable().optional().openapi({
        description:
          "Block that set or cleared it, or of the live answer; null if never set; absent if `value` is",
      }),
      transaction_hash: hash.nullable().optional().openapi({
        description: "Null in live answers and if the record was never set; absent if `value` is",
      }),
      source,
      unresolved: unresolved.optional(),
    })
    .openapi("TextRecord"),
  errors: ["INVALID_NAME", "INVALID_PARAMETER", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: { name: "get_records", view: "text" },
  handle: async ({ name, key, partial }, ctx) => {
    const { outcome, text, clearing } = await findCurrentText(ctx, name, key);
    if (!partial) orThrow(outcome);
    if (outcome.kind === "unresolved") {
      return { domain: name.name, key, ...withoutResolver(ctx, outcome, "value") };
    }
    const set = text ?? clearing;
    const [block, transaction] =
      outcome.source === "live" ? [outcome.blockNumber, null] : [set?.blockNumber, set?.transactionHash];
    return {
      domain: name.name,
      resolver: resolverOf(outcome, ctx),
      key,
      value: outcome.source === "live" ? liveValue(outcome) : text && exactText(text).value,
      block_number: block ?? null,
      transaction_hash: transaction ?? null,
      source: outcome.source,
    };
  },
});

/** The current text record: from the index, or from the chain where the index cannot know the value. */
async function findCurrentText(
  ctx: Ctx,
  name: ParsedName,
  key: string,
): Promise<{ outcome: DomainResult; text: TextRow | null; clearing?: Clearing | null }> {
  const [outcome] = await resolveNames(ctx, [name], { records: oneText(key) });
  if (outcome.source === "live" || outcome.kind === "unresolved") return { outcome, text: null };
  const recordsKey = recordsKeyOf(outcome);
  const text = recordsKey && (await findText(ctx.db, recordsKey, key));
  if (recordsKey && !text) return { outcome, text, clearing: await findClearing(ctx.db, recordsKey, key) };
  if (!text || text.isValueKnown) return { outcome, text };
  const [live] = await resolveNames(ctx, [name], { records: oneText(key), live: true });
  return { outcome: live, text: null };
}

const liveValue = ({ records }: LiveDomain): string | null => records.texts[0]?.value ?? null;

const textHistory = endpoint({
  method: "get",
  path: "/domain/{name}/records/text/{key}/history",
  group: "Domains",
  summary: "Text record history",
  description: `Newest first, from the events of the resolver in force at the time, if it is indexed: logs of others prove nothing. A value ends with null when the resolver changes or all records are cleared. If only the chain can tell the current value, it comes first as \`live\`, without paging or on the first page, in addition to the page's entries; \`total\` counts it. ${NEWEST}`,
  params: z.object({ name: input.name(), key }),
  emptyParam: "key",
  query: z.object({ ...historyPage(), partial: input.partial() }),
  reply: z.strictObject({
    domain: z.string(),
    key: z.string(),
    history: z.array(textHistoryEntry),
    ...historyFields,
    is_incomplete: isIncomplete,
    unresolved: unresolved.optional(),
  }),
  errors: ["INVALID_NAME", "INVALID_PARAMETER", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: { name: "get_domain_history", view: "text" },
  handle: async (request, ctx) => {
    const { name, key, partial } = request;
    const { chainId, chains } = await answeringChain(ctx, name);
    const { indexed: indexedResolvers } = ctx.contracts.resolversOf(chainId);
    const { section, fields } = openHistory("/domain/{name}/records/text/{key}/history", request, textKeys());
    const of = { node: name.node, chains, key, indexedResolvers };
    const isFirst = request.cursor === undefined && (request.page ?? 1) === 1;
    const [{ rows, ...listed }, outcome] = await Promise.all([
      listTextSteps(ctx.db, of, section),
      isFirst || request.total ? findCurrentText(ctx, name, key).then((found) => found.outcome) : null,
    ]);
    if (outcome && !partial) orThrow(outcome);
    const history = rows.map(toTextHistoryEntry);
    const newest = async () =>
      isFirst ? history : (await listTextSteps(ctx.db, of, NEWEST_STEP)).rows.map(toTextHistoryEntry);
    const now = outcome?.source === "live" ? toLiveEntry(outcome, await newest()) : [];
    const total = listed.total === null ? null : listed.total + now.length;
    return {
      domain: name.name,
      key,
      history: isFirst ? [...now, ...history] : history,
      ...fields({ ...listed, total }),
      ...(await historyGap(ctx, name)),
      ...(outcome?.kind === "unresolved" && { unresolved: unresolvedParts(["value"], outcome.error) }),
    };
  },
});

const NEWEST_STEP = { page: 1, size: 1, isCounted: false };

type Entry = z.infer<typeof textHistoryEntry>;

/** The value that the chain gave; no entry if it is empty and the newest entry already says so. */
function toLiveEntry(resolved: LiveDomain, [newest]: readonly Entry[]): Entry[] {
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
