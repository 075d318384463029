import { ownershipChange } from "ponder:schema";
import type { SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../postgres/db.ts";

/** The log that did something. */
export type LogPlace = {
  blockNumber: number;
  logIndex: number;
  blockTimestamp: number;
  transactionHash: Hex;
};

/** Owners of a name that ownership changes have a column of. */
export type OwnerColumn = "registryOwner" | "registrarOwner" | "wrapperOwner" | "ownerAddress";

/**
 * The log by which an account got a name in one layer: the first change after the last one that left the layer to another
 * account. Both are found by one index from the newest change on. Null if no change says so.
 */
export async function findOwnerEvent(
  db: Db,
  { chainId, node, column, owner }: { chainId: number; node: Hex; column: OwnerColumn; owner: Address },
): Promise<LogPlace | null> {
  const { blockNumber, logIndex, blockTimestamp, transactionHash, ordinal } = ownershipChange;
  const held: SQLWrapper = ownershipChange[column];
  const ofName = sql`${ownershipChange.node} = ${node} and ${ownershipChange.chainId} = ${chainId}`;
  const isAfterOthers = sql`(${blockNumber}, ${logIndex}, ${ordinal}) > (
    select coalesce(max(last.b), -1), coalesce(max(last.l), -1), coalesce(max(last.o), -1) from (
      select ${blockNumber} as b, ${logIndex} as l, ${ordinal} as o from ${ownershipChange}
      where ${ofName} and ${held} is distinct from ${owner}
      order by ${blockNumber} desc, ${logIndex} desc, ${ordinal} desc limit 1) as last)`;
  const [row] = await db
    .select({ blockNumber, logIndex, blockTimestamp, transactionHash })
    .from(ownershipChange)
    .where(sql`${ofName} and ${held} = ${owner} and ${isAfterOthers}`)
    .orderBy(sql`${blockNumber}`, sql`${logIndex}`, sql`${ordinal}`)
    .limit(1);
  return row ?? null;
}
