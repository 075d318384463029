import { domain, event, type ownershipChange, type resolverChange } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { eq, inArray, isNotNull, sql } from "ponder";
import { ETH_NODE } from "../../../ens/name.ts";
import { type EndColumn, endText } from "../rules/ends.ts";
import type { ScopeSql } from "./scope.ts";

/** The change rows of a history, and the columns that differ between histories. */
export type Changes = {
  table: typeof ownershipChange | typeof resolverChange;
  /** The order of a name's changes. */
  place: SQL;
  /** The new owner or resolver; null for none. */
  address: SQLWrapper;
  reason: SQLWrapper;
  eventType: SQLWrapper;
  /** The expiries of an ENSv2 entry and of the path to it that were in force before the change. */
  expiriesBefore: { entry: SQLWrapper; path: SQLWrapper };
  /** The second at which the wrapper's token ends by time alone, or null, and the state that follows. */
  expires: { at: SQL; address: SQL; reason: SQL };
  /** Whether the end of grace ends a span. */
  endsWithGrace: boolean;
};

const { placeholder } = sql;

/** Layer 2 registrars emit the last one. */
const termEvents = ["NameRegistered", "NameMigrated", "NameRenewed", "NameRegisteredWithRecord"];

/** The expiries that registrars logged for the name: rows of `timeline` at the position of the change that follows. */
const registrarTerms = ({ holds }: ScopeSql): SQL => sql`union all (
      select null, null, null, null, null, null, null, null, null, null, null, ${event.blockNumber}, ${event.logIndex},
        null, null, ${event.expiryTimestamp}
      from ${event} where ${eq(event.node, placeholder("node"))} and ${event.contract} = 'REGISTRAR'
        and ${inArray(event.eventType, termEvents)} and ${holds(event.chainId)})`;

const unknown = (name: string): never => {
  throw new Error(`A timeline has no column for ${name}`);
};

/** Only registrar names have a registrar's expiry, and all registrars use the grace period of .eth names. */
const graceColumns: Partial<Record<EndColumn, string>> = {
  expiryTimestamp: "registrar_expiry",
  parentNode: `'${ETH_NODE}'`,
  chainId: "0",
};

/** The end of grace according to the registrar's expiry in a row. */
const graceEnd = sql.raw(endText("grace_end", (name) => graceColumns[name] ?? unknown(name)));

/**
 * Builds the spans between a name's changes: the start of a statement, with `span` as its last table. Each table reads the
 * previous one in order and joins nothing, so the time per change does not grow with the number of changes.
 *
 * 1. `change`: every change, numbered in chain order. `is_step` marks a change that changed the state or belongs to a new
 *    transaction.
 * 2. `step`: each change, with the events that have changed the state so far in its transaction, and the expiries before it.
 * 3. `timeline`: the last change of each transaction, with the position of the next one, merged with the logged expiries. Several
 *    changes in one transaction count as one, and a state that lasted only within a transaction forms no span.
 * 4. `numbered`, `termed`: each row with the last expiry logged before the next change: a name cannot be renewed after grace.
 * 5. `settled`: each change, with the time at which its effect ends without another log. The terms of an ENSv1 registrar apply only
 *    to owners in ENSv1, and an ENSv2 entry's current expiries to the change in force.
 * 6. `point`, `caused`: the changes, and those of their ends that precede the next change and are not after now. Each has its
 *    cause: the change, or the kind of end.
 * 7. `compared`, `span`: without points that lead to the same state as before. Each span ends where the next begins.
 */
export function spansOf(of: Changes, scope: ScopeSql): SQL {
  const { table, address, reason, expires } = of;
  const state = sql`concat(${address}, ' ', ${reason})`;
  return sql`with change as (
    select row_number() over place as number, ${table.blockNumber} as block, ${table.logIndex} as log,
      ${table.transactionHash} as transaction, ${table.blockTimestamp} as time, ${of.eventType} as event_type,
      ${address} as address, ${reason} as reason, ${expires.at} as expires_at,
      ${expires.address} as next_address, ${expires.reason} as next_reason,
      lag(${table.transactionHash}) over place is distinct from ${table.transactionHash}
        or lag(${state}) over place <> ${state} as is_step,
      ${of.expiriesBefore.entry} as previous_expiry, ${of.expiriesBefore.path} as previous_path_expiry
    from ${table} where ${eq(table.node, placeholder("node"))} and ${scope.holds(table.chainId)}
    window place as (order by ${of.place})
  ), step as (
    select *, array_agg(event_type) filter (where is_step) over place as steps,
      min(log) over (partition by transaction) as first_log,
      first_value(previous_expiry) over place as first_expiry,
      first_value(previous_path_expiry) over place as first_path_expiry,
      lead(transaction) over (order by number) as transaction_after
    from change window place as (partition by transaction order by number)
  ), timeline as (
    (select number, block, transaction, time, steps[cardinality(steps)] as event_type, address, reason, expires_at,
        next_address, next_reason, lead(time) over place as next_time, lead(block) over place as next_block,
        lead(first_log) over place as next_log, lead(first_expiry) over place as token_expiry,
        lead(first_path_expiry) over place as path_expiry, null::numeric as registrar_expiry
      from step where transaction is distinct from transaction_after window place as (order by number))
    ${of.endsWithGrace ? registrarTerms(scope) : sql``}
  ), numbered as (
    select *, count(registrar_expiry) over (order by next_block nulls last, next_log) as terms from timeline
  ), termed as (
    select number, block, transaction, time, event_type, address, reason, expires_at, next_address, next_reason, next_time,
      token_expiry, path_expiry, max(registrar_expiry) over (partition by terms) as registrar_expiry
    from numbered
  ), settled as (
    select *, least(own_end, path_end) as held_until, path_end < own_end as ends_by_path from (
      select *, case when reason = 'token' then case when next_time is null then expiry_now else token_expiry end
          + ${placeholder("tokenAfter")}::bigint else ${graceEnd} end as own_end,
        case when reason = 'token' then case when next_time is null then path_expiry_now else path_expiry end end as path_end
      from termed cross join (
        select min(${domain.expiryTimestamp}) as expiry_now, min(${domain.pathExpiryTimestamp}) as path_expiry_now
        from ${domain} where ${scope.holds(domain.chainId)} and ${eq(domain.node, placeholder("node"))}
          and ${isNotNull(domain.registry)}) as now_stored
      where number is not null
    ) as ending
  ), point as (
    select number, at, at = time as is_change, at = expires_at as is_expiry,
      case when held_until <= at then null when expires_at <= at then next_address else address end as address,
      case when held_until <= at then null when expires_at <= at then next_reason else reason end as reason,
      block, transaction, event_type, reason as reason_before, ends_by_path
    from settled cross join lateral (
      select time as at union select expires_at union select held_until
    ) as ends
    where at = time
      or (at > time and at <= ${placeholder("now")}::bigint and (next_time is null or at < next_time))
  ), caused as (
    select number, at, address, reason, concat(address, ' ', reason) as state,
      case when is_change then event_type end as event_type,
      case when is_change then block end as block,
      case when is_change then transaction end as transaction,
      case when is_change then null when is_expiry then 'wrapper_expiry' when ends_by_path then 'expiry'
        when reason_before = 'token' then ${placeholder("tokenEnding")}::text else 'grace_end' end as caused_by
    from point
  ), compared as (
    select *, lag(state) over (order by number, at) as state_before from caused
  ), span as (
    select number, at as from_time, address, reason, event_type, block as from_block, transaction as from_transaction,
      lead(at) over place as to_time, lead(block) over place as to_block,
      lead(transaction) over place as to_transaction, lead(caused_by) over place as ended_by
    from compared where state is distinct from state_before
    window place as (order by number, at)
  )`;
}
