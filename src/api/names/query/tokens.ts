import { ownershipChange } from "ponder:schema";
import { and, asc, eq } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";

/** The position of a log. */
export type Logged = { block: number; timestamp: number; transaction: Hex };

/** The first log that gave a name an owner in ENSv2; null if the index has none. */
export async function firstTokenOf(
  db: Db,
  { chainId, node }: { chainId: number; node: Hex },
): Promise<Logged | null> {
  const change = ownershipChange;
  const [first] = await db
    .select({
      block: change.blockNumber,
      timestamp: change.blockTimestamp,
      transaction: change.transactionHash,
    })
    .from(change)
    .where(and(eq(change.node, node), eq(change.chainId, chainId), eq(change.reason, "token")))
    .orderBy(asc(change.blockNumber), asc(change.logIndex))
    .limit(1);
  return first ?? null;
}
