import { z } from "@hono/zod-openapi";
import { ApiError } from "../errors/errors.ts";
import { endpoint } from "../http/endpoint.ts";
import { isOutOfTime } from "../http/pageTimeout.ts";
import { findDatabaseError } from "../postgres/databaseErrors.ts";
import { mainChain } from "../query/scope.ts";
import { limiter } from "../scheduling/bounded.ts";
import { MAX_AT_ONCE, MAX_WAITING } from "./bounds.ts";
import { answerQuery } from "./query/answer.ts";
import type { QueryPlan } from "./query/plan.ts";
import { QueryError } from "./queryError.ts";

const inTurn = limiter(MAX_AT_ONCE);
const never = new AbortController().signal;
let inWork = 0;

/** Few queries are read at once: slow ones do not take the connections of others. @throws ApiError RATE_LIMITED */
async function whenThereIsRoom<Result>(task: () => Promise<Result>): Promise<Result> {
  if (inWork >= MAX_AT_ONCE + MAX_WAITING) {
    const message = "Too many queries are answered at the moment; ask again in a second.";
    throw new ApiError("RATE_LIMITED", message, { headers: { "Retry-After": "1" } });
  }
  inWork++;
  try {
    return await inTurn(never, task);
  } finally {
    inWork--;
  }
}

/** PostgreSQL cannot read a value: NUL in a text, a pattern that ends with `\`. */
const UNREADABLE = ["22021", "22023", "22025", "22P05"];

/** @throws QueryError for what the caller can change */
async function forCaller<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (thrown) {
    if (isOutOfTime(thrown))
      throw new QueryError(
        "The query took too long. Filter by an id, an owner, a parent or a name; lists of all entities are fast by `id` alone",
      );
    const unreadable = findDatabaseError(thrown, UNREADABLE);
    if (unreadable !== null)
      throw new QueryError(`A value of the query cannot be read: ${unreadable.message}`);
    throw thrown;
  }
}

/**
 * The operation behind all paths of the subgraph. It is charged, counted and read as of one position like every other. Its
 * answer is written here, since GraphQL allows no other members beside `data`.
 */
export const subgraphOperation = endpoint({
  method: "post",
  path: "/subgraph",
  group: "Lookups",
  summary: "The query language of the ENS subgraph",
  body: z.object({ plan: z.custom<QueryPlan>() }),
  reply: z.string(),
  mediaType: "application/graphql-response+json",
  errors: ["LIMIT_EXCEEDED"],
  cost: ({ plan }) => plan.credits,
  handle: ({ plan }, { db, contracts }) => {
    const { chainId, ensv2 } = contracts;
    const env = { chains: mainChain(contracts), chainId, ensv2 };
    return whenThereIsRoom(async () => JSON.stringify({ data: await forCaller(answerQuery(db, plan, env)) }));
  },
});
