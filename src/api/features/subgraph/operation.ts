import { z } from "@hono/zod-openapi";
import { ApiError } from "../../server/errors/errors.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import { isOutOfTime } from "../../server/http/pageTimeout.ts";
import { findDatabaseError } from "../../server/postgres/databaseErrors.ts";
import { fairPlaces } from "../../server/scheduling/places.ts";
import { nextTurn } from "../../server/scheduling/turns.ts";
import { MAX_AT_ONCE, MAX_STATEMENTS_AT_ONCE, MAX_WAITING } from "./bounds.ts";
import { answerQuery } from "./query/answer.ts";
import { type GraphqlRequest, planOf, type QueryPlan } from "./query/plan.ts";
import { writeAnswer } from "./query/size.ts";
import type { InTurn } from "./query/subdomains.ts";
import { QueryError } from "./queryError.ts";
import { envOf } from "./table/entity.ts";

/** Few queries are read at once, so that slow ones do not take the connections of others; one caller has a part of these. */
const places = fairPlaces({
  running: MAX_AT_ONCE,
  waiting: MAX_WAITING,
  refuse: () =>
    new ApiError("RATE_LIMITED", "Too many queries are running at the moment; retry in a second.", {
      headers: { "Retry-After": "1" },
    }),
});
/** A query can need many statements, and asks for those of one level at once: others' connections are not for them. */
const statementPlaces = fairPlaces({
  running: MAX_STATEMENTS_AT_ONCE,
  waiting: { most: Number.POSITIVE_INFINITY, each: Number.POSITIVE_INFINITY },
  refuse: () => new Error("Invariant(subgraph): statements of queries that are answered are bounded"),
});
const never = new AbortController().signal;

/** PostgreSQL cannot read a value: NUL in a text, a pattern that ends with `\`. */
const UNREADABLE = ["22021", "22023", "22025", "22P05"];

/** PostgreSQL's program_limit_exceeded: a statement has too many columns or levels for it. */
const TOO_LARGE = ["54000", "54001", "54011", "54023"];

/** @throws QueryError for what the caller can change */
async function forCaller<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (thrown) {
    if (isOutOfTime(thrown))
      throw new QueryError(
        "The query took too long. Filter by an id, an owner, a parent or a name; lists of all entities are fast only by `id`",
      );
    const unreadable = findDatabaseError(thrown, UNREADABLE);
    if (unreadable !== null) throw new QueryError(`A value in the query is invalid: ${unreadable.message}`);
    const tooLarge = findDatabaseError(thrown, TOO_LARGE);
    if (tooLarge !== null) throw new QueryError(`The query is too large to run at once: ${tooLarge.message}`);
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
  body: z.object({
    request: z.custom<GraphqlRequest>(),
    share: z.string(),
    plan: z.custom<QueryPlan>().optional(),
  }),
  reply: z.string(),
  mediaType: "application/graphql-response+json",
  errors: ["LIMIT_EXCEEDED"],
  // A credit for the plan, which says what the query costs.
  cost: 1,
  plan: (input) =>
    places(input.share, never, async () => {
      await nextTurn();
      const plan = planOf(input.request);
      return { input: { ...input, plan }, credits: plan.credits };
    }),
  handle: ({ plan, share }, { db, contracts, now }) => {
    if (plan === undefined) throw new Error("Invariant(subgraph): queries are planned first");
    const env = envOf(contracts, now);
    return places(share, never, async () => {
      // Where one statement fails, those that wait are not begun.
      const ended = new AbortController();
      const inTurn: InTurn = (run) => statementPlaces(share, ended.signal, run);
      try {
        return writeAnswer(await forCaller(answerQuery(db, plan, env, inTurn)));
      } finally {
        ended.abort();
      }
    });
  },
});
