import type pg from "pg";
import { inTransaction } from "../serviceDb/client.ts";
import { mayDiffer } from "./classes.ts";
import { countClaims, counterTables, countNames, createTables, createTriggers, RULES } from "./tables.ts";

/** Where the tables are; `schema` as SQL has it, in quotes where it needs them. */
export type CountsTarget = { client: pg.ClientBase; schema: string };

/** Whether there are counters of these tables, made by the rules of this program. */
export async function hasCounters({ client, schema }: CountsTarget): Promise<boolean> {
  const { rows } = await client.query(
    "select from pg_attribute where attrelid = to_regclass($1) and attname = 'rules'",
    [`${schema}.figures_state`],
  );
  if (rows.length === 0) return false;
  const { rowCount } = await client.query(
    `select from ${schema}.figures_state where counted = '${schema}.domains'::regclass::oid and rules = ${RULES}`,
  );
  return rowCount === 1;
}

/**
 * Counts everything once, and from then on with every write. The indexer waits meanwhile. The locks are taken at once
 * or not at all, so that the two never wait for each other.
 *
 * @returns false if the tables were in use
 */
export async function createCounters({ client, schema }: CountsTarget, now: number): Promise<boolean> {
  try {
    await inTransaction(client, async () => {
      await client.query(
        `lock table ${schema}.domains, ${schema}.primary_names, ${schema}.events in share row exclusive mode nowait`,
      );
      await client.query(createTables(schema));
      await client.query(createTriggers(schema));
      await client.query(countNames(schema, [{ sign: 1, rows: `${schema}.domains`, at: `${now}::bigint` }]));
      await client.query(countClaims(schema, [{ sign: 1, rows: `${schema}.primary_names` }]));
      await client.query(
        `insert into ${schema}.figures_state
         select ${now}, '${schema}.domains'::regclass::oid, ${RULES}, count(*) from ${schema}.events`,
      );
    });
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
  await client.query(`analyze ${counterTables.map((table) => `${schema}.${table}`).join(", ")}`);
  return true;
}

const LOCK_NOT_AVAILABLE = "55P03";

/** Moves the counters' moment to now, so that readers have few rows to correct. */
export async function advanceCounters({ client, schema }: CountsTarget, now: number): Promise<void> {
  await inTransaction(client, async () => {
    // Each writer holds this row until its transaction ends, so all that is counted is visible here.
    const { rows } = await client.query<{ moment: string }>(
      `select taken_at as moment from ${schema}.figures_state for update`,
    );
    const moment = rows[0]?.moment;
    if (moment === undefined) return;
    const [from, to] = [`${moment}::bigint`, `${now}::bigint`];
    const due = `due as materialized (select d.* from ${schema}.domains d where ${mayDiffer(from, to)}),`;
    const parts = [
      { sign: -1, rows: "due", at: from },
      { sign: 1, rows: "due", at: to },
    ] as const;
    await client.query(countNames(schema, parts, due));
    await client.query(`update ${schema}.figures_state set taken_at = ${now}`);
  });
}
