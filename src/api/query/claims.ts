import { primaryNameChange } from "ponder:schema";
import { getTableColumns, type SQL } from "drizzle-orm";
import { alias, and, desc, eq, inArray, sql } from "ponder";
import type { Address } from "viem";
import type { Db } from "../postgres/db.ts";
import { prepared } from "../postgres/prepared.ts";
import { beginningOf } from "./beginnings.ts";
import { inBothDirections, type Listed, oldestFirst, type Section, sliced } from "./section.ts";

/** A change of the name that an address claims, with the beginning of the name. */
export type ClaimRow = typeof primaryNameChange.$inferSelect;

const columns = { ...getTableColumns(primaryNameChange), name: beginningOf(primaryNameChange.name) };

const later = alias(primaryNameChange, "later");

/**
 * Rule: the claim is what its transaction left. One that held only within its transaction is in the events, and in no
 * history: setting a name at a reverse node that had another resolver first brings back that resolver's name.
 */
const isSettled: SQL = sql`not coalesce((select true from ${primaryNameChange} as later
  where ${eq(later.address, primaryNameChange.address)} and ${eq(later.coinType, primaryNameChange.coinType)}
    and ${eq(later.chainId, primaryNameChange.chainId)} and ${eq(later.blockNumber, primaryNameChange.blockNumber)}
    and ${eq(later.transactionHash, primaryNameChange.transactionHash)}
    and ${later.logIndex} > ${primaryNameChange.logIndex} limit 1), false)`;

/** Every name that an address claimed, on all chains, oldest first; of each transaction what it left. */
export const listClaims = (db: Db, address: Address, section: Section): Promise<Listed<ClaimRow>> =>
  oldestFirst(section, ({ direction, ...slice }) => claimsOf[direction](db).execute({ address, ...slice }));

const claimsOf = inBothDirections((direction) =>
  prepared((db) => {
    const { blockTimestamp, chainId, blockNumber, logIndex, address } = primaryNameChange;
    const inOrder = (of: string) =>
      ["block_timestamp", "chain_id", "block_number", "log_index"].map((one) =>
        sql.raw(`${of}.${one} ${direction}`),
      );
    const page = sql`(select claim.*, (count(*) over ())::int as total from (
        select ${blockTimestamp} as block_timestamp, ${chainId} as chain_id, ${blockNumber} as block_number,
          ${logIndex} as log_index
        from ${primaryNameChange} where ${eq(address, sql.placeholder("address"))} and ${isSettled}
      ) as claim order by ${sql.join(inOrder("claim"), sql`, `)} ${sliced}) as page`;
    return db
      .select({ ...columns, total: sql<number>`page.total` })
      .from(primaryNameChange)
      .innerJoin(
        page,
        and(
          eq(chainId, sql`page.chain_id`),
          eq(blockNumber, sql`page.block_number`),
          eq(logIndex, sql`page.log_index`),
        ),
      )
      .orderBy(...inOrder("page"))
      .prepare(`claims_${direction}`);
  }),
);

/** The newest changes of claimed names, on all chains or on these, newest first; of each transaction what it left. */
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
