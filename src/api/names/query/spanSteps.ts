import { domain, event, ownershipChange, type resolverChange } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { eq, inArray, isNotNull, sql } from "ponder";
import { ETH_NODE } from "../../../ens/name.ts";
import { type EndColumn, endText } from "../rules/ends.ts";
import type { ScopeSql } from "./scope.ts";

/**
 * Builds the spans between a name's changes in SQL. Each step reads the previous one in order and joins nothing, so the time per
 * change does not grow with the number of changes.
 */

/** The change rows of a history, and the columns that differ between histories. */
export type Changes = {
  table: typeof ownershipChange | typeof resolverChange;
  /** The order of a name's changes. */
  place: SQL;
  /** The new owner or resolver; null for none. */
  address: SQLWrapper;
  reason: SQLWrapper;
  eventType: SQLWrapper;
  /** The second at which the wrapper's token ends by time alone, or null, and the state that follows. */
  expires: { at: SQL; address: SQL; reason: SQL };
  /** Whether the end of grace ends a span. */
  endsWithGrace: boolean;
  /** Whether names can be in ENSv2. */
  hasEnsv2?: true | undefined;
};

const { placeholder } = sql;

/** The columns of a timeline, with their types. */
const timelineTypes = {
  number: "bigint",
  block: "int",
  transaction: "text",
  time: "bigint",
  event_type: "text",
  address: "text",
  reason: "text",
  expires_at: "numeric",
  next_address: "text",
  next_reason: "text",
  next_time: "bigint",
  next_block: "int",
  next_log: "int",
  registrar_expiry: "numeric",
} as const;

/** Adds the expiry of an ENSv2 entry and the end of its path, as they were in force when the next change came. */
const timelineTypesOfBoth = { ...timelineTypes, token_expiry: "numeric", path_expiry: "numeric" } as const;

type TimelineColumn = keyof typeof timelineTypesOfBoth;

/** A row of a timeline. Columns without a value are null. */
const timelineRow = (values: Partial<Record<TimelineColumn, SQLWrapper>>, { hasEnsv2 }: Changes): SQL =>
  sql.join(
    Object.entries(hasEnsv2 ? timelineTypesOfBoth : timelineTypes).map(([column, type]) => {
      const value = values[column as TimelineColumn] ?? sql.raw(`null::${type}`);
      return sql`${value} as ${sql.raw(column)}`;
    }),
    sql`, `,
  );

/** A step of the statement: its name and its query. */
type Step = [name: string, select: SQL];

const previousEnds = sql`, ${ownershipChange.previousExpiryTimestamp} as previous_expiry,
      ${ownershipChange.previousPathExpiryTimestamp} as previous_path_expiry`;

/** Every change, numbered in chain order. `is_step` marks a change that changed the state or belongs to a new transaction. */
function changeStep(of: Changes, scope: ScopeSql): Step {
  const { table, place, address, reason, eventType, expires, hasEnsv2 } = of;
  const state = sql`concat(${address}, ' ', ${reason})`;
  const select = sql`select row_number() over place as number, ${table.blockNumber} as block, ${table.logIndex} as log,
      ${table.transactionHash} as transaction, ${table.blockTimestamp} as time, ${eventType} as event_type,
      ${address} as address, ${reason} as reason, ${expires.at} as expires_at,
      ${expires.address} as next_address, ${expires.reason} as next_reason,
      lag(${table.transactionHash}) over place is distinct from ${table.transactionHash}
        or lag(${state}) over place <> ${state} as is_step
      ${hasEnsv2 ? previousEnds : sql``}
    from ${table} where ${eq(table.node, placeholder("node"))} and ${scope.holds(table.chainId)}
    window place as (order by ${place})`;
  return ["change", select];
}

/** The expiries in force before the transaction. */
const firstEnds = sql`first_value(previous_expiry) over (partition by transaction order by number) as first_expiry,
      first_value(previous_path_expiry) over (partition by transaction order by number) as first_path_expiry,`;

/** Each change, with the events that have changed the state so far in its transaction. */
const stepStep = ({ hasEnsv2 }: Changes): Step => [
  "step",
  sql`select *, array_agg(event_type) filter (where is_step) over (partition by transaction order by number) as steps,
      min(log) over (partition by transaction) as first_log,
      ${hasEnsv2 ? firstEnds : sql``}
      lead(transaction) over (order by number) as transaction_after from change`,
];

/**
 * The last change of each transaction, with the position of the next one. Several changes in one transaction count as one, and a
 * state that lasted only within a transaction forms no span.
 */
function lastOfTransactions(of: Changes): SQL {
  const column = (name: string) => sql.raw(name);
  const row = timelineRow(
    {
      number: column("number"),
      block: column("block"),
      transaction: column("transaction"),
      time: column("time"),
      event_type: column("steps[cardinality(steps)]"),
      address: column("address"),
      reason: column("reason"),
      expires_at: column("expires_at"),
      next_address: column("next_address"),
      next_reason: column("next_reason"),
      next_time: column("lead(time) over place"),
      next_block: column("lead(block) over place"),
      next_log: column("lead(first_log) over place"),
      token_expiry: column("lead(first_expiry) over place"),
      path_expiry: column("lead(first_path_expiry) over place"),
    },
    of,
  );
  return sql`select ${row} from step where transaction is distinct from transaction_after
    window place as (order by number)`;
}

/** The expiries that registrars logged for the name: rows at the position of the change that follows. */
const registrarTerms = (of: Changes, scope: ScopeSql): SQL => sql`select ${timelineRow(
  { next_block: event.blockNumber, next_log: event.logIndex, registrar_expiry: event.expiryTimestamp },
  of,
)} from ${event}
    where ${eq(event.node, placeholder("node"))} and ${event.contract} = 'REGISTRAR'
      and ${inArray(event.eventType, termEvents)} and ${scope.holds(event.chainId)}`;

/** Layer 2 registrars emit the last one. */
const termEvents = ["NameRegistered", "NameMigrated", "NameRenewed", "NameRegisteredWithRecord"];

/** The changes, at the position of the next one, merged with the logged expiries. */
function timelineStep(of: Changes, scope: ScopeSql): Step {
  const parts = [lastOfTransactions(of), ...(of.endsWithGrace ? [registrarTerms(of, scope)] : [])];
  return [
    "timeline",
    sql.join(
      parts.map((part) => sql`(${part})`),
      sql` union all `,
    ),
  ];
}

/** Each row, with the number of logged expiries before it. */
const numberedStep: Step = [
  "numbered",
  sql`select *, count(registrar_expiry) over (order by next_block nulls last, next_log) as terms from timeline`,
];

/** Each row with that expiry. The last expiry logged before the next change counts: a name cannot be renewed after grace. */
const termedStep = ({ hasEnsv2 }: Changes): Step => [
  "termed",
  sql`select number, block, transaction, time, event_type, address, reason, expires_at, next_address, next_reason,
      next_time, max(registrar_expiry) over (partition by terms) as registrar_expiry
      ${hasEnsv2 ? sql`, token_expiry, path_expiry` : sql``}
    from numbered`,
];

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

/** The end of an ENSv2 token by its own expiry. */
const tokenEnd = sql`case when next_time is null then expiry_now else token_expiry end + ${placeholder("tokenAfter")}::bigint`;

/** The end of the path to the token. */
const pathEnd = sql`case when reason = 'token' then case when next_time is null then path_expiry_now else path_expiry end end`;

/** The entry's current expiries, which apply to the change in force. */
const endsNow = ({ holds }: ScopeSql): SQL => sql`select min(${domain.expiryTimestamp}) as expiry_now,
        min(${domain.pathExpiryTimestamp}) as path_expiry_now
      from ${domain} where ${holds(domain.chainId)} and ${eq(domain.node, placeholder("node"))}
        and ${isNotNull(domain.registry)}`;

/** The changes, each with the time at which its effect ends without another log. */
function settledStep({ hasEnsv2 }: Changes, scope: ScopeSql): Step {
  if (!hasEnsv2)
    return ["settled", sql`select *, ${graceEnd} as held_until from termed where number is not null`];
  // The terms of an ENSv1 registrar apply only to owners in ENSv1.
  const select = sql`select *, least(own_end, path_end) as held_until, path_end < own_end as ends_by_path from (
      select *, case when reason = 'token' then ${tokenEnd} else ${graceEnd} end as own_end, ${pathEnd} as path_end
      from termed cross join (${endsNow(scope)}) as now_stored where number is not null
    ) as ending`;
  return ["settled", select];
}

/** The settled changes, and those of their ends that precede the next change and are not after now. */
const pointStep = ({ hasEnsv2 }: Changes): Step => [
  "point",
  sql`select number, at, at = time as is_change, at = expires_at as is_expiry,
      case when held_until <= at then null when expires_at <= at then next_address else address end as address,
      case when held_until <= at then null when expires_at <= at then next_reason else reason end as reason,
      block, transaction, event_type ${hasEnsv2 ? sql`, reason as reason_before, ends_by_path` : sql``}
    from settled cross join lateral (
      select time as at union select expires_at union select held_until
    ) as ends
    where at = time
      or (at > time and at <= ${placeholder("now")}::bigint and (next_time is null or at < next_time))`,
];

/** Each point with its cause: the change, or the kind of end. */
const causedStep = ({ hasEnsv2 }: Changes): Step => [
  "caused",
  sql`select number, at, address, reason, concat(address, ' ', reason) as state,
      case when is_change then event_type end as event_type,
      case when is_change then block end as block,
      case when is_change then transaction end as transaction,
      case when is_change then null when is_expiry then 'wrapper_expiry'
        ${hasEnsv2 ? sql`when ends_by_path then 'expiry' when reason_before = 'token' then ${placeholder("tokenEnding")}::text` : sql``} else 'grace_end' end as caused_by
    from point`,
];

const comparedStep: Step = [
  "compared",
  sql`select *, lag(state) over (order by number, at) as state_before from caused`,
];

/** Drops points that lead to the same state as before. Each span ends where the next begins. */
const spanStep: Step = [
  "span",
  sql`select number, at as from_time, address, reason, event_type, block as from_block, transaction as from_transaction,
      lead(at) over place as to_time, lead(block) over place as to_block,
      lead(transaction) over place as to_transaction, lead(caused_by) over place as ended_by
    from compared where state is distinct from state_before
    window place as (order by number, at)`,
];

/** The start of a statement, with `span` as its last table. `state` is the result of a change, as one text. */
export function spansOf(of: Changes, scope: ScopeSql): SQL {
  const steps = [
    changeStep(of, scope),
    stepStep(of),
    timelineStep(of, scope),
    numberedStep,
    termedStep(of),
    settledStep(of, scope),
    pointStep(of),
    causedStep(of),
    comparedStep,
    spanStep,
  ];
  const tables = steps.map(([name, select]) => sql`${sql.raw(name)} as (${select})`);
  return sql`with ${sql.join(tables, sql`, `)}`;
}
