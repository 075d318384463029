import { event } from "ponder:schema";
import { sql } from "ponder";
import type { Db } from "../../server/postgres/db.ts";
import { prepared } from "../../server/postgres/prepared.ts";
import type { RecordsOf } from "./records.ts";

/**
 * Records without a column. They are read from their events at the resolver in force, since the name's records were last cleared.
 * Source: ensdomains/ens-contracts, contracts/resolvers/profiles; ensdomains/contracts-v2, src/resolver/PermissionedResolver.sol.
 */

/** An event of such a record, with its arguments as JSON. */
export type OtherEvent = { eventType: string; details: string };

/** The maximum number of these events read per name, newest first. A profile has a few. */
export const MAX_OTHER = 100;

const recordTypes = ["ABIChanged", "InterfaceChanged", "PubkeyChanged", "ABIUpdated", "InterfaceUpdated"];
const clearingTypes = ["VersionChanged", "Cleared"];

const list = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(", ");

const { placeholder } = sql;

const ofWanted = sql`${event.node} = wanted.node and ${event.contractAddress} = wanted.resolver
  and ${event.chainId} = wanted.chain_id`;
const place = sql`(${event.blockNumber}, ${event.logIndex})`;
const newestFirst = sql`${event.blockNumber} desc, ${event.logIndex} desc`;

/**
 * The newest events of each name, newest first, in the order of `names`. Each list has one more than is used, to show whether
 * more exist.
 */
export async function listOtherEvents(db: Db, names: readonly RecordsOf[]): Promise<OtherEvent[][]> {
  if (names.length === 0) return [];
  const rows = await otherEventsOf(db).execute({
    chainIds: names.map(({ chainId }) => chainId),
    resolvers: names.map(({ resolver }) => resolver),
    nodes: names.map(({ node }) => node),
  });
  const byPosition = new Map(rows.map(({ position, events }) => [position, events]));
  return names.map((_, i) =>
    (byPosition.get(i + 1) ?? []).map(([eventType, details]) => ({ eventType, details })),
  );
}

const otherEventsOf = prepared((db) =>
  db
    .select({
      position: sql<number>`found.position`.mapWith(Number),
      events: sql<[string, string][]>`found.events`,
    })
    .from(
      sql`(select wanted.position, json_agg(json_build_array(record.event_type, record.details)
          order by record.block_number desc, record.log_index desc) as events
        from unnest(${placeholder("chainIds")}::int[], ${placeholder("resolvers")}::text[], ${placeholder("nodes")}::text[])
          with ordinality as wanted (chain_id, resolver, node, position)
        left join lateral (
          select ${event.blockNumber} as block_number, ${event.logIndex} as log_index from ${event}
          where ${ofWanted} and ${event.eventType} in (${sql.raw(list(clearingTypes))})
          order by ${newestFirst} limit 1) as cleared on true
        cross join lateral (
          select ${event.eventType} as event_type, ${event.details} as details, ${event.blockNumber} as block_number,
            ${event.logIndex} as log_index
          from ${event} where ${ofWanted} and ${event.eventType} in (${sql.raw(list(recordTypes))})
            and ${place} > (coalesce(cleared.block_number, -1), coalesce(cleared.log_index, -1))
          order by ${newestFirst} limit ${sql.raw(String(MAX_OTHER + 1))}) as record
        group by wanted.position) as found`,
    )
    .prepare("other_record_events"),
);
