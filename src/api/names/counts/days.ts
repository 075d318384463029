import { PgDialect } from "drizzle-orm/pg-core";
import type pg from "pg";
import { sql } from "ponder";
import { inTransaction } from "../../server/postgres/client.ts";
import type { Db } from "../../server/postgres/db.ts";
import { type DaySales, listSalesByDay, saleColumns, salesByDay } from "../query/purchases.ts";
import { chainByChain, formsLike, type Scope, sqlOf } from "../query/scope.ts";
import type { AsOf } from "../query/statistics.ts";
import { DAY } from "../rules/seconds.ts";
import { type Count, countOf } from "./count.ts";
import { readCounters } from "./counters.ts";
import { lookedAfterBy, madeBy, maintainerColumns, mayReplace, versionOf } from "./maintainer.ts";

/*
 * What was sold on each day that is over. No reorganisation goes below a final block, so a day that ended before it is
 * counted once and for all. A reader adds the days since then from the events.
 */

/** Days counted by one statement. A month of 5,000 sales a day has 150,000, which take a second or two. */
const DAYS_AT_A_TIME = 31;

const dialect = new PgDialect({ casing: "snake_case" });
const salesText = (from: number, until: number, chains: Scope) =>
  dialect.sqlToQuery(salesByDay({ chains, from, until }));

const createTables = (schema: string): string => `
  drop table if exists ${schema}.figures_days, ${schema}.figures_days_state;
  create table ${schema}.figures_days_state (chain_id integer not null, counted oid not null, rules integer not null,
    until bigint not null, ${maintainerColumns});
  create table ${schema}.figures_days (chain_id integer, day integer, is_registration boolean, seller text, seller_address text,
    names integer not null, cost_wei numeric not null, premium_wei numeric not null, is_upper_bound boolean not null,
    payment_token text, token_amount numeric not null, token_premium numeric not null,
    primary key (chain_id, day, is_registration, seller, seller_address, payment_token))`;

/** As `rulesNumber` of the counters of names: day counts that were made by other rules are made again. */
const rulesOf = (chains: Scope): number =>
  versionOf(
    createTables(""),
    formsLike(chains)
      .map((one) => salesText(0, 0, one).sql)
      .join(),
  );

/** `startedAt`: when the program started that counts, in unix milliseconds. */
type DaysTarget = { client: pg.ClientBase; schema: string; startedAt?: number | undefined };

/** One chain, with the rules of the deployment. */
type Of = { chainId: number; chains: Scope };

/** The second before which all of a chain is counted; null if nothing is, or by other rules. */
async function readUntil({ client, schema }: DaysTarget, { chainId, chains }: Of): Promise<number | null> {
  if (!(await hasTables({ client, schema }))) return null;
  const { rows } = await client.query<{ until: string }>(
    `select until from ${schema}.figures_days_state
     where counted = '${schema}.events'::regclass::oid and rules = ${rulesOf(chains)} and chain_id = $1`,
    [chainId],
  );
  return rows[0] === undefined ? null : Number(rows[0].until);
}

async function hasTables({ client, schema }: DaysTarget): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>("select to_regclass($1) is not null as exists", [
    `${schema}.figures_days_state`,
  ]);
  return rows[0]?.exists ?? false;
}

/**
 * Counts the days of one chain that ended before a time at which all there is final. Each statement counts some, and
 * stores them. Days that a program with other rules looks after are left to it.
 */
export async function advanceDays(target: DaysTarget, chains: Scope, finalTime: number): Promise<void> {
  const { client, schema } = target;
  const [chainId] = chains.ids as [number];
  const of = { chainId, chains };
  await client.query(`set search_path to ${schema}`);
  const end = Math.floor(finalTime / DAY) * DAY;
  if (!(await areOfTheseRules(target, chains)) && !(await mayReplaceDays(target))) return;
  for (let from = (await readUntil(target, of)) ?? (await begin(target, of, end)); from < end; ) {
    const until = Math.min(end, from + DAYS_AT_A_TIME * DAY);
    const { sql: text, params } = salesText(from, until, chains);
    await inTransaction(client, async () => {
      await client.query(`insert into ${schema}.figures_days ${text}`, params);
      await client.query(`update ${schema}.figures_days_state set until = ${until} where chain_id = $1`, [
        chainId,
      ]);
    });
    from = until;
  }
  await client.query(`update ${schema}.figures_days_state set ${lookedAfterBy(target.startedAt ?? 0)}`);
}

const mayReplaceDays = ({ client, schema, startedAt = Date.now() }: DaysTarget) =>
  mayReplace({ client, schema, state: "figures_days_state", counted: "events", startedAt });

/** Makes the tables if there are none of these rules, and gives the first day on which anything was sold on the chain. */
async function begin(target: DaysTarget, { chainId, chains }: Of, end: number): Promise<number> {
  const { client, schema } = target;
  return inTransaction(client, async () => {
    if (!(await areOfTheseRules(target, chains))) await client.query(createTables(schema));
    const { rows } = await client.query<{ until: string }>(
      `insert into ${schema}.figures_days_state
       select $1, '${schema}.events'::regclass::oid, ${rulesOf(chains)}, least(${end},
         (select min(block_timestamp) from ${schema}.events where chain_id = $1) / ${DAY} * ${DAY}),
         ${madeBy(target.startedAt ?? Date.now())}
       returning until`,
      [chainId],
    );
    return Number(rows[0]?.until);
  });
}

/** Whether the tables have counts of other chains by these rules. */
async function areOfTheseRules({ client, schema }: DaysTarget, chains: Scope): Promise<boolean> {
  if (!(await hasTables({ client, schema }))) return false;
  const { rowCount } = await client.query(
    `select from ${schema}.figures_days_state
     where counted = '${schema}.events'::regclass::oid and rules = ${rulesOf(chains)} limit 1`,
  );
  return rowCount === 1;
}

/** What was sold, by chain, day, kind and seller, since the beginning. */
export const sales: Count<AsOf, DaySales[]> = countOf({
  fromCounters: salesFromCounters,
  fromRows: (db, at) => listSalesOfChains(db, at, new Map()),
});

/** Of chains without day counts it reads every purchase; null if no chain has any. */
async function salesFromCounters(db: Db, at: AsOf): Promise<DaySales[] | null> {
  const { chains } = at;
  const state = await readCounters<{ chainId: number; moment: string }>(
    db,
    sql`select chain_id as "chainId", until as moment from figures_days_state
      where counted = 'events'::regclass::oid and rules = ${sql.raw(String(rulesOf(chains)))} and ${sqlOf(chains).holds(sql`chain_id`)}`,
  );
  const untils = state?.map(({ chainId, moment }) => [chainId, Number(moment)] as const);
  return untils === undefined ? null : listSalesOfChains(db, at, new Map(untils));
}

/** One chain after the other; `untils` has the second before which a chain's sales are counted by day. */
async function listSalesOfChains(db: Db, { chains, now }: AsOf, untils: ReadonlyMap<number, number>) {
  const ofChains = chainByChain(chains).map((one) =>
    listSalesOfChain(db, { chains: one, now }, untils.get(one.ids[0] as number) ?? 0),
  );
  return (await Promise.all(ofChains)).flat();
}

async function listSalesOfChain(db: Db, { chains, now }: AsOf, until: number): Promise<DaySales[]> {
  const lastDay = Math.floor(now / DAY);
  const [counted, fresh] = await Promise.all([
    until === 0 ? [] : readCountedDays(db, chains, Math.min(until / DAY, lastDay)),
    listSalesByDay(db, { chains, from: Math.min(until, lastDay * DAY), until: now + 1 }),
  ]);
  return [...counted, ...fresh];
}

async function readCountedDays(db: Db, chains: Scope, beforeDay: number): Promise<DaySales[]> {
  const { rows } = await db.execute<DaySales>(
    sql`select ${saleColumns} from figures_days where ${sqlOf(chains).holds(sql`chain_id`)} and day < ${beforeDay}
      order by day, seller_address, is_registration`,
  );
  return rows;
}
