import { PgDialect } from "drizzle-orm/pg-core";
import type pg from "pg";
import { sql } from "ponder";
import { inTransaction } from "../../server/postgres/client.ts";
import type { Db } from "../../server/postgres/db.ts";
import {
  type DaySales,
  listReferrers,
  listSalesByDay,
  purchases,
  type ReferrerSales,
  saleColumns,
  salesByDay,
  salesByReferrer,
  soldColumns,
} from "../query/purchases.ts";
import { chainByChain, formsLike, type Scope, sqlOf } from "../query/scope.ts";
import type { AsOf } from "../query/statistics.ts";
import { DAY } from "../rules/seconds.ts";
import { type Count, countOf } from "./count.ts";
import { readCounters } from "./counters.ts";
import { lookedAfterBy, madeBy, maintainerColumns, mayReplace, versionOf } from "./maintainer.ts";

/**
 * Sales of each completed day. No reorganisation goes below a final block, so a day that ended before it is counted once and for
 * all, and so are the sales through each referrer until then. A reader adds later sales from the events.
 */

/** Days counted per statement. A month with 5,000 sales a day has 150,000, which take a second or two. */
const DAYS_AT_A_TIME = 31;

const dialect = new PgDialect({ casing: "snake_case" });
const [dayKeys, referrerKeys] = [
  ["chain_id", "day", "seller", "seller_address"],
  ["chain_id", "referrer"],
];
const added = soldColumns.filter((column) => !["is_registration", "payment_token"].includes(column));

/** SQL that counts some days. */
function countingText(schema: string, range: { chains: Scope; from: number; until: number }) {
  const columnsOf = (keys: readonly string[]) => sql.raw([...keys, ...soldColumns].join(", "));
  const table = (name: string) => sql.raw(`${schema}.${name}`);
  const sums = added.map((column) => {
    const operator = column === "is_upper_bound" ? "or" : "+";
    return `${column} = counter.${column} ${operator} excluded.${column}`;
  });
  return dialect.sqlToQuery(sql`
    with purchase as materialized (select * from ${purchases(range)}), by_day as (
      insert into ${table("figures_days")} (${columnsOf(dayKeys)})
      select ${columnsOf(dayKeys)} from (${salesByDay}) as sale
    )
    insert into ${table("figures_referrers")} as counter (${columnsOf(referrerKeys)})
    select ${columnsOf(referrerKeys)} from (${salesByReferrer}) as sale
    on conflict (chain_id, referrer, is_registration, payment_token) do update set ${sql.raw(sums.join(", "))}`);
}

const soldTypes = `is_registration boolean, names integer not null, cost_wei numeric not null, premium_wei numeric not null,
    cost_usd numeric, premium_usd numeric, is_upper_bound boolean not null, payment_token text, token_amount numeric not null,
    token_premium numeric not null`;

const createTables = (schema: string): string => `
  drop table if exists ${schema}.figures_days, ${schema}.figures_referrers, ${schema}.figures_days_state;
  create table ${schema}.figures_days_state (chain_id integer not null, counted oid not null, rules integer not null,
    until bigint not null, ${maintainerColumns});
  create table ${schema}.figures_days (chain_id integer, day integer, seller text, seller_address text, ${soldTypes},
    primary key (chain_id, day, is_registration, seller, seller_address, payment_token));
  create table ${schema}.figures_referrers (chain_id integer, referrer text, ${soldTypes},
    primary key (chain_id, referrer, is_registration, payment_token))`;

/** Like `rulesNumber` of the name counters: day counts made by other rules are built again. */
const rulesOf = (chains: Scope): number =>
  versionOf(
    createTables(""),
    formsLike(chains)
      .map((one) => countingText("", { chains: one, from: 0, until: 0 }).sql)
      .join(),
  );

/** `startedAt`: when the counting program started, in Unix milliseconds. */
type DaysTarget = { client: pg.ClientBase; schema: string; startedAt?: number | undefined };

/** One chain, with the rules of the deployment. */
type Of = { chainId: number; chains: Scope };

/** By chain, the second before which everything is counted by these rules. */
async function readState(
  { client, schema }: DaysTarget,
  chains: Scope,
): Promise<ReadonlyMap<number, number>> {
  const state = `${schema}.figures_days_state`;
  const found = await client.query<{ exists: boolean }>("select to_regclass($1) is not null as exists", [
    state,
  ]);
  if (!found.rows[0]?.exists) return new Map();
  const { rows } = await client.query<{ chain: number; until: string }>(
    `select chain_id as chain, until from ${state}
     where counted = '${schema}.events'::regclass::oid and rules = ${rulesOf(chains)}`,
  );
  return new Map(rows.map(({ chain, until }) => [chain, Number(until)]));
}

/**
 * Counts the days of one chain that ended before a time at which everything is final. Each statement counts and stores some of
 * them. Days maintained by a program with other rules are left alone.
 */
export async function advanceDays(target: DaysTarget, chains: Scope, finalTime: number): Promise<void> {
  const { client, schema } = target;
  const [chainId] = chains.ids as [number];
  const of = { chainId, chains };
  await client.query(`set search_path to ${schema}`);
  const end = Math.floor(finalTime / DAY) * DAY;
  const state = await readState(target, chains);
  if (state.size === 0 && !(await mayReplaceDays(target))) return;
  for (let from = state.get(chainId) ?? (await begin(target, of, end)); from < end; ) {
    const until = Math.min(end, from + DAYS_AT_A_TIME * DAY);
    const { sql: text, params } = countingText(schema, { chains, from, until });
    await inTransaction(client, async () => {
      await client.query(text, params);
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

/** Creates the tables if there are none with these rules. Returns the first day with a sale on the chain. */
async function begin(target: DaysTarget, { chainId, chains }: Of, end: number): Promise<number> {
  const { client, schema } = target;
  return inTransaction(client, async () => {
    if ((await readState(target, chains)).size === 0) await client.query(createTables(schema));
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

/** Sales by chain, day, kind and seller, since the beginning. */
export const sales: Count<AsOf, DaySales[]> = countOf({
  fromCounters: salesFromCounters,
  fromRows: (db, at) => listSalesOfChains(db, at, new Map()),
});

/** Reads every purchase on chains without day counts. Null if no chain has any. */
async function salesFromCounters(db: Db, at: AsOf): Promise<DaySales[] | null> {
  const untils = await readUntils(db, at);
  return untils === null ? null : listSalesOfChains(db, at, untils);
}

/** By chain, the second before which its sales are counted. Null if no chain has any. */
async function readUntils(db: Db, { chains }: AsOf): Promise<ReadonlyMap<number, number> | null> {
  const state = await readCounters<{ chainId: number; until: string }>(
    db,
    sql`select chain_id as "chainId", until, until as moment from figures_days_state
      where counted = 'events'::regclass::oid and rules = ${sql.raw(String(rulesOf(chains)))} and ${sqlOf(chains).holds(sql`chain_id`)}`,
  );
  return state && new Map(state.map(({ chainId, until }) => [chainId, Number(until)]));
}

/** Reads one chain after the other. `untils` has the second before which a chain's sales are counted by day. */
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

/** Maximum number of referrers in an answer. */
export const MAX_REFERRERS = 100;

/** Sales through the referrers with the most purchases, since the beginning. */
export const referrers: Count<AsOf, ReferrerSales[]> = countOf({
  fromCounters: referrersFromCounters,
  fromRows: (db, at) =>
    listReferrers(db, { counted: null, ranges: rangesOf(at, new Map()), limit: MAX_REFERRERS }),
});

/** Null also if the counters are ahead of the requested time: they cannot give the sales until then. */
async function referrersFromCounters(db: Db, at: AsOf): Promise<ReferrerSales[] | null> {
  const untils = await readUntils(db, at);
  if (untils === null || [...untils.values()].some((until) => until > at.now)) return null;
  const columns = sql.raw([...referrerKeys, ...soldColumns].join(", "));
  const counted = sql`select ${columns} from figures_referrers where ${sqlOf(at.chains).holds(sql`chain_id`)}`;
  return listReferrers(db, { counted, ranges: rangesOf(at, untils), limit: MAX_REFERRERS });
}

/** The ranges of each chain that are not counted yet. */
const rangesOf = ({ chains, now }: AsOf, untils: ReadonlyMap<number, number>) =>
  chainByChain(chains).map((one) => ({
    chains: one,
    from: untils.get(one.ids[0] as number) ?? 0,
    until: now + 1,
  }));
