import { createHash } from "node:crypto";
import { PgDialect } from "drizzle-orm/pg-core";
import type pg from "pg";
import { sql } from "ponder";
import type { Db } from "../query/db.ts";
import { type DaySales, listSalesByDay, saleColumns, salesByDay } from "../query/purchases.ts";
import type { AsOf } from "../query/statistics.ts";
import { DAY } from "../rules/lifetime.ts";
import { inTransaction } from "../serviceDb/client.ts";
import { readCounters } from "./counters.ts";

/*
 * What was sold on each day that is over. No reorganisation goes below a final block, so a day that ended before it is
 * counted once and for all. A reader adds the days since then from the events.
 */

/** Days counted by one statement. A month of 5,000 sales a day has 150,000, which take a second or two. */
const DAYS_AT_A_TIME = 31;

const dialect = new PgDialect({ casing: "snake_case" });
const salesText = (from: number, until: number, chainId: number) =>
  dialect.sqlToQuery(salesByDay({ chainId, from, until }));

const createTables = (schema: string): string => `
  drop table if exists ${schema}.figures_days, ${schema}.figures_days_state;
  create table ${schema}.figures_days_state (chain_id integer not null, counted oid not null, rules integer not null,
    until bigint not null);
  create table ${schema}.figures_days (day integer, is_registration boolean, seller text, seller_address text,
    names integer not null, cost_wei numeric not null, premium_wei numeric not null, is_upper_bound boolean not null,
    primary key (day, is_registration, seller, seller_address))`;

/** As `RULES` of the counters of names: day counts that were made by other rules are made again. */
const RULES =
  createHash("sha256")
    .update(createTables(""))
    .update(salesText(0, 0, 0).sql)
    .digest()
    .readUInt32BE() >>> 1;

type DaysTarget = { client: pg.ClientBase; schema: string; chainId: number };

/** The second before which all is counted; null if nothing is, or by other rules. */
async function readUntil({ client, schema, chainId }: DaysTarget): Promise<number | null> {
  const { rows: tables } = await client.query<{ exists: boolean }>(
    "select to_regclass($1) is not null as exists",
    [`${schema}.figures_days_state`],
  );
  if (!tables[0]?.exists) return null;
  const { rows } = await client.query<{ until: string }>(
    `select until from ${schema}.figures_days_state
     where counted = '${schema}.events'::regclass::oid and rules = ${RULES} and chain_id = $1`,
    [chainId],
  );
  return rows[0] === undefined ? null : Number(rows[0].until);
}

/** Counts the days that ended before a time at which all is final. Each statement counts some, and keeps them. */
export async function advanceDays(target: DaysTarget, finalTime: number): Promise<void> {
  const { client, schema } = target;
  await client.query(`set search_path to ${schema}`);
  const end = Math.floor(finalTime / DAY) * DAY;
  for (let from = (await readUntil(target)) ?? (await begin(target, end)); from < end; ) {
    const until = Math.min(end, from + DAYS_AT_A_TIME * DAY);
    const { sql: text, params } = salesText(from, until, target.chainId);
    await inTransaction(client, async () => {
      await client.query(`insert into ${schema}.figures_days ${text}`, params);
      await client.query(`update ${schema}.figures_days_state set until = ${until}`);
    });
    from = until;
  }
}

/** Makes the tables, and gives the first day on which anything was sold. */
async function begin({ client, schema, chainId }: DaysTarget, end: number): Promise<number> {
  return inTransaction(client, async () => {
    await client.query(createTables(schema));
    const { rows } = await client.query<{ until: string }>(
      `insert into ${schema}.figures_days_state
       select $1, '${schema}.events'::regclass::oid, ${RULES}, least(${end},
         (select min(block_timestamp) from ${schema}.events where chain_id = $1) / ${DAY} * ${DAY})
       returning until`,
      [chainId],
    );
    return Number(rows[0]?.until);
  });
}

/** As `listSalesByDay` of all time. Without day counts it reads every purchase. */
export async function listSales(db: Db, { chainId, now }: AsOf): Promise<DaySales[]> {
  const state = await readCounters<{ moment: string }>(
    db,
    sql`select until as moment from figures_days_state
      where counted = 'events'::regclass::oid and rules = ${sql.raw(String(RULES))} and chain_id = ${chainId}`,
  );
  const until = Number(state?.[0]?.moment ?? 0);
  const lastDay = Math.floor(now / DAY);
  const [kept, fresh] = await Promise.all([
    until === 0 ? [] : readKept(db, Math.min(until / DAY, lastDay)),
    listSalesByDay(db, { chainId, from: Math.min(until, lastDay * DAY), until: now + 1 }),
  ]);
  return [...kept, ...fresh];
}

async function readKept(db: Db, beforeDay: number): Promise<DaySales[]> {
  const { rows } = await db.execute<DaySales>(
    sql`select ${saleColumns} from figures_days where day < ${beforeDay} order by day, seller_address, is_registration`,
  );
  return rows;
}
