import type { Context } from "ponder:registry";
import { ensv2Link } from "ponder:schema";
import type { Hex } from "viem";
import type { LogRef } from "../logRef.ts";

/** Stores which record a name shows at the emitting resolver; null for none. Writes: ensv2_links. */
export async function putLink(context: Context, log: LogRef, node: Hex, record: Hex | null): Promise<void> {
  const { chainId, contractAddress: resolver, blockNumber, transactionHash } = log;
  const columns = { record, blockNumber, transactionHash };
  await context.db
    .insert(ensv2Link)
    .values({ chainId, resolver, node, ...columns })
    .onConflictDoUpdate(columns);
}
