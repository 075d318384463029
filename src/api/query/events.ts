import { event, resolverChange } from "ponder:schema";
import { and, asc, eq, exists, inArray, ne, or, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../context.ts";

/** A row of `events`. */
export type EventRow = typeof event.$inferSelect;

/**
 * Events of a name, oldest first. Anybody may write a contract that emits resolver events for any name: those count
 * only from resolvers that the deployment lists, or that were the name's resolver at some time.
 */
export function listEvents(
  db: Db,
  { node, listedResolvers }: { node: Hex; listedResolvers: Address[] },
): Promise<EventRow[]> {
  const wasItsResolver = db
    .select({ one: sql`1` })
    .from(resolverChange)
    .where(and(eq(resolverChange.node, node), eq(resolverChange.resolver, event.contractAddress)));
  return db
    .select()
    .from(event)
    .where(
      and(
        eq(event.node, node),
        or(
          ne(event.contract, "RESOLVER"),
          inArray(event.contractAddress, listedResolvers),
          exists(wasItsResolver),
        ),
      ),
    )
    .orderBy(
      asc(event.blockTimestamp),
      asc(event.chainId),
      asc(event.blockNumber),
      asc(event.logIndex),
      asc(event.ordinal),
    );
}
