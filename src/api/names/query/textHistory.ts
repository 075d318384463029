import { ensv2Proxy, event, resolverChange } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import { ROOT_NODE } from "../../../ens/name.ts";
import type { Db } from "../../server/postgres/db.ts";
import { builtOnce } from "../../server/postgres/prepared.ts";
import { beginningInDetails, beginningOf } from "./beginnings.ts";
import { hasNul, isOfKey, writtenKey } from "./eventFilters.ts";
import { isEventOfRow } from "./eventRows.ts";
import type { Keyset } from "./keyset.ts";
import { orderOfPage, pageColumns, pageOf, readFound, readSection, type Section } from "./list.ts";
import type { Page } from "./page.ts";
import { type Scope, type ScopeSql, sqlOf } from "./scope.ts";

/** A step in the history of a text: an event at the name's resolver, or a change of resolver. */
export type TextStep = {
  blockNumber: number;
  /** Null for a change of resolver. */
  resolver: Address | null;
  transactionHash: Hex | null;
  /** The beginnings of the value, and of a value with NUL, which PostgreSQL cannot store. Both are null if it was cleared. */
  value: string | null;
  hiddenValue: string | null;
  valueSource: string | null;
  /** For a change of resolver: the text that the new resolver already held; null if none. */
  restored: RestoredText | null;
};

/** A text that was set at a resolver before the name got that resolver (again). */
export type RestoredText = Pick<TextStep, "value" | "hiddenValue" | "valueSource" | "blockNumber"> & {
  transactionHash: Hex;
};

/** A text record of a name in one registry, and the trusted lowercase resolvers there. */
export type TextOf = {
  node: Hex;
  chains: Scope;
  key: string;
  indexedResolvers: readonly Address[];
};

/**
 * Text record history, newest first, from the logs of trusted resolvers. A log counts if its emitter was the name's resolver at
 * that moment. A new resolver, and a clearing of all records, end the current value. Before the first value, there is nothing to
 * end.
 */
export function listTextSteps(
  db: Db,
  { node, chains, key, indexedResolvers }: TextOf,
  section: Section,
): Promise<Page<TextStep>> {
  const of = sqlOf(chains);
  const isText = isOfKey(key, sql`${placeholder("text")}::text`);
  return readSection(section, "desc", (part) =>
    readFound(part, textKeys(), (slice) =>
      builtOnce(
        db,
        of.title(`text_history ${hasNul(key)} ${chains.ids} ${slice.title}`),
        () =>
          db
            .select({ blockNumber: sql<number>`page.at_block`, restored: restoredBy(isText), ...shownOfStep })
            .from(pageOf(listedSteps(isText, of), slice))
            .leftJoin(event, isEventOfRow)
            .orderBy(orderOfPage),
        {
          ...slice.values,
          node,
          text: writtenKey(key),
          indexedResolvers,
          resolverCode: [...chains.ensv2.resolverCode],
        },
      ),
    ),
  );
}

const { placeholder } = sql;

const end = (column: SQL): SQL => sql`coalesce(lead(${column}) over place, 2147483647)`;

/**
 * 1. `term`: the periods of the name's resolvers.
 * 2. `logged`: settings of the text, and clearings, at the resolver of that period. The index of events by node contains the
 *    emitter and the block, so logs that strangers' contracts emit for the node are not read, however many there are.
 * 3. `settled`: the final state of each transaction; a value that held only within a transaction is in the events. A new resolver
 *    in the middle of a transaction is a boundary all the same.
 * 4. `step`: these logs, and the changes of resolver.
 */
const steps = (isText: SQL | undefined, { holds }: ScopeSql): SQL => sql`with term as (
    select ${resolverChange.resolver} as resolver, ${resolverChange.chainId} as chain_id,
      ${resolverChange.blockNumber} as block_number, ${resolverChange.logIndex} as log_index,
      ${end(sql`${resolverChange.blockNumber}`)} as end_block, ${end(sql`${resolverChange.logIndex}`)} as end_log
    from ${resolverChange} where ${eq(resolverChange.node, placeholder("node"))}
      and ${holds(resolverChange.chainId)}
    window place as (order by ${resolverChange.blockNumber}, ${resolverChange.logIndex})
  ), logged as (
    select ${event.chainId} as chain_id, ${event.blockNumber} as block_number, ${event.logIndex} as log_index,
      ${event.ordinal} as ordinal, ${event.eventType} as event_type, ${event.transactionHash} as transaction_hash,
      term.block_number as term_block, term.log_index as term_log
    from term join ${event} on ${eq(event.node, placeholder("node"))} and ${event.contract} = 'RESOLVER'
      and ${event.contractAddress} = term.resolver and ${event.chainId} = term.chain_id
      and (${event.blockNumber}, ${event.logIndex}) > (term.block_number, term.log_index)
      and (${event.blockNumber}, ${event.logIndex}) < (term.end_block, term.end_log)
      and (${event.eventType} = 'VersionChanged' or (${event.eventType} = 'TextChanged' and ${isText}))
    where term.resolver = any (${placeholder("indexedResolvers")}::text[])
  ), settled as (
    select distinct on (chain_id, block_number, transaction_hash, term_block, term_log) * from logged
    order by chain_id, block_number, transaction_hash, term_block, term_log, log_index desc
  ), step as (
    select chain_id, block_number, log_index, ordinal, event_type = 'TextChanged' as is_value from settled
    union all select chain_id, block_number, log_index, null, false from term
  )`;

/** The position of a log on its chain as one number. No block has a million logs. */
const placeOf = (block: SQL, log: SQL): SQL => sql`(${block}::bigint * 1000000 + ${log})`;
const placeOfEvent = placeOf(sql`${event.blockNumber}`, sql`${event.logIndex}`);

/**
 * Adds the steps at ENSv2 resolvers, which store texts by record number. A record may exist before a name is linked to it or gets
 * the resolver. The value it has then is the first one, at that block.
 *
 * 1. `link`, `led`: the record linked to the name at each of its resolvers: its own link, or else that of the root.
 * 2. `stretch`: the periods in which a record, or none, was the name's.
 * 3. `recorded`: settings in these periods, and the value at their start. A period that starts without a value ends the previous
 *    value.
 */
const stepsWithEnsv2 = (isText: SQL | undefined, of: ScopeSql): SQL => sql`${steps(isText, of)}, link as (
    select ${event.contractAddress} as resolver, ${placeOfEvent} as place, ${event.node} = ${placeholder("node")} as is_own,
      substring(${event.details} from '"recordId":"([0-9]{1,18})"')::bigint as record
    from ${event} where ${event.node} in (${placeholder("node")}, ${sql.raw(`'${ROOT_NODE}'`)})
      and ${event.contract} = 'ENSV2_RESOLVER' and ${event.eventType} = 'Linked'
      and ${event.contractAddress} in (select resolver from term)
  ), numbered as (
    select *, count(*) filter (where is_own) over place as own, count(*) filter (where not is_own) over place as shared
    from link window place as (partition by resolver order by place)
  ), effective as (
    select resolver, place, coalesce(nullif(max(record) filter (where is_own) over (partition by resolver, own), 0),
        nullif(max(record) filter (where not is_own) over (partition by resolver, shared), 0)) as record
    from numbered
  ), compared as (
    select *, row_number() over place = 1 or record is distinct from lag(record) over place as is_new
    from effective window place as (partition by resolver order by place)
  ), led as (
    select resolver, place, record, coalesce(lead(place) over (partition by resolver order by place), 9223372036854775807) as end_place
    from compared where is_new
  ), stretch as (
    select term.chain_id, term.resolver, '0x' || lpad(to_hex(led.record), 64, '0') as node,
      term.block_number as term_block, term.log_index as term_log,
      greatest(${placeOf(sql`term.block_number`, sql`term.log_index`)}, led.place) as place,
      least(${placeOf(sql`term.end_block`, sql`term.end_log`)}, led.end_place) as end_place
    from term join led on led.resolver = term.resolver
    where exists (select from ${ensv2Proxy}
      where ${ensv2Proxy.chainId} = term.chain_id and ${ensv2Proxy.address} = term.resolver
        and ${ensv2Proxy.implementation} = any(${placeholder("resolverCode")}::text[]))
  ), text as (
    select stretch.term_block, stretch.term_log, stretch.place as since, ${event.chainId} as chain_id,
      ${event.blockNumber} as block_number, ${event.logIndex} as log_index, ${event.ordinal} as ordinal,
      ${event.eventType} as event_type, ${event.transactionHash} as transaction_hash, ${placeOfEvent} as place,
      ${placeOfEvent} < stretch.place as is_before,
      row_number() over (partition by stretch.place, ${placeOfEvent} < stretch.place order by ${placeOfEvent} desc) as newest
    from stretch join ${event} on ${event.node} = stretch.node and ${event.contract} = 'ENSV2_RESOLVER'
      and ${event.contractAddress} = stretch.resolver and ${event.chainId} = stretch.chain_id
      and ${placeOfEvent} < stretch.end_place
      and (${event.eventType} = 'Cleared' or (${event.eventType} = 'TextUpdated' and ${isText}))
    where stretch.place < stretch.end_place
  ), recorded as (
    select distinct on (greatest(place, since), transaction_hash) chain_id, block_number, log_index, ordinal, event_type,
      (greatest(place, since) / 1000000)::int as at_block, (greatest(place, since) % 1000000)::int as at_log, term_block, term_log, is_before
    from text where not is_before or (newest = 1 and event_type = 'TextUpdated')
    order by greatest(place, since), transaction_hash, log_index desc
  ), every_step as (
    select chain_id, block_number, log_index, ordinal, block_number as at_block, log_index as at_log, is_value from step
    where ordinal is not null or not exists (select from recorded where is_before and at_block = step.block_number
      and at_log = step.log_index)
    union all
    select chain_id, block_number, log_index, ordinal, at_block, at_log, event_type = 'TextUpdated' from recorded
    union all
    select chain_id, null, null, null, (place / 1000000)::int, (place % 1000000)::int, false from stretch
    where place < end_place and place > ${placeOf(sql`term_block`, sql`term_log`)} and not exists (
      select from recorded where is_before and ${placeOf(sql`at_block`, sql`at_log`)} = stretch.place)
  ), beginning as (
    select at_block, at_log from every_step where is_value order by 1, 2 limit 1
  )`;

/** The steps from the first value on, with their position as `at_block` and `at_log`. */
const listedSteps = (isText: SQL | undefined, of: ScopeSql): SQL => sql`${stepsWithEnsv2(isText, of)}
  select every_step.* from every_step join beginning
    on (every_step.at_block, every_step.at_log) >= (beginning.at_block, beginning.at_log)`;

/** The order of steps, newest first, by the columns of a subquery. */
export const textKeys = (): Keyset => [
  { column: sql`listed.at_block`, kind: "integer", direction: "desc" },
  { column: sql`listed.at_log`, kind: "integer", direction: "desc" },
];

/** Columns read from the event of a step. */
const shownOfStep = {
  resolver: sql<Address | null>`${event.contractAddress}`,
  transactionHash: sql<Hex | null>`${event.transactionHash}`,
  value: beginningOf(event.value),
  hiddenValue: beginningInDetails("value"),
  valueSource: sql<string | null>`${event.valueSource}`,
  ...pageColumns,
};

/** What the new resolver of a step already held: the last log of the text there, unless all records were cleared since. */
const restoredBy = (isText: SQL | undefined) =>
  sql<RestoredText | null>`case when page.ordinal is null then (
    select case when ${event.eventType} = 'TextChanged' then json_build_object(
      'value', ${shownOfStep.value}, 'hiddenValue', ${shownOfStep.hiddenValue}, 'valueSource', ${event.valueSource},
      'blockNumber', ${event.blockNumber}, 'transactionHash', ${event.transactionHash}) end
    from ${resolverChange} join ${event} on ${event.chainId} = ${resolverChange.chainId}
      and ${event.node} = ${resolverChange.node} and ${event.contract} = 'RESOLVER'
      and ${event.contractAddress} = ${resolverChange.resolver}
      and (${event.blockNumber}, ${event.logIndex}) < (${resolverChange.blockNumber}, ${resolverChange.logIndex})
      and (${event.eventType} = 'VersionChanged' or (${event.eventType} = 'TextChanged' and ${isText}))
    where ${resolverChange.chainId} = page.chain_id and ${resolverChange.node} = ${placeholder("node")}
      and ${resolverChange.blockNumber} = page.at_block and ${resolverChange.logIndex} = page.at_log
      and ${resolverChange.resolver} = any (${placeholder("indexedResolvers")}::text[])
    order by ${event.blockNumber} desc, ${event.logIndex} desc limit 1) end`;
