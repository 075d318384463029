import type pg from "pg";

/** A statement of the query layer. */
export type Query = { sql: string; parameters: unknown[] };

/** What PostgreSQL reports for a step. */
export type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
};

type Pool = Pick<pg.Pool, "query">;

/** Runs a statement and adds up the work of its steps. */
async function sumOfSteps(
  pool: Pool,
  { sql, parameters }: Query,
  ofStep: (step: Plan) => number,
): Promise<number> {
  const { rows } = await pool.query<{ "QUERY PLAN": { Plan: Plan }[] }>(
    `explain (analyze, format json) ${sql}`,
    parameters,
  );
  const sumOf = (plan: Plan): number =>
    ofStep(plan) + (plan.Plans ?? []).reduce((sum, part) => sum + sumOf(part), 0);
  return rows.flatMap((row) => row["QUERY PLAN"]).reduce((sum, { Plan }) => sum + sumOf(Plan), 0);
}

const made = (step: Plan) => (step["Actual Rows"] ?? 0) * (step["Actual Loops"] ?? 0);
const dropped = (step: Plan) =>
  ((step["Rows Removed by Filter"] ?? 0) + (step["Rows Removed by Index Recheck"] ?? 0)) *
  (step["Actual Loops"] ?? 0);

/** How many rows of a table a statement reads. */
export const countRead = (pool: Pool, query: Query, table: string): Promise<number> =>
  sumOfSteps(pool, query, (step) => (step["Relation Name"] === table ? made(step) + dropped(step) : 0));

/** How many index entries a statement collects before it reads rows by them. */
export const countGathered = (pool: Pool, query: Query): Promise<number> =>
  sumOfSteps(pool, query, (step) => (step["Node Type"] === "Bitmap Index Scan" ? made(step) : 0));

/** How many rows all steps of a statement process. */
export const countHandled = (pool: Pool, query: Query): Promise<number> =>
  sumOfSteps(pool, query, (step) => made(step) + dropped(step));
