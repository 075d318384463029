import type pg from "pg";
import { inTransaction } from "../serviceDb/client.ts";
import { classColumns, classOf, expiryColumns, mayDiffer, RULES, resolverColumns } from "./classes.ts";

/** Where the tables are; `schema` as SQL has it, in quotes where it needs them. */
type CountsTarget = { client: pg.ClientBase; schema: string };

/** Rows that come into the counts (`sign` 1) or leave them (-1), counted as at a moment. */
type Part = { sign: 1 | -1; rows: string; at: string };

/** Adds the differences of rows of `domains` to all counts of names. */
function countNames(schema: string, parts: readonly Part[], before = ""): string {
  const addNames = (table: string, keys: string, which: string) => `
      insert into ${schema}.${table} as kept (${keys}, names)
      select ${keys}, sum(sign) from change where ${which} group by ${keys} having sum(sign) <> 0
      on conflict (${keys}) do update set names = kept.names + excluded.names`;
  const change = parts.map(
    ({ sign, rows, at }) => `select ${sign} as sign, ${classOf(at)} from ${rows} d where d.full_name <> ''`,
  );
  return `with ${before} change as materialized (${change.join(" union all ")}),
    by_class as (${addNames("figures_names", classColumns.join(", "), "true")}
    ), by_resolver as (${addNames("figures_resolvers", resolverColumns.join(", "), "resolver is not null")}
    ), by_expiry as (${addNames("figures_expiries", expiryColumns.join(", "), "expiry_day is not null")}
    ), by_owner as (
      insert into ${schema}.figures_addresses as kept (address, names)
      select owner, sum(sign) from change where is_held group by owner having sum(sign) <> 0
      on conflict (address) do update set names = kept.names + excluded.names
    )
    insert into ${schema}.figures_parents as kept (chain_id, parent_node, active, all_time)
    select chain_id, parent_node, coalesce(sum(sign) filter (where is_held), 0), sum(sign) from change
    where has_parent group by chain_id, parent_node
    having sum(sign) <> 0 or sum(sign) filter (where is_held) <> 0
    on conflict (chain_id, parent_node) do update
      set active = kept.active + excluded.active, all_time = kept.all_time + excluded.all_time`;
}

/**
 * Adds the differences of rows of `primary_names`. Whether all claims of an address are on one chain is told by three
 * sums, which claims may come to and go from: n numbers are all the same if n times their squares is their sum squared.
 */
function countClaims(schema: string, parts: readonly Omit<Part, "at">[]): string {
  const change = parts.map(({ sign, rows }) => `select ${sign} as sign, d.* from ${rows} d`);
  const sumIf = (condition: string) => `coalesce(sum(sign) filter (where ${condition}), 0)`;
  return `with change as materialized (${change.join(" union all ")}),
    by_registrar as (
      insert into ${schema}.figures_claims as kept (registrar, chain_id, with_name, cleared, unknown)
      select registrar, chain_id, ${sumIf("name is not null")}, ${sumIf("name is null and is_name_known")},
        ${sumIf("name is null and not is_name_known")} from change group by registrar, chain_id
      on conflict (registrar, chain_id) do update set with_name = kept.with_name + excluded.with_name,
        cleared = kept.cleared + excluded.cleared, unknown = kept.unknown + excluded.unknown
    )
    insert into ${schema}.figures_addresses as kept (address, claims, chains, squares)
    select address, sum(sign), sum(sign * chain_id::numeric), sum(sign * chain_id::numeric * chain_id)
    from change where name is not null group by address
    on conflict (address) do update set claims = kept.claims + excluded.claims,
      chains = kept.chains + excluded.chains, squares = kept.squares + excluded.squares`;
}

const countEvents = (schema: string, parts: readonly Omit<Part, "at">[]): string =>
  `update ${schema}.figures_state set events = events
    ${parts.map(({ sign, rows }) => `${sign < 0 ? "-" : "+"} (select count(*) from ${rows})`).join(" ")}`;

const figureTables = [
  "figures_state",
  "figures_names",
  "figures_resolvers",
  "figures_expiries",
  "figures_addresses",
  "figures_parents",
  "figures_claims",
];

/** `counted` is the table that the counts are of: a table that was made anew has another number. */
const createTables = (schema: string): string => `
  drop table if exists ${figureTables.map((table) => `${schema}.${table}`).join(", ")};
  create table ${schema}.figures_state (taken_at bigint not null, counted oid not null, rules integer not null,
    events bigint not null);
  create table ${schema}.figures_names (chain_id integer, is_eth boolean, is_counted boolean, has_parent boolean,
    is_owned boolean, is_label_known boolean, label_length integer, phase text, expires_within integer,
    is_wrapped boolean, names bigint not null, primary key (${classColumns.join(", ")}));
  create table ${schema}.figures_resolvers (chain_id integer, resolver text, is_eth boolean, phase text,
    expires_within integer, is_wrapped boolean, names bigint not null, primary key (${resolverColumns.join(", ")}));
  create table ${schema}.figures_expiries (chain_id integer, expiry_day bigint, is_eth boolean, is_wrapped boolean,
    names bigint not null, primary key (${expiryColumns.join(", ")}));
  create table ${schema}.figures_addresses (address text primary key, names bigint not null default 0,
    claims bigint not null default 0, chains numeric not null default 0, squares numeric not null default 0);
  create table ${schema}.figures_parents (chain_id integer, parent_node text, active bigint not null,
    all_time bigint not null, primary key (chain_id, parent_node));
  create table ${schema}.figures_claims (registrar text, chain_id integer, with_name bigint not null,
    cleared bigint not null, unknown bigint not null, primary key (registrar, chain_id))`;

const operations = {
  insert: { parts: [{ sign: 1, rows: "new_rows" }], tables: "new table as new_rows" },
  delete: { parts: [{ sign: -1, rows: "old_rows" }], tables: "old table as old_rows" },
  update: {
    parts: [
      { sign: -1, rows: "old_rows" },
      { sign: 1, rows: "new_rows" },
    ],
    tables: "old table as old_rows new table as new_rows",
  },
} as const;

const counts = {
  domains: (schema: string, parts: readonly Omit<Part, "at">[]) =>
    countNames(
      schema,
      parts.map((part) => ({ ...part, at: "moment" })),
    ),
  primary_names: countClaims,
  events: countEvents,
};

/**
 * Counts each write together with it, in one transaction, so that a reorganisation takes the counts back with the rows.
 * Names are written out: the indexer's sessions have temporary tables of the same names. A fault in here must not stop
 * the indexer: it makes the counts void, answers are then counted from the rows, and the counts are made anew.
 */
const createTriggers = (schema: string): string =>
  Object.entries(counts)
    .flatMap(([table, count]) =>
      Object.entries(operations).map(
        ([operation, { parts, tables }]) => `
  create or replace function ${schema}.figures_${table}_${operation}() returns trigger language plpgsql as $figures$
  declare moment bigint;
  begin
    select taken_at into moment from ${schema}.figures_state for update;
    if moment is not null then
      ${count(schema, parts)};
    end if;
    return null;
  exception when others then
    raise warning 'Figures are void: %', sqlerrm;
    begin
      delete from ${schema}.figures_state;
    exception when others then null;
    end;
    return null;
  end $figures$;
  create or replace trigger figures_${operation} after ${operation} on ${schema}.${table}
    referencing ${tables} for each statement execute function ${schema}.figures_${table}_${operation}()`,
      ),
    )
    .join(";");

/** Whether there are counts of the tables as they are, by the rules of this program. */
export async function hasCounts({ client, schema }: CountsTarget): Promise<boolean> {
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
 * Counts everything once, and from then on with every write. The indexer waits meanwhile: the locks are taken at once
 * or not at all, so that the two never wait for each other.
 *
 * @returns false if the tables were in use
 */
export async function createCounts({ client, schema }: CountsTarget, now: number): Promise<boolean> {
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
  await client.query(`analyze ${figureTables.map((table) => `${schema}.${table}`).join(", ")}`);
  return true;
}

const LOCK_NOT_AVAILABLE = "55P03";

/** Moves the moment for which the counts hold, so that readers have few rows to put right. */
export async function advanceCounts({ client, schema }: CountsTarget, now: number): Promise<void> {
  await inTransaction(client, async () => {
    // Whoever writes holds this row until the end of the transaction: what is counted here is then seen here.
    const { rows } = await client.query<{ moment: string }>(
      `select taken_at as moment from ${schema}.figures_state for update`,
    );
    const moment = rows[0]?.moment;
    if (moment !== undefined) {
      const [from, to] = [`${moment}::bigint`, `${now}::bigint`];
      const due = `due as materialized (select d.* from ${schema}.domains d where ${mayDiffer(from, to)}),`;
      const parts = [
        { sign: -1, rows: "due", at: from },
        { sign: 1, rows: "due", at: to },
      ] as const;
      await client.query(countNames(schema, parts, due));
      await client.query(`update ${schema}.figures_state set taken_at = ${now}`);
    }
  });
}
