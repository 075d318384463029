import { domain, event, ownershipChange, type resolverChange } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { eq, inArray, isNotNull, sql } from "ponder";
import { ETH_NODE } from "../../../ens/name.ts";
import { type EndColumn, endText } from "../rules/ends.ts";
import type { ScopeSql } from "./scope.ts";

/*
 * The spans between the changes of a name, in SQL. Each step reads the one before in order and joins nothing, so that a
 * name with many changes takes no more time for each of them.
 */

/** The change rows of a history, with the columns that differ between histories. */
export type Changes = {
  table: typeof ownershipChange | typeof resolverChange;
  /** The order of the changes of one name. */
  place: SQL;
  /** What the change leads to; null for none. */
  address: SQLWrapper;
  reason: SQLWrapper;
  eventType: SQLWrapper;
  /** The second at which the wrapper's token ends by time alone, null for none; and what follows then. */
  expires: { at: SQL; address: SQL; reason: SQL };
  /** Whether the end of grace ends it. */
  endsWithGrace: boolean;
  /** Whether names can be of ENSv2. */
  hasEnsv2?: true | undefined;
};

const { placeholder } = sql;

/** The columns of a timeline, each with its type. */
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

/** With the expiry of an entry of ENSv2, and the end of the way to it, that were in force when the next change came. */
const timelineTypesOfBoth = { ...timelineTypes, token_expiry: "numeric", path_expiry: "numeric" } as const;

type TimelineColumn = keyof typeof timelineTypesOfBoth;

/** A row of a timeline; a column without a value is null. */
const timelineRow = (values: Partial<Record<TimelineColumn, SQLWrapper>>, { hasEnsv2 }: Changes): SQL =>
  sql.join(
    Object.entries(hasEnsv2 ? timelineTypesOfBoth : timelineTypes).map(([column, type]) => {
      const value = values[column as TimelineColumn] ?? sql.raw(`null::${type}`);
      return sql`${value} as ${sql.raw(column)}`;
    }),
    sql`, `,
  );

/** A step of the statement: its name and its select. */
type Step = [name: string, select: SQL];

const previousEnds = sql`, ${ownershipChange.previousExpiryTimestamp} as previous_expiry,
      ${ownershipChange.previousPathExpiryTimestamp} as previous_path_expiry`;

/** Every change, numbered in the order of the chain. With `is_step` it changed the state or is of another transaction. */
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

/** What was in force before the transaction. */
const firstEnds = sql`first_value(previous_expiry) over (partition by transaction order by number) as first_expiry,
      first_value(previous_path_expiry) over (partition by transaction order by number) as first_path_expiry,`;

/** Each change with the events that changed the state in its transaction so far. */
const stepStep = ({ hasEnsv2 }: Changes): Step => [
  "step",
  sql`select *, array_agg(event_type) filter (where is_step) over (partition by transaction order by number) as steps,
      min(log) over (partition by transaction) as first_log,
      ${hasEnsv2 ? firstEnds : sql``}
      lead(transaction) over (order by number) as transaction_after from change`,
];

/**
 * Of each transaction the last change, with the place of the next one: several changes in one transaction are one, and a
 * state that only lasted within a transaction makes no span.
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

/** What the registrar said of the name's expiry: rows at the place of the change that follows. */
const registrarTerms = (of: Changes, scope: ScopeSql): SQL => sql`select ${timelineRow(
  { next_block: event.blockNumber, next_log: event.logIndex, registrar_expiry: event.expiryTimestamp },
  of,
)} from ${event}
    where ${eq(event.node, placeholder("node"))} and ${event.contract} = 'REGISTRAR'
      and ${inArray(event.eventType, termEvents)} and ${scope.holds(event.chainId)}`;

/** The last of them is of registrars of layer 2s. */
const termEvents = ["NameRegistered", "NameMigrated", "NameRenewed", "NameRegisteredWithRecord"];

/** The changes at the place of the next one, among what was said of the expiry. */
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

/** Each row with the number of the last thing that was said of the expiry before it. */
const numberedStep: Step = [
  "numbered",
  sql`select *, count(registrar_expiry) over (order by next_block nulls last, next_log) as terms from timeline`,
];

/** Each row with that expiry. The last word before the next change counts: after the end of grace the name cannot be renewed. */
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

/** Only names of registrars have a registrar's expiry, and grace is as long with all of them as for .eth names. */
const graceColumns: Partial<Record<EndColumn, string>> = {
  expiryTimestamp: "registrar_expiry",
  parentNode: `'${ETH_NODE}'`,
  chainId: "0",
};

/** The end of grace by the registrar's expiry in a row. */
const graceEnd = sql.raw(endText("grace_end", (name) => graceColumns[name] ?? unknown(name)));

/** The end of a token of ENSv2 by its own expiry. */
const tokenEnd = sql`case when next_time is null then expiry_now else token_expiry end + ${placeholder("tokenAfter")}::bigint`;

/** The end of the way to it. */
const pathEnd = sql`case when reason = 'token' then case when next_time is null then path_expiry_now else path_expiry end end`;

/** What the entry says now: it counts for the change that is in force. */
const endsNow = ({ holds }: ScopeSql): SQL => sql`select min(${domain.expiryTimestamp}) as expiry_now,
        min(${domain.pathExpiryTimestamp}) as path_expiry_now
      from ${domain} where ${holds(domain.chainId)} and ${eq(domain.node, placeholder("node"))}
        and ${isNotNull(domain.registry)}`;

/** The changes, each with the time at which its effect ends without another log. */
function settledStep({ hasEnsv2 }: Changes, scope: ScopeSql): Step {
  if (!hasEnsv2)
    return ["settled", sql`select *, ${graceEnd} as held_until from termed where number is not null`];
  // A registrar's terms of ENSv1 count only for owners there.
  const select = sql`select *, least(own_end, path_end) as held_until, path_end < own_end as ends_by_path from (
      select *, case when reason = 'token' then ${tokenEnd} else ${graceEnd} end as own_end, ${pathEnd} as path_end
      from termed cross join (${endsNow(scope)}) as now_stored where number is not null
    ) as ending`;
  return ["settled", select];
}

/** The settled changes, and those of their ends that come before the next change and not after now. */
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

/** What caused each of them: the change, or which end. */
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

/** Without those that lead to what was there before; each span ends where the next begins. */
const spanStep: Step = [
  "span",
  sql`select number, at as from_time, address, reason, event_type, block as from_block, transaction as from_transaction,
      lead(at) over place as to_time, lead(block) over place as to_block,
      lead(transaction) over place as to_transaction, lead(caused_by) over place as ended_by
    from compared where state is distinct from state_before
    window place as (order by number, at)`,
];

/** The beginning of a statement, with `span` as its last table. `state` is what a change leads to, as one text. */
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
