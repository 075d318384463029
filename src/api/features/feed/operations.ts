import { z } from "@hono/zod-openapi";
import type { Address, Hex } from "viem";
import type { Contracts } from "../../../../abis/contracts.ts";
import { askedChains } from "../../names/resolution/askedChains.ts";
import { change, count, feedBlock, position } from "../../names/schemas/answers.ts";
import { input, type ParsedName } from "../../names/schemas/input.ts";
import { ApiError } from "../../server/errors/errors.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import type { Db } from "../../server/postgres/db.ts";
import { toChangeRecord, toFeedBlock } from "./changeRecord.ts";
import type { ChangeFilters } from "./filters.ts";
import { readPosition, writePosition } from "./position.ts";
import { type After, type ChangePage, numberAfter, readChanges, readFeedState } from "./read.ts";
import { readResync } from "./resync.ts";
import type { ChangeRow, FeedState } from "./rows.ts";
import { blockTypes } from "./source.ts";
import { timeTypes } from "./times.ts";

/** Changes of one answer, at most and unless the caller chooses. */
export const MAX_CHANGES = 1_000;
const CHANGES = 100;

/** Types that a reader can ask for. The ends of blocks come with the changes of the block. */
const askedTypes = [...blockTypes, ...timeTypes, "chain.finalized"] as const;

const NAMEHASH = "0xde9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f";

/** Filters of the feed and of its stream. */
export const changeFilters = {
  name: input.name().optional(),
  namehash: input.hash("Changes of the name with this namehash", NAMEHASH).optional(),
  subtree: input.name().optional().openapi({ description: "Changes of this name and the names below it" }),
  address: input.address().optional().openapi({
    description: "Changes that name this address in any role: owner, primary name, address record",
  }),
  resolver: input
    .address()
    .optional()
    .openapi({ description: "Changes at this resolver, or of names that use it" }),
  type: input
    .text("type", {
      max: 1_000,
      description: `Types of changes, separated by commas: ${askedTypes.join(", ")}`,
      example: "name.renewed,name.expired",
    })
    .optional(),
  chain: input.chains("All indexed chains by default."),
};

export type AskedChanges = {
  name?: ParsedName | undefined;
  namehash?: Hex | undefined;
  subtree?: ParsedName | undefined;
  address?: Address | undefined;
  resolver?: Address | undefined;
  type?: string | undefined;
  chain?: readonly string[] | undefined;
};

/** @throws ApiError INVALID_PARAMETER */
export function changeFiltersOf(asked: AskedChanges, contracts: Contracts): ChangeFilters {
  const { name, namehash, subtree, address, resolver, type, chain } = asked;
  if (name !== undefined && namehash !== undefined) {
    throw new ApiError("INVALID_PARAMETER", "`name` and `namehash` exclude each other: send one of them.");
  }
  return {
    types: type ? typesOf(type) : undefined,
    chainIds: chain && askedChains(chain, contracts, contracts.indexedChainIds).ids,
    node: name?.node ?? namehash,
    subtree: subtree?.name,
    address,
    resolver,
  };
}

/** @throws ApiError INVALID_PARAMETER */
function typesOf(text: string): string[] {
  const types = text.split(",").map((type) => type.trim());
  if (!types.every((type) => askedTypes.includes(type as (typeof askedTypes)[number]))) {
    throw new ApiError(
      "INVALID_PARAMETER",
      "`type` contains an unknown type of change; see docs/changes.md.",
    );
  }
  return types;
}

const WORDS = ["oldest", "newest"] as const;
type Word = (typeof WORDS)[number];

/** Where a reader begins. @throws ApiError INVALID_PARAMETER if the text is no position */
export function parseAfter(text: string): After {
  if (WORDS.includes(text as Word)) return text as Word;
  const known = readPosition(text);
  if (known === null) {
    throw new ApiError("INVALID_PARAMETER", "`after` must be a position in the feed, `oldest` or `newest`.");
  }
  return known;
}

export const after = (description: string) =>
  input.text("after", { max: 64, description, example: "oldest" }).optional();

export const resync = input.flag(
  "resync",
  "`true`, with `name` or `namehash`: if the position is gone, return all current values of the name instead of the error",
);

const changes = endpoint({
  method: "get",
  path: "/changes",
  group: "Lookups",
  summary: "Feed of changes",
  description:
    "All changes, in order. A program that stores each `new_value` by its `subject` and continues from `next_position` has, at each `block.ended`, the same state as the index. A change undone by a reorganisation comes again with `state` `removed`. Changes by time alone (an expiry, the end of grace) are included. The documentation page *changes* explains positions, epochs and finality.",
  query: z.object({
    after: after(
      "Changes after this position. `oldest`, the default: from the oldest one stored. `newest`: none, only the position to start from",
    ),
    limit: input
      .digits("limit", { min: 1, max: MAX_CHANGES, description: "Changes per answer" })
      .optional()
      .openapi({ default: CHANGES }),
    resync,
    ...changeFilters,
  }),
  reply: z.strictObject({
    changes: z.array(change),
    next_position: position.openapi({
      description: "Position to continue from, also if there were no changes",
    }),
    oldest_position: position,
    newest_position: position,
    is_resync: z.boolean().openapi({
      description:
        "True if the position was gone: after the marker `feed.resync` follow all values of the name, with `state` `now`. Discard what you stored of the name, store these, and continue from `next_position`",
    }),
    has_more: z.boolean().openapi({ description: "True if there already are changes after `next_position`" }),
    blocks: z.array(feedBlock).openapi({ description: "The last block covered by the feed, for each chain" }),
    gap_timestamp: count.nullable().openapi({
      description: "Since when a fault delays changes, in unix seconds; null if none does. No change is lost",
    }),
  }),
  errors: ["INVALID_NAME", "INVALID_ADDRESS", "INVALID_HASH", "POSITION_GONE"],
  cost: 1,
  tool: "get_changes",
  handle: async (request, ctx) => {
    const filters = changeFiltersOf(request, ctx.contracts);
    const state = await readFeedState(ctx.db);
    const { epoch, newest, oldest } = state;
    const page = await readPage(ctx.db, { request, state, filters });
    const at = (number: number) => writePosition({ epoch, number });
    return {
      changes: page.rows.map((row) => toChangeRecord(row, { ...ctx, epoch })),
      next_position: at(page.next),
      oldest_position: at(oldest),
      newest_position: at(newest),
      is_resync: page.isResync,
      has_more: page.next < newest,
      blocks: state.blocks.map((block) => toFeedBlock(block, ctx)),
      gap_timestamp: state.gapSince,
    };
  },
});

type Asked = { after?: string | undefined; limit?: number | undefined; resync: boolean };

/** A page after a position; or all of one name, where the position is gone and the reader wants this. */
async function readPage(
  db: Db,
  { request, state, filters }: { request: Asked; state: FeedState; filters: ChangeFilters },
): Promise<ChangePage & { isResync: boolean }> {
  const { after = "oldest", limit = CHANGES, resync } = request;
  const begin = await beginOf(db, { after: parseAfter(after), resync, feed: state, filters });
  if (begin.resync !== null) return { rows: begin.resync, next: begin.from, isResync: true };
  const { newest } = state;
  return { ...(await readChanges(db, { after: begin.from, newest, filters, limit })), isResync: false };
}

/** Where a reader continues, and what it starts again with; null if its position still exists. */
export type Begin = { from: number; resync: ChangeRow[] | null };

/**
 * Where a reader begins; with `resync` also one of a name whose position is gone.
 *
 * @throws ApiError POSITION_GONE; INVALID_PARAMETER if `resync` is not of one name
 */
export async function beginOf(
  db: Db,
  {
    after,
    resync,
    feed,
    filters,
  }: { after: After; resync: boolean; feed: FeedState; filters: ChangeFilters },
): Promise<Begin> {
  const { node } = filters;
  if (resync && node === undefined) {
    throw new ApiError("INVALID_PARAMETER", "`resync` requires `name` or `namehash`.");
  }
  try {
    return { from: numberAfter(after, feed), resync: null };
  } catch (thrown) {
    const isGone = thrown instanceof ApiError && thrown.code === "POSITION_GONE";
    const rows = resync && isGone && node ? await readResync(db, { node, feed, filters }) : null;
    if (rows === null) throw thrown;
    return { from: feed.newest, resync: rows };
  }
}

export const changeEndpoints = [changes];
