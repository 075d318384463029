import { domain, event } from "ponder:schema";
import { and, eq, gte, inArray, lt, sql } from "ponder";
import type { Hex } from "viem";
import { nameByNode } from "../../../ens/name.ts";
import type { Db } from "../../server/postgres/db.ts";
import { answerAt } from "./dollars.ts";
import { isController, placeOfPrice, takenByControllers } from "./purchaseMerge.ts";
import type { PurchaseRange } from "./purchases.ts";
import { purchaseEvents } from "./registrations.ts";
import { sqlOf } from "./scope.ts";

/** A registration with the amount controllers charged, including the premium: decimal strings, in wei. */
export type LargeRegistration = {
  chainId: number;
  node: Hex;
  name: string;
  cost: string;
  premium: string;
  /** USD for one ether just before the registration, with 8 decimals: a decimal string; null if unknown. */
  answer: string | null;
  blockTimestamp: number;
  transactionHash: Hex;
};

/**
 * The registrations for which controllers charged the most ether, merged as sales are ({@link takenByControllers}). Free
 * registrations and those paid in tokens are left out. At equal prices the older one comes first.
 */
export async function listLargestRegistrations(
  db: Db,
  { limit, ...range }: PurchaseRange & { limit: number },
): Promise<LargeRegistration[]> {
  const { registrations } = purchaseEvents(range.chains);
  const { rows } = await db.execute<Omit<LargeRegistration, "name"> & { name: string | null }>(sql`
    with largest as (
      select ${event.chainId} as chain_id, ${event.node} as node, ${event.transactionHash} as transaction_hash,
        min(${event.blockTimestamp}) as block_timestamp, ${takenByControllers.cost} as cost_wei,
        ${takenByControllers.premium} as premium_wei, min(${event.blockNumber}) as block_number, ${placeOfPrice} as log_index
      from ${event}
      where ${and(
        sqlOf(range.chains).holds(event.chainId),
        isController,
        inArray(event.eventType, [...registrations]),
        gte(event.blockTimestamp, range.from),
        lt(event.blockTimestamp, range.until),
      )}
      group by 1, 2, 3 having ${takenByControllers.cost} > 0
      order by cost_wei desc, block_timestamp, node limit ${limit}
    )
    select largest.chain_id as "chainId", largest.node, ${domain.fullName} as name, cost_wei::text as cost,
      premium_wei::text as premium, ${answerAt({
        chainId: sql`largest.chain_id`,
        blockNumber: sql`largest.block_number`,
        logIndex: sql`largest.log_index`,
        blockTimestamp: sql`largest.block_timestamp`,
      })}::text as answer, block_timestamp::int as "blockTimestamp", transaction_hash as "transactionHash"
    from largest left join ${domain} on ${eq(domain.chainId, sql`largest.chain_id`)} and ${eq(domain.node, sql`largest.node`)}
    order by cost_wei desc, block_timestamp, largest.node`);
  return rows.map((row) => ({ ...row, name: row.name ?? nameByNode(row.node) }));
}
