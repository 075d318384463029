import { primaryNameChange } from "ponder:schema";
import { getTableColumns, type SQL } from "drizzle-orm";
import { alias, and, desc, eq, inArray, sql } from "ponder";
import type { Address } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { beginningOfStored } from "./beginnings.ts";
import type { Keyset } from "./keyset.ts";
import { orderOfPage, pageColumns, pageOf, readFound, readSection, type Section } from "./list.ts";
import type { Page, SortDirection } from "./page.ts";

/** A change of an address's claimed name, with the beginning of the name. */
export type ClaimRow = typeof primaryNameChange.$inferSelect;

const columns = { ...getTableColumns(primaryNameChange), name: beginningOfStored(primaryNameChange.name) };

const later = alias(primaryNameChange, "later");

/**
 * Rule: a transaction's last claim counts. A claim that held only within its transaction is in the events, but in no history:
 * setting a name at a reverse node that had another resolver first restores that resolver's name.
 */
const isSettled: SQL = sql`not coalesce((select true from ${primaryNameChange} as later
  where ${eq(later.address, primaryNameChange.address)} and ${eq(later.coinType, primaryNameChange.coinType)}
    and ${eq(later.chainId, primaryNameChange.chainId)} and ${eq(later.blockNumber, primaryNameChange.blockNumber)}
    and ${eq(later.transactionHash, primaryNameChange.transactionHash)}
    and ${later.logIndex} > ${primaryNameChange.logIndex} limit 1), false)`;

/** The order of claims, by the columns of a subquery. */
export const claimKeys = (direction: SortDirection = "asc"): Keyset => [
  { column: sql`listed.block_timestamp`, kind: "bigint", direction },
  { column: sql`listed.chain_id`, kind: "integer", direction },
  { column: sql`listed.block_number`, kind: "integer", direction },
  { column: sql`listed.log_index`, kind: "integer", direction },
];

/** Every name that an address claimed on any chain, oldest first: the last claim of each transaction. */
export function listClaims(db: Db, address: Address, section: Section): Promise<Page<ClaimRow>> {
  const { blockTimestamp, chainId, blockNumber, logIndex } = primaryNameChange;
  const claims = sql`select ${blockTimestamp} as block_timestamp, ${chainId} as chain_id,
      ${blockNumber} as block_number, ${logIndex} as log_index
    from ${primaryNameChange} where ${eq(primaryNameChange.address, address)} and ${isSettled}`;
  const isOfPage = sql`(${chainId}, ${blockNumber}, ${logIndex}) = (page.chain_id, page.block_number, page.log_index)`;
  return readSection(section, "asc", (part, direction) =>
    readFound(part, claimKeys(direction), async (slice) =>
      db
        .select({ ...columns, ...pageColumns })
        .from(primaryNameChange)
        .innerJoin(pageOf(claims, slice), isOfPage)
        .orderBy(orderOfPage)
        .execute(slice.values),
    ),
  );
}

/** The newest changes of claimed names on these chains, or all, newest first: the last change of each transaction. */
export function listNewestClaims(
  db: Db,
  { limit, chainIds }: { limit: number; chainIds?: readonly number[] },
): Promise<ClaimRow[]> {
  const { blockTimestamp, chainId, blockNumber, logIndex } = primaryNameChange;
  return db
    .select(columns)
    .from(primaryNameChange)
    .where(chainIds ? and(isSettled, inArray(chainId, [...chainIds])) : isSettled)
    .orderBy(desc(blockTimestamp), desc(chainId), desc(blockNumber), desc(logIndex))
    .limit(limit);
}
