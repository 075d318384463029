import { event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { alias, sql } from "ponder";
import { sqlOf } from "../../query/scope.ts";
import type { Env } from "./entity.ts";

/** Whether a log named a node since a block: what the subgraph has of a name changes by its logs alone. */
export const changedNode = (node: SQL, block: SQL, { chains }: Env): SQL => {
  const change = alias(event, "change");
  return sql`exists (select from ${event} as change where ${change.node} = ${node}
    and ${sqlOf(chains).holds(change.chainId)} and ${change.blockNumber} >= ${block})`;
};
