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
  subtree: input.name().optional().openapi({ description: "Changes of this name and of the names below it" }),
  address: input.address().optional().openapi({
    description: "Changes that have this address in any role: owner, primary name, address record",
  }),
  resolver: input
    .address()
    .optional()
    .openapi({ description: "Changes at this resolver, or of names with it" }),
  type: input
    .text("type", {
      max: 1_000,
      description: `Types of changes, separated by commas: ${askedTypes.join(", ")}`,
      example: "name.renewed,name.expired",
    })
    .optional(),
  chain: input.chains("Left out: all chains that are indexed."),
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
    throw new ApiError("INVALID_PARAMETER", "`name` and `namehash` exclude each other: give one of them.");
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
    throw new ApiError("INVALID_PARAMETER", "`type` holds a type that no change has; see docs/changes.md.");
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
    throw new ApiError("INVALID_PARAMETER", "`after` must be a position of the feed, `oldest` or `newest`.");
  }
  return known;
}

export const after = (description: string) =>
  input.text("after", { max: 64, description, example: "oldest" }).optional();

export const resync = input.flag(
  "resync",
  "`true`, with `name` or `namehash`: if the position is gone, the answer has all values of the name as they are now, instead of the error",
);

const changes = endpoint({
  method: "get",
  path: "/changes",
  group: "Lookups",
  summary: "What changed, in order",
  description:
    "The feed of changes. A program that stores each `new_value` by its `subject`, and goes on from `next_position`, holds at each `block.ended` what the index holds. A change that a reorganisation takes back comes again with `state` `removed`. What only time brings (an expiry, the end of grace) is among them. The page *changes* of the documentation explains positions, epochs and finality.",
  query: z.object({
    after: after(
      "A position: the changes after it. `oldest` (as without it): from the oldest one stored. `newest`: none, and the position to begin from",
    ),
    limit: input
      .digits("limit", { min: 1, max: MAX_CHANGES, description: "Changes in one answer" })
      .optional()
      .openapi({ default: CHANGES }),
    resync,
    ...changeFilters,
  }),
  reply: z.strictObject({
    changes: z.array(change),
    next_position: position.openapi({ description: "Where to go on, also where nothing was found" }),
    oldest_position: position,
    newest_position: position,
    is_resync: z.boolean().openapi({
      description:
        "True if the position was gone: after the marker `feed.resync` come all values of the name, whose `state` is `now`. Forget what you hold of the name, store these, and go on from `next_position`",
    }),
    has_more: z.boolean().openapi({ description: "True if the feed goes on after `next_position` already" }),
    blocks: z.array(feedBlock).openapi({ description: "The block of each chain as of which the feed is" }),
    gap_timestamp: count.nullable().openapi({
      description:
        "Since when a fault keeps changes out of the feed, in unix seconds; null if none does. They come, none is left out",
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

/** After which number a reader goes on, and what it begins again with; null if its position is there. */
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
    throw new ApiError("INVALID_PARAMETER", "`resync` is of one name: give `name` or `namehash`, too.");
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
