import { feedAnswer } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";

/**
 * Sales are converted to dollars at the time of sale, with the price feed's last answer before the log. For sales on another
 * chain than the feed's, the time decides. The view `controller_sales` has the same rule.
 */

/** USD for one ether at a sale, with 8 decimals; null if unknown. */
export const answerAt = (
  sale: Record<"chainId" | "blockNumber" | "logIndex" | "blockTimestamp", SQLWrapper>,
): SQL => sql`(case when ${sale.chainId} = (select chain_id from ${feedAnswer} limit 1)
  then (select answer from ${feedAnswer} as feed where feed.chain_id = ${sale.chainId}
    and (feed.block_number, feed.log_index) < (${sale.blockNumber}, ${sale.logIndex})
    order by feed.block_number desc, feed.log_index desc limit 1)
  else (select answer from ${feedAnswer} as feed where feed.block_timestamp <= ${sale.blockTimestamp}
    order by feed.block_timestamp desc, feed.block_number desc, feed.log_index desc limit 1) end)`;

/** The sum of wei times the answer at each sale; null if the answer is missing for any sale that cost something. */
export const usdOf = (wei: SQL): SQL =>
  sql`case when not bool_or(${wei} > 0 and answer is null) then coalesce(sum(${wei} * answer), 0) end`;
