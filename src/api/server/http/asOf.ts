import { z } from "@hono/zod-openapi";
import type { Position } from "../indexState/position.ts";
import type { Block } from "../serviceDb/liveAnswers.ts";
import type { Ctx } from "./context.ts";
import type { Endpoint } from "./endpoint.ts";

const block = z
  .strictObject({
    chain_id: z.int().openapi({ example: 1 }),
    source: z.enum(["indexed", "live"]).openapi({
      description:
        "`indexed`: data from the index is as of this block. `live`: the chain was read at this block for the answer",
    }),
    block_number: z.int().openapi({ example: 23_500_000 }),
    block_hash: z
      .string()
      .regex(/^0x[0-9a-f]{64}$/)
      .optional()
      .openapi({
        description: "Absent if `source` is `live`: the chain is read by number",
        example: "0x9b83c12c69edb74f6c8dd5d052765c1adf940e320bd1291696e6fa07829eee71",
      }),
    block_timestamp: z.int().optional().openapi({
      description: "Unix seconds. Absent if only the number is known",
      example: 1_758_600_000,
    }),
    is_final: z.boolean().optional().openapi({
      description:
        "True if no reorganisation that the index follows reaches the block; absent if `source` is `live`",
    }),
  })
  .openapi("AsOfBlock");

/** The blocks of an answer. */
export const asOf = z.array(block).openapi("AsOf", {
  description:
    "The blocks that the answer covers: one per chain for the index, and one for each chain that was also read live",
});

type AsOf = z.input<typeof asOf>;

/** The blocks of the documentation's examples. */
export const exampleAsOf: AsOf = [
  {
    chain_id: 1,
    source: "indexed",
    block_number: 23_500_000,
    block_hash: "0x9b83c12c69edb74f6c8dd5d052765c1adf940e320bd1291696e6fa07829eee71",
    block_timestamp: 1_758_600_000,
    is_final: false,
  },
];

/**
 * Whether an operation's answers name their blocks: those read from a complete index at the request. Figures computed
 * earlier have `generated_at` instead.
 */
export const hasAsOf = ({
  index,
  mediaType,
  cacheSeconds,
}: Pick<Endpoint, "index" | "mediaType" | "cacheSeconds">): boolean =>
  index === undefined && mediaType === undefined && cacheSeconds === undefined;

/** The schema of an answer with its blocks. */
export function withAsOf(reply: z.ZodType): z.ZodType {
  if (reply instanceof z.ZodUnion) return z.union((reply.options as z.ZodType[]).map(withAsOf));
  return reply instanceof z.ZodObject ? reply.extend({ as_of: asOf }) : reply;
}

/** A context that notes at which block the chain was read. */
export function noteLiveBlock(ctx: Ctx): { ctx: Ctx; liveBlock: () => Block | null } {
  let read: Block | null = null;
  const liveBlock = async () => {
    read = await ctx.liveBlock();
    return read;
  };
  return { ctx: { ...ctx, liveBlock }, liveBlock: () => read };
}

/** Adds its blocks to an answer. */
export function addAsOf(
  reply: unknown,
  { position, live, chainId }: { position: Position; live: Block | null; chainId: number },
): unknown {
  if (typeof reply !== "object" || reply === null) return reply;
  return { ...reply, as_of: toAsOf(position, live && { ...live, chainId }) };
}

const toAsOf = (position: Position, live: (Block & { chainId: number }) | null): AsOf => [
  ...position.map(({ chainId, number, hash, timestamp, isFinal }) => ({
    chain_id: chainId,
    source: "indexed" as const,
    block_number: number,
    block_hash: hash,
    block_timestamp: timestamp,
    is_final: isFinal,
  })),
  ...(live === null
    ? []
    : [
        {
          chain_id: live.chainId,
          source: "live" as const,
          block_number: live.number,
          ...(live.timestamp > 0 && { block_timestamp: live.timestamp }),
        },
      ]),
];
