import { ownershipChange } from "ponder:schema";
import { and, asc, eq, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { prepared } from "../../server/postgres/prepared.ts";

/** The position of a log. */
export type Logged = { block: number; timestamp: number; transaction: Hex };

/** The first log that gave a name an owner in ENSv2; null if the index has none. */
export async function firstTokenOf(db: Db, name: { chainId: number; node: Hex }): Promise<Logged | null> {
  const [first] = await firstToken(db).execute(name);
  return first ?? null;
}

const { placeholder } = sql;

const firstToken = prepared((db) =>
  db
    .select({
      block: ownershipChange.blockNumber,
      timestamp: ownershipChange.blockTimestamp,
      transaction: ownershipChange.transactionHash,
    })
    .from(ownershipChange)
    .where(
      and(
        eq(ownershipChange.node, placeholder("node")),
        eq(ownershipChange.chainId, placeholder("chainId")),
        eq(ownershipChange.reason, "token"),
      ),
    )
    .orderBy(asc(ownershipChange.blockNumber), asc(ownershipChange.logIndex))
    .limit(1)
    .prepare("first_token"),
);
