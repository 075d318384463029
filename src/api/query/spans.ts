import { event, ownershipChange, resolverChange } from "ponder:schema";
import type { AnyColumn, SQL, SQLWrapper } from "drizzle-orm";
import { eq, inArray, sql } from "ponder";
import type { Address, Hex } from "viem";
import { ETH_NODE } from "../../ens/name.ts";
import type { Db } from "../postgres/db.ts";
import { prepared } from "../postgres/prepared.ts";
import { type EndColumn, type Ending, endText } from "../rules/ends.ts";
import { type Chains, chainValues, forEachReach, isOfAskedChains, type Reach } from "./chains.ts";
import type { SortDirection } from "./page.ts";
import { inBothDirections, type Listed, oldestFirst, type Section, sliced } from "./section.ts";

/** What a name had from one change to the next: an owner, by all layers or in one of them, or a resolver. */
export type Span = {
  address: Address;
  /** The layer that decided the effective owner. */
  reason: "registry" | "registrar" | "wrapper" | "token" | null;
  /** The event that began the span; null for resolvers, and where time alone began it. */
  eventType: string | null;
  fromTimestamp: number;
  /** Block and transaction are null where time alone began the span. */
  fromBlock: number | null;
  fromTransaction: Hex | null;
  /** Null for the current span. */
  toTimestamp: number | null;
  /** Block and transaction are null for the current span, and where time alone ended it. */
  toBlock: number | null;
  toTransaction: Hex | null;
  /** What ended the span where no event did. */
  endedBy: Ending | null;
};

/** What a history is of: the effective owner, the owner in one layer, or the resolver. */
type Kind = "owner" | "registry" | "registrar" | "wrapper" | "resolver";

/** What is asked besides where ENSv2 is indexed. */
export type SpansOfEnsv2 = {
  /** Contracts that can hold names of ENSv1 and are not their owners. */
  nonOwners: ReadonlySet<Address>;
  /** Seconds after the expiry of its entry for which the holder can still renew the name. */
  tokenGrace: number;
};

/**
 * Spans of a name until `now` (unix seconds), oldest first; spans without owner or resolver are left out. At each second
 * the owner is the one that `ownersAt` gives for it; a .eth name has none after its grace.
 */
export const listSpans = (
  db: Db,
  { kind, chains, node, now, ensv2 }: SpansAsked,
  section: Section,
): Promise<Listed<Span>> =>
  oldestFirst(section, ({ direction, ...slice }) => {
    const asked = { node, now, ...chainValues(chains), ...slice };
    if (ensv2 === undefined || kind !== "owner")
      return spans[chains.reach][kind][direction](db).execute(asked);
    const { nonOwners, tokenGrace } = ensv2;
    const tokenEnding: Ending = tokenGrace > 0 ? "grace_end" : "expiry";
    return ownersWithEnsv2[chains.reach][direction](db).execute({
      ...{ ...asked, nonOwners: [...nonOwners], tokenGrace, tokenEnding },
    });
  });

type SpansAsked = { node: Hex; chains: Chains; kind: Kind; now: number; ensv2?: SpansOfEnsv2 | undefined };

/** The change rows of a history, with the columns by which they are told apart. */
type Changes = {
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
  hasEnsv2?: true;
};

const nothing = sql`null::text`;

const never = { at: sql`null::numeric`, address: nothing, reason: nothing };

const byResolver: Changes = {
  table: resolverChange,
  place: sql`${resolverChange.blockNumber}, ${resolverChange.logIndex}`,
  ...{ address: resolverChange.resolver, reason: nothing, eventType: nothing },
  ...{ expires: never, endsWithGrace: false },
};

const { registryOwner, registrarOwner, wrapperOwner, ownerAddress } = ownershipChange;

const ownersBy = (
  address: SQLWrapper,
  { reason = nothing, expires = never, endsWithGrace = false }: Partial<Changes>,
): Changes => ({
  table: ownershipChange,
  place: sql`${ownershipChange.blockNumber}, ${ownershipChange.logIndex}, ${ownershipChange.ordinal}`,
  ...{ address, reason, eventType: ownershipChange.eventType, expires, endsWithGrace },
});

const tokenColumns: Partial<Record<EndColumn, string>> = {
  wrapperFuses: "wrapper_fuses",
  wrapperExpiryTimestamp: "wrapper_expiry_timestamp",
};

/** When the token of a change's row ends. */
const tokenEnd = sql.raw(endText("wrapper_expiry", (name) => tokenColumns[name] ?? unknown(name)));

const unknown = (name: string): never => {
  throw new Error(`Changes of ownership have no column for ${name}`);
};

const changes: Record<Kind, Changes> = {
  owner: ownersBy(ownerAddress, {
    reason: sql`${ownershipChange.reason}::text`,
    // The next layer decides then.
    expires: {
      at: sql`case when ${ownershipChange.reason} = 'wrapper' then ${tokenEnd} end`,
      address: sql`coalesce(${registrarOwner}, ${registryOwner})`,
      reason: sql`case when ${registrarOwner} is not null then 'registrar' when ${registryOwner} is not null then 'registry' end`,
    },
    endsWithGrace: true,
  }),
  registry: ownersBy(registryOwner, {}),
  registrar: ownersBy(registrarOwner, { endsWithGrace: true }),
  wrapper: ownersBy(wrapperOwner, { expires: { ...never, at: tokenEnd } }),
  resolver: byResolver,
};

/** Owners where there is ENSv2: some contracts that hold names are none. */
const ownersOfBoth: Changes = {
  ...changes.owner,
  address: sql`(case when not ${ownerAddress} = any(${sql.placeholder("nonOwners")}::text[]) then ${ownerAddress} end)`,
  hasEnsv2: true,
};

/** Only names of registrars have a registrar's expiry, and grace is as long with all of them as for .eth names. */
const graceColumns: Partial<Record<EndColumn, string>> = {
  expiryTimestamp: "registrar_expiry",
  parentNode: `'${ETH_NODE}'`,
  chainId: "0",
};

/** The end of grace by the registrar's expiry in a row. */
const graceEnd = sql.raw(endText("grace_end", (name) => graceColumns[name] ?? unknown(name)));

/** The end of what ENSv2 gave: a registrar's terms of ENSv1 count only for owners there. */
const graceEndOfBoth = sql`case when reason = 'token' then token_expiry + ${sql.placeholder("tokenGrace")}::bigint
  else ${graceEnd} end`;

/** What registries of ENSv2 said of the name's expiry: rows as those of {@link termsOf}. */
const termsOfEnsv2 = sql`union all select null::bigint, null::int, null::text, null::bigint, null::text, null::text, null::text,
    null::numeric, null::text, null::text, null::bigint, ${event.blockNumber}, ${event.logIndex}, null::numeric,
    ${event.expiryTimestamp}
  from ${event}
  where ${eq(event.node, sql.placeholder("node"))} and ${event.contract} = 'ENSV2_REGISTRY'
    and ${inArray(event.eventType, ["LabelRegistered", "ExpiryUpdated"])}`;

/** What the registrar said of a .eth name's expiry: rows beside those of `ordered`, whose other columns are null. */
const termsOf = (
  reach: Reach,
  hasEnsv2: boolean,
) => sql`select null::bigint, null::int, null::text, null::bigint, null::text, null::text, null::text,
    null::numeric, null::text, null::text, null::bigint, ${event.blockNumber}, ${event.logIndex}, ${event.expiryTimestamp}
    ${hasEnsv2 ? sql`, null::numeric` : sql``}
  from ${event}
  where ${eq(event.node, sql.placeholder("node"))} and ${event.contract} = 'REGISTRAR'
    and ${inArray(event.eventType, termEvents[reach])} ${isHere(event.chainId, reach)}`;

const ethTerms = ["NameRegistered", "NameMigrated", "NameRenewed"];
const termEvents: Record<Reach, string[]> = {
  main: ethTerms,
  several: [...ethTerms, "NameRegisteredWithRecord"],
};

/** A history is of one registry. Where the main chain alone is indexed, a node has no other. */
const isHere = (column: AnyColumn, reach: Reach): SQL =>
  reach === "main" ? sql`` : sql`and ${isOfAskedChains(column, reach)}`;

/**
 * The spans between the changes of a name. `state` is what a change leads to, as one text. Each step reads the one
 * before in order and joins nothing, so that a name with many changes takes no more time for each of them.
 *
 * 1. `change`: every change, numbered in the order of the chain.
 * 2. `step`: each with the events that changed this state in its transaction so far.
 * 3. `ordered`: of each transaction the last change, for several changes in one transaction are one, and a state that
 *    only lasted within a transaction makes no span; with the place of the next one.
 * 4. `timeline`, `counted`: these at the place of the next one, among what the registrar said of the expiry.
 * 5. `settled`: each with the times at which time alone ends it. The registrar's last word before the next change
 *    counts: after the end of grace the name cannot be renewed.
 * 6. `moment`: the settled changes, and those of their ends that come before the next change and not after now.
 * 7. `span`: without moments that lead to what was there before; each ends where the next begins.
 */
function spansOf(
  { table, place, address, reason, eventType, expires, endsWithGrace, hasEnsv2 }: Changes,
  reach: Reach,
): SQL {
  const both = (text: SQL) => (hasEnsv2 ? text : sql``);
  const state = sql`concat(${address}, ' ', ${reason})`;
  return sql`with change as (
    select row_number() over place as number, ${table.blockNumber} as block, ${table.logIndex} as log,
      ${table.transactionHash} as transaction, ${table.blockTimestamp} as time, ${eventType} as event_type,
      ${address} as address, ${reason} as reason, ${expires.at} as expires_at,
      ${expires.address} as next_address, ${expires.reason} as next_reason,
      lag(${table.transactionHash}) over place is distinct from ${table.transactionHash}
        or lag(${state}) over place <> ${state} as is_step
    from ${table} where ${eq(table.node, sql.placeholder("node"))} ${isHere(table.chainId, reach)}
    window place as (order by ${place})
  ), step as (
    select *, array_agg(event_type) filter (where is_step) over (partition by transaction order by number) as steps,
      min(log) over (partition by transaction) as first_log,
      lead(transaction) over (order by number) as transaction_after from change
  ), ordered as (
    select number, block, transaction, time, steps[cardinality(steps)] as event_type, address, reason, expires_at,
      next_address, next_reason, lead(time) over place as next_time, lead(block) over place as next_block,
      lead(first_log) over place as next_log, null::numeric as registrar_expiry
      ${both(sql`, null::numeric as token_expiry`)}
    from step where transaction is distinct from transaction_after
    window place as (order by number)
  ), timeline as (
    select * from ordered ${endsWithGrace ? sql`union all ${termsOf(reach, hasEnsv2 ?? false)}` : sql``} ${both(termsOfEnsv2)}
  ), counted as (
    select *, count(registrar_expiry) over (order by next_block nulls last, next_log) as terms
      ${both(sql`, count(token_expiry) over (order by next_block nulls last, next_log) as token_terms`)} from timeline
  ), termed as (
    select number, block, transaction, time, event_type, address, reason, expires_at, next_address, next_reason,
      next_time, max(registrar_expiry) over (partition by terms) as registrar_expiry
      ${both(sql`, max(token_expiry) over (partition by token_terms) as token_expiry`)} from counted
  ), settled as (
    select *, ${hasEnsv2 ? graceEndOfBoth : graceEnd} as grace_end from termed where number is not null
  ), moment as (
    select number, at, at = time as is_change, at = expires_at as is_expiry,
      case when grace_end <= at then null when expires_at <= at then next_address else address end as address,
      case when grace_end <= at then null when expires_at <= at then next_reason else reason end as reason,
      block, transaction, event_type ${both(sql`, reason as reason_before`)}
    from settled cross join lateral (
      select time as at union select expires_at union select grace_end
    ) as ends
    where at = time
      or (at > time and at <= ${sql.placeholder("now")}::bigint and (next_time is null or at < next_time))
  ), told as (
    select number, at, address, reason, concat(address, ' ', reason) as state,
      case when is_change then event_type end as event_type,
      case when is_change then block end as block,
      case when is_change then transaction end as transaction,
      case when is_change then null when is_expiry then 'wrapper_expiry'
        ${both(sql`when reason_before = 'token' then ${sql.placeholder("tokenEnding")}::text`)} else 'grace_end' end as caused_by
    from moment
  ), compared as (
    select *, lag(state) over (order by number, at) as state_before from told
  ), span as (
    select number, at as from_time, address, reason, event_type, block as from_block, transaction as from_transaction,
      lead(at) over place as to_time, lead(block) over place as to_block,
      lead(transaction) over place as to_transaction, lead(caused_by) over place as ended_by
    from compared where state is distinct from state_before
    window place as (order by number, at)
  )`;
}

const columns = {
  address: sql<Address>`address`,
  reason: sql<Span["reason"]>`reason`,
  eventType: sql<string | null>`event_type`,
  fromTimestamp: sql<number>`from_time::float8`,
  fromBlock: sql<number | null>`from_block`,
  fromTransaction: sql<Hex | null>`from_transaction`,
  toTimestamp: sql<number | null>`to_time::float8`,
  toBlock: sql<number | null>`to_block`,
  toTransaction: sql<Hex | null>`to_transaction`,
  endedBy: sql<Ending | null>`ended_by`,
  total: sql<number>`total`,
};

const order = (direction: SortDirection): SQL =>
  sql`number ${sql.raw(direction)}, from_time ${sql.raw(direction)}`;

const preparedSpans = (kind: Kind, reach: Reach, of: Changes = changes[kind]) =>
  inBothDirections((direction) =>
    prepared((db) =>
      db
        .select(columns)
        .from(
          sql`(${spansOf(of, reach)} select *, (count(*) over ())::int as total from span
            where address is not null order by ${order(direction)} ${sliced}) as listed`,
        )
        .orderBy(order(direction))
        .prepare(
          `spans_${kind}_${reach === "main" ? "" : "several_"}${of.hasEnsv2 ? "ensv2_" : ""}${direction}`,
        ),
    ),
  );

const spans = forEachReach(
  (reach): Record<Kind, ReturnType<typeof preparedSpans>> => ({
    owner: preparedSpans("owner", reach),
    registry: preparedSpans("registry", reach),
    registrar: preparedSpans("registrar", reach),
    wrapper: preparedSpans("wrapper", reach),
    resolver: preparedSpans("resolver", reach),
  }),
);

const ownersWithEnsv2 = forEachReach((reach) => preparedSpans("owner", reach, ownersOfBoth));
