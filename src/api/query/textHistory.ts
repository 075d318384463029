import { event, resolverChange } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, isNull, sql } from "ponder";
import type { Address, Hex } from "viem";
import { beginningInDetails, beginningOf } from "./beginnings.ts";
import { type Chains, chainValues, forEachReach, isOfAskedChains, type Reach } from "./chains.ts";
import type { Db } from "./db.ts";
import { isEventOfRow } from "./events.ts";
import { prepared } from "./prepared.ts";
import { type Listed, newestFirst, type Section, sliced } from "./section.ts";

/** A step in the history of a text: an event at the name's resolver, or a change of the resolver. */
export type TextStep = {
  blockNumber: number;
  /** Null for a change of the resolver. */
  resolver: Address | null;
  transactionHash: Hex | null;
  /** The beginnings of the value, and of one with NUL, which PostgreSQL cannot store; both null if it was cleared. */
  value: string | null;
  hiddenValue: string | null;
  valueSource: string | null;
};

/** A text record of a name in one registry, and the resolvers there that are to be believed, lower case. */
export type TextOf = { node: Hex; chains: Chains; key: string; indexedResolvers: readonly Address[] };

/**
 * How a text record went, newest first, by the logs of resolvers that are to be believed. A log counts if its emitter was
 * the name's resolver at that moment. A new resolver, and a clearing of all records, end the value that was there; before
 * the first value there is none to end.
 */
export const listTextSteps = (
  db: Db,
  { node, chains, key, indexedResolvers }: TextOf,
  section: Section,
): Promise<Listed<TextStep>> =>
  newestFirst(section, ({ limit, offset }) => {
    const asked = { node, ...chainValues(chains), indexedResolvers, limit, offset };
    const { ofHiddenKey, ofKey } = preparedTexts[chains.reach];
    // PostgreSQL cannot store a key with NUL: it is in `details`.
    return key.includes("\0")
      ? ofHiddenKey(db).execute({ ...asked, key: `"key":${JSON.stringify(key)}` })
      : ofKey(db).execute({ ...asked, key });
  });

const { placeholder } = sql;

const end = (column: SQL): SQL => sql`coalesce(lead(${column}) over place, 2147483647)`;

/**
 * 1. `term`: the times of the name's resolvers.
 * 2. `logged`: settings of the text, and clearings, by the resolver of that time. The index of events by node has the
 *    emitter and the block: logs that strangers' contracts emit for the node are not read, however many there are.
 * 3. `settled`: of these what each transaction left; what held only within a transaction is in the events. A new resolver
 *    in the middle of a transaction is a boundary all the same.
 * 4. `step`: these logs from the first value on, and the changes of the resolver after it.
 */
const steps = (isOfKey: SQL | undefined, reach: Reach): SQL => sql`with term as (
    select ${resolverChange.resolver} as resolver, ${resolverChange.chainId} as chain_id,
      ${resolverChange.blockNumber} as block_number, ${resolverChange.logIndex} as log_index,
      ${end(sql`${resolverChange.blockNumber}`)} as end_block, ${end(sql`${resolverChange.logIndex}`)} as end_log
    from ${resolverChange} where ${eq(resolverChange.node, placeholder("node"))}
      ${reach === "main" ? sql`` : sql`and ${isOfAskedChains(resolverChange.chainId, reach)}`}
    window place as (order by ${resolverChange.blockNumber}, ${resolverChange.logIndex})
  ), logged as (
    select ${event.chainId} as chain_id, ${event.blockNumber} as block_number, ${event.logIndex} as log_index,
      ${event.ordinal} as ordinal, ${event.eventType} as event_type, ${event.transactionHash} as transaction_hash,
      term.block_number as term_block, term.log_index as term_log
    from term join ${event} on ${eq(event.node, placeholder("node"))} and ${event.contract} = 'RESOLVER'
      and ${event.contractAddress} = term.resolver and ${event.chainId} = term.chain_id
      and (${event.blockNumber}, ${event.logIndex}) > (term.block_number, term.log_index)
      and (${event.blockNumber}, ${event.logIndex}) < (term.end_block, term.end_log)
      and (${event.eventType} = 'VersionChanged' or (${event.eventType} = 'TextChanged' and ${isOfKey}))
    where term.resolver = any (${placeholder("indexedResolvers")}::text[])
  ), settled as (
    select distinct on (chain_id, block_number, transaction_hash, term_block, term_log) * from logged
    order by chain_id, block_number, transaction_hash, term_block, term_log, log_index desc
  ), first as (
    select block_number, log_index from settled where event_type = 'TextChanged' order by 1, 2 limit 1
  ), step as (
    select chain_id, block_number, log_index, ordinal from settled
    union all select chain_id, block_number, log_index, null from term
  )`;

const preparedSteps = (name: string, isOfKey: SQL | undefined, reach: Reach) =>
  prepared((db) => {
    const page = sql`(${steps(isOfKey, reach)}
      select step.*, (count(*) over ())::int as total from step join first
        on (step.block_number, step.log_index) >= (first.block_number, first.log_index)
      order by step.block_number desc, step.log_index desc ${sliced}) as page`;
    return db
      .select({
        blockNumber: sql<number>`page.block_number`,
        resolver: sql<Address | null>`${event.contractAddress}`,
        transactionHash: sql<Hex | null>`${event.transactionHash}`,
        value: beginningOf(event.value),
        hiddenValue: beginningInDetails("value"),
        valueSource: sql<string | null>`${event.valueSource}`,
        total: sql<number>`page.total`,
      })
      .from(page)
      .leftJoin(event, isEventOfRow)
      .orderBy(sql`page.block_number desc`, sql`page.log_index desc`)
      .prepare(reach === "main" ? name : `${name}_several`);
  });

const isOfHiddenKey = and(isNull(event.key), sql`strpos(${event.details}, ${placeholder("key")}) > 0`);

const preparedTexts = forEachReach((reach) => ({
  ofKey: preparedSteps("text_steps", eq(event.key, placeholder("key")), reach),
  ofHiddenKey: preparedSteps("text_steps_of_hidden_key", isOfHiddenKey, reach),
}));
