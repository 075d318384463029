import { domain, ensv2Entry, ensv2Purchase, event, ownershipChange } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { alias, and, desc, eq, inArray, like, ne, not, sql } from "ponder";
import { type Address, type Hex, zeroAddress } from "viem";
import type { Ensv2Contracts } from "../../../../abis/contracts.ts";
import type { Db } from "../../server/postgres/db.ts";
import { toSql } from "../rules/conditionSql.ts";
import { isCounted } from "../rules/nameRules.ts";
import { arrayOf } from "./arrays.ts";
import { type EventFacts, eventFacts } from "./eventRows.ts";
import { isMigration } from "./migrations.ts";
import { isNonOwner, isSoldByEnsv2, type MergedPurchase, mergedPurchase } from "./purchaseMerge.ts";
import { type Scope, sqlOf } from "./scope.ts";

/** The scope, and the maximum number of newest rows. */
export type Newest = { chains: Scope; limit: number };

/**
 * The newest registrations or renewals, newest first, by one kind of registrar log. Every registration and renewal goes through a
 * registrar, whatever controller sold it. Names migrated to another registrar were not bought.
 */
export const listNewestPurchases = (db: Db, eventType: string, at: Newest): Promise<EventFacts[]> =>
  newestEvents(
    db,
    {
      eventType,
      // `listNewestTokenPurchases` reads what ENSv2 sold.
      and: sql`${like(event.contract, "REGISTRAR%")} and not ${isMigration}
        and not ${isNonOwner(event.ownerAddress, [...at.chains.ensv2.nonOwners])} and not ${isSoldByEnsv2(event)}`,
    },
    at,
  );

/** A purchase paid in a token. */
export type TokenPurchase = Pick<
  typeof ensv2Purchase.$inferSelect,
  | "chainId"
  | "node"
  | "eventType"
  | "paymentToken"
  | "amount"
  | "durationSeconds"
  | "blockNumber"
  | "blockTimestamp"
  | "transactionHash"
>;

/** The newest registrations or renewals at ENSv2 registrars, newest first. */
export async function listNewestTokenPurchases(
  db: Db,
  eventType: "NameRegistered" | "NameRenewed",
  { chains, limit }: Newest,
): Promise<TokenPurchase[]> {
  const { blockTimestamp, blockNumber, logIndex } = ensv2Purchase;
  return db
    .select()
    .from(ensv2Purchase)
    .where(and(sqlOf(chains).holds(ensv2Purchase.chainId), eq(ensv2Purchase.eventType, eventType)))
    .orderBy(desc(blockTimestamp), desc(blockNumber), desc(logIndex))
    .limit(limit);
}

/** A name migrated from ENSv1, and its owner since. */
export type Migration = Omit<Transfer, "from" | "to"> & { owner: Address | null };

/** The newest names migrated from ENSv1, newest first: those created by a migration controller or a wrapper registry. */
export async function listNewestMigrations(db: Db, { chains, limit }: Newest): Promise<Migration[]> {
  const change = alias(ownershipChange, "change");
  const { rows } = await db.execute<Migration>(sql`
    select name.chain_id as "chainId", name.node, after.owner, entry.block_number as "blockNumber",
      entry.block_timestamp::float8 as "blockTimestamp", entry.transaction_hash as "transactionHash"
    from (
      select ${ensv2Entry.chainId} as chain_id, ${ensv2Entry.registry} as registry, ${ensv2Entry.labelhash} as labelhash,
        ${ensv2Entry.registeredBlockNumber} as block_number, ${ensv2Entry.registeredTimestamp} as block_timestamp,
        ${ensv2Entry.registeredTransactionHash} as transaction_hash
      from ${ensv2Entry}
      where ${sqlOf(chains).holds(ensv2Entry.chainId)} and ${isMigrated(chains.ensv2)}
      order by ${ensv2Entry.registeredTimestamp} desc, ${ensv2Entry.storageId} limit ${limit}
    ) as entry
    cross join lateral (
      select ${domain.chainId} as chain_id, ${domain.node} as node from ${domain}
      where ${domain.chainId} = entry.chain_id and ${domain.labelhash} = entry.labelhash and ${domain.registry} = entry.registry
      order by ${domain.node} limit 1
    ) as name
    left join lateral (
      select ${change.ownerAddress} as owner from ${ownershipChange} as change
      where ${change.chainId} = name.chain_id and ${change.node} = name.node
        and ${change.transactionHash} = entry.transaction_hash
      order by ${place(change)} desc limit 1
    ) as after on true
    order by entry.block_timestamp desc, name.node`);
  return rows;
}

/**
 * Entries created by a migration: registered by a migration controller, or by the wrapper registry that contains them.
 * Source: ensdomains/contracts-v2, src/migration, src/registry/WrapperRegistry.sol.
 */
export const isMigrated = ({ migrationControllers }: Ensv2Contracts): SQL =>
  sql`${ensv2Entry.registeredTimestamp} is not null and (${ensv2Entry.registeredBy} = ${ensv2Entry.registry}
    or ${inArray(ensv2Entry.registeredBy, [...migrationControllers])})`;

/** The newest wrappings, newest first, without those that are part of a registration. */
export function listNewestWraps(db: Db, registrations: readonly string[], at: Newest): Promise<EventFacts[]> {
  const other = alias(event, "other");
  // A scalar subquery instead of `not exists`: it checks the newest few rows one by one, where a join would read all rows.
  const isPart = sql`coalesce((select true from ${event} as other
    where ${eq(other.transactionHash, event.transactionHash)} and ${eq(other.node, event.node)}
      and ${inArray(other.eventType, [...registrations])} limit 1), false)`;
  return newestEvents(db, { eventType: "NameWrapped", and: not(isPart) }, at);
}

/** The newest unwrappings, newest first. Those without a new owner are left out: they replace a stale token with a new one. */
export const listNewestUnwraps = (db: Db, at: Newest): Promise<EventFacts[]> =>
  newestEvents(db, { eventType: "NameUnwrapped", and: ne(event.newOwnerAddress, zeroAddress) }, at);

function newestEvents(db: Db, which: { eventType: string; and: SQL }, { chains, limit }: Newest) {
  return db
    .select(eventFacts)
    .from(event)
    .where(and(eq(event.eventType, which.eventType), sqlOf(chains).holds(event.chainId), which.and))
    .orderBy(desc(event.blockTimestamp), desc(event.blockNumber), desc(event.logIndex), desc(event.ordinal))
    .limit(limit);
}

/** Selects logs by transaction and name: a transaction can register hundreds of names, and the feed shows a few. */
type LogsOfTransactions = {
  transactions: readonly Hex[];
  nodes: readonly Hex[];
  eventTypes: readonly string[];
};

/** Purchases made by logs of these kinds, for these names, in these transactions. */
export async function listPurchasesOfTransactions(
  db: Db,
  { transactions, nodes, eventTypes }: LogsOfTransactions,
): Promise<NamedPurchase[]> {
  if (transactions.length === 0) return [];
  return db
    .select({ ...mergedPurchase, node: event.node })
    .from(event)
    .where(
      and(
        inArray(event.transactionHash, [...transactions]),
        inArray(event.node, [...nodes]),
        inArray(event.eventType, [...eventTypes]),
      ),
    )
    .groupBy(event.chainId, event.transactionHash, event.node);
}

export type NamedPurchase = MergedPurchase & { node: Hex | null };

/** A name that passed from one effective owner to another. */
export type Transfer = {
  chainId: number;
  node: Hex;
  from: Address;
  to: Address;
  blockNumber: number;
  blockTimestamp: number;
  transactionHash: Hex;
};

/**
 * The number of newest ownership changes searched for transfers. Creating a name is such a change, and anyone can create
 * thousands: an unbounded search could keep the database busy for minutes.
 */
export const MAX_CHANGES = 10_000;

/**
 * The newest transfers, newest first: names whose effective owner differs before and after a transaction. Ownership changes that
 * are part of a registration, wrapping or unwrapping (event types in `others`) are left out.
 */
export async function listNewestTransfers(
  db: Db,
  others: readonly string[],
  { chains, limit }: Newest,
): Promise<Transfer[]> {
  const after = alias(ownershipChange, "after");
  const onChain = sql`${after.blockNumber} desc, ${after.logIndex} desc, ${after.ordinal} desc`;
  // Block numbers of different chains are not comparable.
  const newestFirst = sql`order by ${after.blockTimestamp} desc, ${onChain}`;
  // `case` evaluates its conditions in this order, the most expensive one last. `offset 0` keeps each subquery evaluated row by
  // row, where the planner would rather read all rows once.
  const { rows } = await db.execute<Transfer>(sql`
    select * from (
      select ${after.chainId} as "chainId", ${after.node} as node, ${after.ownerAddress} as "to",
        ${after.blockNumber} as "blockNumber", ${after.blockTimestamp}::float8 as "blockTimestamp",
        ${after.transactionHash} as "transactionHash",
        case when ${isLastOfTransaction(after)} and ${isOfCountedName(after)} and not ${isPartOf(after, others)}
          then ${ownerBefore(after)} end as "from"
      from (
        select after.* from unnest(${arrayOf(chains.ids, "int")}) as chain (id) cross join lateral (
          select * from ${ownershipChange} as after where ${after.chainId} = chain.id order by ${onChain} limit ${MAX_CHANGES}
        ) as after ${newestFirst} limit ${MAX_CHANGES}
      ) as after
      ${newestFirst}
    ) as change
    where "from" <> "to" limit ${limit}`);
  return rows;
}

type OwnershipChange = ReturnType<typeof alias<typeof ownershipChange, string>>;

/**
 * Matches changes of the same name. The sum keeps the planner from scanning the whole chain, which it does before it has
 * statistics: the node alone is nearly unique.
 */
const ofSameName = (one: OwnershipChange, other: OwnershipChange): SQL =>
  sql`${eq(one.node, other.node)} and ${one.chainId} + 0 = ${other.chainId}`;

function isLastOfTransaction(change: OwnershipChange): SQL {
  const later = alias(ownershipChange, "later");
  return sql`not exists (select from ${ownershipChange} as later where ${ofSameName(later, change)}
    and ${eq(later.transactionHash, change.transactionHash)} and ${place(later)} > ${place(change)} offset 0)`;
}

const isOfCountedName = ({ chainId, node }: OwnershipChange): SQL =>
  sql`coalesce((select ${toSql(isCounted)} from ${domain} where ${eq(domain.chainId, chainId)} and ${eq(domain.node, node)}), false)`;

const isPartOf = ({ transactionHash, node }: OwnershipChange, eventTypes: readonly string[]): SQL =>
  sql`exists (select from ${event} where ${eq(event.transactionHash, transactionHash)} and ${eq(event.node, node)}
    and ${inArray(event.eventType, [...eventTypes])} offset 0)`;

/** The name's owner before the transaction; null if it had none. */
function ownerBefore(change: OwnershipChange): SQL {
  const earlier = alias(ownershipChange, "earlier");
  return sql`(select ${earlier.ownerAddress} from ${ownershipChange} as earlier where ${ofSameName(earlier, change)}
    and ${place(earlier)} < ${place(change)} and ${ne(earlier.transactionHash, change.transactionHash)}
    order by ${earlier.blockNumber} desc, ${earlier.logIndex} desc, ${earlier.ordinal} desc limit 1)`;
}

/** The position of a change on its chain. */
const place = (change: Record<"blockNumber" | "logIndex" | "ordinal", SQLWrapper>): SQL =>
  sql`(${change.blockNumber}, ${change.logIndex}, ${change.ordinal})`;
