import { z } from "@hono/zod-openapi";
import type { ZodObject, ZodRawShape, ZodType } from "zod";
import type { Ctx } from "../../server/http/context.ts";
import { type Endpoint, endpoint, type ToolView } from "../../server/http/endpoint.ts";
import { mainChain, type Scope } from "../query/scope.ts";
import { askedChains, chainsField } from "../resolution/askedChains.ts";
import { chains as chainsOf } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { MAIN_CHAIN } from "../schemas/sentences.ts";
import { cachedFor, type Take } from "./cachedFor.ts";
import { toInstant } from "./numbers.ts";

export const MINUTE = 60;
export const HOUR = 3_600;

/** An operation on the whole index whose answer is taken periodically. */
type Statistic<Reply extends ZodRawShape, Query extends ZodRawShape, Taken> = {
  path: string;
  summary: string;
  /** The interval at which it is taken is appended. */
  description: string;
  /** Title of the answer in the OpenAPI document. */
  title: string;
  tool: string | ToolView;
  /** How long an answer is served, in seconds. */
  seconds: number;
  /** Parameters besides `chain`. */
  query?: Query;
  /** Fields of the answer besides `chains` and `generated_at`. */
  reply: Reply;
  /** Takes the statistics. Operations with the same function share the result. */
  take: Take<Taken>;
  /** Takes the statistics if a caller selects chains. */
  takeOfChains?: Take<Taken>;
  /** Makes the answer to a caller from the statistics. */
  show: (taken: Taken, asked: z.output<ZodObject<Query>>) => z.input<ZodObject<Reply>>;
};

/**
 * Declares a statistic of the chains that a caller selects; the registry's chain by default.
 *
 * @example
 * const events = statistic({
 *   path: "/ens-stats/events",
 *   summary: "How many events there are",
 *   description: "Logs in the index.",
 *   title: "Events",
 *   tool: { name: "get_statistics", view: "events" },
 *   seconds: 5 * MINUTE,
 *   reply: { events: count },
 *   take: async ({ db, now }, chains) => ({ events: (await totals.read(db, { chains, now })).events }),
 *   show: (taken) => taken,
 * });
 */
export function statistic<Reply extends ZodRawShape, Taken, Query extends ZodRawShape = Record<never, never>>(
  declared: Statistic<Reply, Query, Taken>,
): Endpoint {
  const take = takerOf(declared);
  return endpoint({
    ...operationOf(declared),
    query: z.object({ chain: input.chains(MAIN_CHAIN), ...declared.query }),
    reply: z
      .strictObject({ ...declared.reply, chains: chainsOf, generated_at: generatedAt })
      .openapi(declared.title) as unknown as ReplySchema<Reply>,
    handle: async (asked: Asked, ctx) => {
      const chains = asked.chain ? askedChains(asked.chain, ctx.contracts) : mainChain(ctx.contracts);
      const { statistics, takenAt } = await take(ctx, chains, asked);
      return {
        ...declared.show(statistics, asked as z.output<ZodObject<Query>>),
        ...chainsField(chains, ctx.contracts),
        generated_at: toInstant(takenAt),
      };
    },
  });
}

/** Declares a statistic of everything indexed. Its names are those of the registry's chain. */
export function statisticOfAll<Reply extends ZodRawShape, Taken>(
  declared: Omit<Statistic<Reply, Record<never, never>, Taken>, "query" | "takeOfChains">,
): Endpoint {
  const take = cachedFor(declared.seconds, declared.take);
  return endpoint({
    ...operationOf(declared),
    reply: z
      .strictObject({ ...declared.reply, generated_at: generatedAt })
      .openapi(declared.title) as unknown as ReplySchema<Reply>,
    handle: async (_, ctx) => {
      const { statistics, takenAt } = await take(ctx);
      return { ...declared.show(statistics, {}), generated_at: toInstant(takenAt) };
    },
  });
}

/** The compiler cannot add fields to those of a type parameter. */
type ReplySchema<Reply extends ZodRawShape> = ZodType<
  unknown,
  z.input<ZodObject<Reply>> & { chains?: string[]; generated_at: string }
>;

type Asked = { chain?: readonly string[] | undefined };

const generatedAt = z.iso.datetime().openapi({ description: "When these figures were taken" });

function takerOf<Taken>({
  seconds,
  take,
  takeOfChains = take,
}: Pick<Statistic<ZodRawShape, ZodRawShape, Taken>, "seconds" | "take" | "takeOfChains">) {
  const [ofMain, ofChains] = [cachedFor(seconds, take), cachedFor(seconds, takeOfChains)];
  return (ctx: Ctx, chains: Scope, { chain }: Asked) => (chain ? ofChains : ofMain)(ctx, chains);
}

type Described = Pick<
  Statistic<ZodRawShape, ZodRawShape, never>,
  "path" | "summary" | "description" | "tool" | "seconds"
>;

/** Common to all statistics: they are free, and may be cached while they hold. */
const operationOf = ({ path, summary, description, tool, seconds }: Described) =>
  ({
    method: "get",
    group: "Statistics",
    path,
    summary,
    description: `${description} Taken every ${wordsOf(seconds)}.`,
    cost: 0,
    cacheSeconds: seconds,
    takenAt,
    tool,
  }) as const;

/** `generated_at` is the last field of each reply. */
const takenAt = (reply: string): number =>
  Math.floor(Date.parse(/"generated_at":"([^"]*)"\}$/.exec(reply)?.[1] ?? "") / 1_000);

function wordsOf(seconds: number): string {
  if (seconds === HOUR) return "hour";
  return seconds < MINUTE ? `${seconds} seconds` : `${seconds / MINUTE} minutes`;
}
