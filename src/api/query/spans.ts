import { ownershipChange, resolverChange } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "./db.ts";
import { prepared } from "./prepared.ts";
import { inBothDirections, type Listed, oldestFirst, type Section, sliced } from "./section.ts";

/** What a name had from one change to the next: an owner, by all layers or in one of them, or a resolver. */
export type Span = {
  address: Address;
  /** The layer that decided the effective owner. */
  reason: "registry" | "registrar" | "wrapper" | null;
  /** The event that began the span; null for resolvers. */
  eventType: string | null;
  fromBlock: number;
  fromTransaction: Hex;
  /** Null for the current span. */
  toBlock: number | null;
  toTransaction: Hex | null;
};

/** What a history is of: the effective owner, the owner in one layer, or the resolver. */
type Kind = "owner" | "registry" | "registrar" | "wrapper" | "resolver";

/** Spans of a name, oldest first; spans without owner or resolver are left out. */
export const listSpans = (db: Db, of: { node: Hex; kind: Kind }, section: Section): Promise<Listed<Span>> =>
  oldestFirst(section, ({ direction, ...slice }) =>
    spans[of.kind][direction](db).execute({ node: of.node, ...slice }),
  );

/** The change rows of a history, with the columns by which they are told apart. */
type Changes = {
  table: typeof ownershipChange | typeof resolverChange;
  /** The order of the changes of one name. */
  place: SQL;
  /** What the change leads to; null for none. */
  address: SQLWrapper;
  reason: SQLWrapper;
  eventType: SQLWrapper;
};

const nothing = sql`null::text`;

const byResolver: Changes = {
  table: resolverChange,
  place: sql`${resolverChange.blockNumber}, ${resolverChange.logIndex}`,
  address: resolverChange.resolver,
  reason: nothing,
  eventType: nothing,
};

const ownersBy = (address: SQLWrapper, reason: SQLWrapper = nothing): Changes => ({
  table: ownershipChange,
  place: sql`${ownershipChange.blockNumber}, ${ownershipChange.logIndex}, ${ownershipChange.ordinal}`,
  ...{ address, reason, eventType: ownershipChange.eventType },
});

const changes: Record<Kind, Changes> = {
  owner: ownersBy(ownershipChange.ownerAddress, sql`${ownershipChange.reason}::text`),
  registry: ownersBy(ownershipChange.registryOwner),
  registrar: ownersBy(ownershipChange.registrarOwner),
  wrapper: ownersBy(ownershipChange.wrapperOwner),
  resolver: byResolver,
};

/**
 * The spans between the changes of a name. `state` is what a change leads to, as one text.
 *
 * 1. `change`: every change, numbered in the order of the chain.
 * 2. `step`: without changes that change nothing of this state in their transaction.
 * 3. `settled`: of each transaction the last step. Several changes in one transaction are one, and a state that only
 *    lasted within a transaction makes no span.
 * 4. `span`: without settled changes that lead to what was there before; each ends where the next begins.
 */
function spansOf({ table, place, address, reason, eventType }: Changes): SQL {
  const state = sql`concat(${address}, ' ', ${reason})`;
  return sql`with change as (
    select row_number() over place as number, ${table.blockNumber} as block, ${table.transactionHash} as transaction,
      ${address} as address, ${reason} as reason, ${eventType} as event_type, ${state} as state,
      lag(${table.transactionHash}) over place as transaction_before, lag(${state}) over place as state_before
    from ${table} where ${eq(table.node, sql.placeholder("node"))}
    window place as (order by ${place})
  ), step as (
    select *, lead(transaction) over (order by number) as transaction_after from change
    where transaction is distinct from transaction_before or state <> state_before
  ), settled as (
    select *, lag(state) over (order by number) as settled_before from step
    where transaction is distinct from transaction_after
  ), span as (
    select *, lead(block) over (order by number) as to_block, lead(transaction) over (order by number) as to_transaction
    from settled where state is distinct from settled_before
  )`;
}

const columns = {
  address: sql<Address>`address`,
  reason: sql<Span["reason"]>`reason`,
  eventType: sql<string | null>`event_type`,
  fromBlock: sql<number>`block`,
  fromTransaction: sql<Hex>`transaction`,
  toBlock: sql<number | null>`to_block`,
  toTransaction: sql<Hex | null>`to_transaction`,
  total: sql<number>`total`,
};

const preparedSpans = (kind: Kind) =>
  inBothDirections((direction) =>
    prepared((db) =>
      db
        .select(columns)
        .from(
          sql`(${spansOf(changes[kind])} select *, (count(*) over ())::int as total from span
            where address is not null order by number ${sql.raw(direction)} ${sliced}) as listed`,
        )
        .orderBy(sql`number ${sql.raw(direction)}`)
        .prepare(`spans_${kind}_${direction}`),
    ),
  );

const spans: Record<Kind, ReturnType<typeof preparedSpans>> = {
  owner: preparedSpans("owner"),
  registry: preparedSpans("registry"),
  registrar: preparedSpans("registrar"),
  wrapper: preparedSpans("wrapper"),
  resolver: preparedSpans("resolver"),
};
