import { event, ownershipChange } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { sqlOf } from "../../../names/query/scope.ts";
import { type Env, none } from "./entity.ts";
import { eventAs, ownershipChangeAs } from "./rowNames.ts";

/** Whether a log named a node since a block: what the subgraph has of a name changes by its logs alone. */
export const changedNode = (node: SQL, block: SQL, { chains }: Env): SQL => {
  const change = eventAs("change");
  return sql`exists (select from ${event} as change where ${change.node} = ${node}
    and ${sqlOf(chains).holds(change.chainId)} and ${change.blockNumber} >= ${block})`;
};

/** Who owned a node in a layer at a past block; null if no account did. */
export const ownerAt = (
  node: SQL,
  layer: "registryOwner" | "registrarOwner" | "wrapperOwner",
  { block, chains }: { block: SQL; chains: Env["chains"] },
): SQL => {
  const then = ownershipChangeAs("owned");
  return sql`(select ${then[layer]} from ${ownershipChange} as owned where ${then.node} = ${node}
    and ${sqlOf(chains).holds(then.chainId)} and ${then.blockNumber} <= ${block}
    order by ${then.blockNumber} desc, ${then.logIndex} desc, ${then.ordinal} desc limit 1)`;
};

/** The same; the zero address if no account did. */
export const ownerOrNoneAt = (...args: Parameters<typeof ownerAt>): SQL =>
  sql`coalesce(${ownerAt(...args)}, ${none})`;
