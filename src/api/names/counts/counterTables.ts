import { createTriggers } from "../../server/postgres/changeCapture.ts";
import type { LifeRules } from "../rules/life.ts";
import { classColumns, classOf, expiryColumns, isName, resolverColumns } from "./classes.ts";
import { maintainerColumns, versionOf } from "./maintainer.ts";

/** Rows to add to the counters (`sign` 1) or to subtract (-1), by their class at a time. */
export type Part = { sign: 1 | -1; rows: string; at: string };

/** The schema of the counters, and the rules by which names are counted. */
export type Counted = { schema: string; life: LifeRules };

/** SQL that adds rows of `domains` to all name counters. */
export function countNames({ schema, life }: Counted, parts: readonly Part[], before = ""): string {
  const addNames = (table: string, keys: string, which: string) => `
      insert into ${schema}.${table} as counter (${keys}, names)
      select ${keys}, sum(sign) from change where ${which} group by ${keys} having sum(sign) <> 0
      on conflict (${keys}) do update set names = counter.names + excluded.names`;
  const change = parts.map(
    ({ sign, rows, at }) => `select ${sign} as sign, ${classOf(at, life)} from ${rows} d where ${isName}`,
  );
  return `with ${before} change as materialized (${change.join(" union all ")}),
    by_class as (${addNames("figures_names", classColumns(life).join(", "), "true")}
    ), by_resolver as (${addNames("figures_resolvers", resolverColumns.join(", "), "resolver is not null and is_counted")}
    ), by_expiry as (${addNames("figures_expiries", expiryColumns(life).join(", "), "expiry_day is not null and is_counted")}
    ), by_owner as (
      insert into ${schema}.figures_owners as counter (chain_id, address, names)
      select chain_id, owner, sum(sign) from change where is_held and owner is not null group by chain_id, owner having sum(sign) <> 0
      on conflict (chain_id, address) do update set names = counter.names + excluded.names
    )
    insert into ${schema}.figures_parents as counter (chain_id, parent_node, active, all_time)
    select chain_id, parent_node, coalesce(sum(sign) filter (where is_held), 0), sum(sign) from change
    where has_parent group by chain_id, parent_node
    having sum(sign) <> 0 or sum(sign) filter (where is_held) <> 0
    on conflict (chain_id, parent_node) do update
      set active = counter.active + excluded.active, all_time = counter.all_time + excluded.all_time`;
}

/**
 * SQL that adds rows of `primary_names`. Three sums show whether all claims of an address are on one chain, and rows can be added
 * to sums and subtracted from them: n numbers are equal if n times the sum of their squares equals the square of their sum.
 */
export function countClaims(schema: string, parts: readonly Omit<Part, "at">[]): string {
  const change = parts.map(({ sign, rows }) => `select ${sign} as sign, d.* from ${rows} d`);
  const sumIf = (condition: string) => `coalesce(sum(sign) filter (where ${condition}), 0)`;
  return `with change as materialized (${change.join(" union all ")}),
    by_registrar as (
      insert into ${schema}.figures_claims as counter (registrar, chain_id, with_name, cleared, unknown)
      select registrar, chain_id, ${sumIf("name is not null")}, ${sumIf("name is null and is_name_known")},
        ${sumIf("name is null and not is_name_known")} from change group by registrar, chain_id
      on conflict (registrar, chain_id) do update set with_name = counter.with_name + excluded.with_name,
        cleared = counter.cleared + excluded.cleared, unknown = counter.unknown + excluded.unknown
    )
    insert into ${schema}.figures_addresses as counter (address, claims, chains, squares)
    select address, sum(sign), sum(sign * chain_id::numeric), sum(sign * chain_id::numeric * chain_id)
    from change where name is not null group by address
    on conflict (address) do update set claims = counter.claims + excluded.claims,
      chains = counter.chains + excluded.chains, squares = counter.squares + excluded.squares`;
}

/** SQL that adds rows of `events`. */
export const countEvents = (schema: string, parts: readonly Omit<Part, "at">[]): string =>
  `insert into ${schema}.figures_events as counter (chain_id, events)
    select chain_id, sum(sign) from (
      ${parts.map(({ sign, rows }) => `select chain_id, ${sign} as sign from ${rows}`).join(" union all ")}
    ) as change group by chain_id
    on conflict (chain_id) do update set events = counter.events + excluded.events`;

export const counterTables = [
  "figures_state",
  "figures_names",
  "figures_resolvers",
  "figures_expiries",
  "figures_owners",
  "figures_addresses",
  "figures_parents",
  "figures_claims",
  "figures_events",
];

export const dropTables = (schema: string): string =>
  `drop table if exists ${counterTables.map((table) => `${schema}.${table}`).join(", ")}`;

/**
 * SQL that creates the counters' tables. `counted` identifies the table that was counted: a table that is created again has
 * another OID.
 */
export function createTables({ schema, life }: Counted): string {
  const ofEnsv2 = life.terms === undefined ? "" : ", is_ensv2 boolean";
  const pathOfEnsv2 = life.terms === undefined ? "" : `${ofEnsv2}, path_ends_within integer`;
  const terms = life.terms === undefined ? "" : ", ensv2_terms text not null";
  return `
  ${dropTables(schema)};
  create table ${schema}.figures_state (taken_at bigint not null, counted oid not null, rules integer not null,
    ${maintainerColumns}${terms});
  create table ${schema}.figures_names (chain_id integer, is_eth boolean, is_counted boolean, has_parent boolean,
    is_owned boolean, is_label_known boolean, label_length integer, is_long_enough boolean, phase text, expires_within integer,
    is_wrapped boolean${ofEnsv2}, names bigint not null, primary key (${classColumns(life).join(", ")}));
  create table ${schema}.figures_resolvers (chain_id integer, resolver text, is_eth boolean, is_long_enough boolean, phase text,
    expires_within integer, is_wrapped boolean, names bigint not null, primary key (${resolverColumns.join(", ")}));
  create table ${schema}.figures_expiries (chain_id integer, expiry_day bigint, is_eth boolean, has_end boolean, is_wrapped boolean${pathOfEnsv2},
    names bigint not null, primary key (${expiryColumns(life).join(", ")}));
  create table ${schema}.figures_owners (chain_id integer, address text, names bigint not null,
    primary key (chain_id, address));
  create table ${schema}.figures_addresses (address text primary key, claims bigint not null,
    chains numeric not null, squares numeric not null);
  create table ${schema}.figures_parents (chain_id integer, parent_node text, active bigint not null,
    all_time bigint not null, primary key (chain_id, parent_node));
  create table ${schema}.figures_claims (registrar text, chain_id integer, with_name bigint not null,
    cleared bigint not null, unknown bigint not null, primary key (registrar, chain_id));
  create table ${schema}.figures_events (chain_id integer primary key, events bigint not null)`;
}

/** The tables whose writes are counted, with the SQL that counts their rows. */
const countersOf = {
  domains: (counted: Counted, parts: readonly Omit<Part, "at">[]) =>
    countNames(
      counted,
      parts.map((part) => ({ ...part, at: "moment" })),
    ),
  primary_names: ({ schema }: Counted, parts: readonly Omit<Part, "at">[]) => countClaims(schema, parts),
  events: ({ schema }: Counted, parts: readonly Omit<Part, "at">[]) => countEvents(schema, parts),
};

export const countedTables = Object.keys(countersOf) as (keyof typeof countersOf)[];

const taken = { sign: -1, rows: "old_rows" } as const;
const added = { sign: 1, rows: "new_rows" } as const;
const partsOf = { insert: [added], delete: [taken], update: [taken, added] };

/**
 * SQL that creates the triggers that count each write. An error invalidates the counters: answers are then counted from the rows,
 * and the counters are built again.
 */
export const createCounterTriggers = (counted: Counted): string =>
  createTriggers(counted.schema, {
    name: "figures",
    tables: countedTables,
    variables: "moment bigint",
    handle: (table, operation) => ({
      rows: partsOf[operation].map(({ rows }) => rows),
      sql: `select taken_at into moment from ${counted.schema}.figures_state for update;
    if moment is not null then
      ${countersOf[table as keyof typeof countersOf](counted, partsOf[operation])};
    end if`,
    }),
    fault: { warning: "Figures are void", sql: `delete from ${counted.schema}.figures_state` },
  });

/**
 * The version of the rules, derived from everything that is counted and how. Counters made by other rules are not read, and are
 * built again.
 */
export function rulesNumber(life: LifeRules): number {
  const known = numbers.get(life);
  if (known !== undefined) return known;
  const counted = { schema: "", life };
  const number = versionOf(createTables(counted), createCounterTriggers(counted));
  numbers.set(life, number);
  return number;
}

const numbers = new WeakMap<LifeRules, number>();
