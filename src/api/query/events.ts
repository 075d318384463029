import { event, resolverChange } from "ponder:schema";
import { and, asc, eq, exists, ne, or, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "./db.ts";
import { prepared } from "./prepared.ts";

/** A row of `events`. */
export type EventRow = typeof event.$inferSelect;

/**
 * Events of a name, oldest first. Any contract can emit resolver events for any name: they count only from resolvers
 * that the deployment lists, or that were the name's resolver at some time.
 */
export const listEvents = (db: Db, of: { node: Hex; listedResolvers: Address[] }): Promise<EventRow[]> =>
  eventsOfNode(db).execute(of);

const { placeholder } = sql;

const eventsOfNode = prepared((db) => {
  const wasItsResolver = db
    .select({ one: sql`1` })
    .from(resolverChange)
    .where(
      and(eq(resolverChange.node, placeholder("node")), eq(resolverChange.resolver, event.contractAddress)),
    );
  return db
    .select()
    .from(event)
    .where(
      and(
        eq(event.node, placeholder("node")),
        or(
          ne(event.contract, "RESOLVER"),
          sql`${event.contractAddress} = any (${placeholder("listedResolvers")}::text[])`,
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
    )
    .prepare("events_of_node");
});
