import type pg from "pg";

/** A statement of the query layer. */
export type Query = { sql: string; parameters: unknown[] };

/** What PostgreSQL tells of a step. */
export type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
};

/** How many rows of a table a statement reads. */
export async function countRead(
  pool: Pick<pg.Pool, "query">,
  { sql, parameters }: Query,
  table: string,
): Promise<number> {
  const { rows } = await pool.query<{ "QUERY PLAN": { Plan: Plan }[] }>(
    `explain (analyze, format json) ${sql}`,
    parameters,
  );
  const readBy = (plan: Plan): number => {
    const removed = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
    const own = ((plan["Actual Rows"] ?? 0) + removed) * (plan["Actual Loops"] ?? 0);
    const ofParts = (plan.Plans ?? []).reduce((sum, part) => sum + readBy(part), 0);
    return (plan["Relation Name"] === table ? own : 0) + ofParts;
  };
  return rows.flatMap((row) => row["QUERY PLAN"]).reduce((sum, { Plan }) => sum + readBy(Plan), 0);
}

/** How many entries of indexes a statement gathers, before it reads rows by them. */
export async function countGathered(pool: pg.Pool, { sql, parameters }: Query): Promise<number> {
  const { rows } = await pool.query<{ "QUERY PLAN": { Plan: Plan }[] }>(
    `explain (analyze, format json) ${sql}`,
    parameters,
  );
  const gatheredBy = (plan: Plan): number => {
    const own =
      plan["Node Type"] === "Bitmap Index Scan"
        ? (plan["Actual Rows"] ?? 0) * (plan["Actual Loops"] ?? 0)
        : 0;
    return own + (plan.Plans ?? []).reduce((sum, part) => sum + gatheredBy(part), 0);
  };
  return rows.flatMap((row) => row["QUERY PLAN"]).reduce((sum, { Plan }) => sum + gatheredBy(Plan), 0);
}
