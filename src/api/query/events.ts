import { event, resolverChange } from "ponder:schema";
import { getTableColumns, type SQL, type SQLWrapper } from "drizzle-orm";
import { and, eq, isNotNull, sql } from "ponder";
import type { Address, Hex } from "viem";
import { ROOT_NODE } from "../../ens/name.ts";
import type { Db } from "../postgres/db.ts";
import { beginningInDetails, beginningOf, beginningOfBytes } from "./beginnings.ts";
import type { Keyset } from "./keyset.ts";
import { inForms, type ListForm, orderOfPage, pageColumns, pageOf } from "./listStatements.ts";
import type { Page, SortDirection } from "./page.ts";
import { type Scope, statementOf } from "./scope.ts";
import { oldestFirst, type Section } from "./section.ts";

/** What an event says, without the texts and bytes that its sender wrote. */
const { key, value, name, contenthash, address, details, anomaly, ...facts } = getTableColumns(event);
export const eventFacts = facts;

/** An event without the texts and bytes that its sender wrote. */
export type EventFacts = Omit<
  typeof event.$inferSelect,
  "key" | "value" | "name" | "contenthash" | "address" | "details" | "anomaly"
>;

/** With their beginnings; a text that holds NUL, which PostgreSQL cannot store, is escaped as in JSON. */
const shown = {
  ...facts,
  ...{ key: beginningOf(key), value: beginningOf(value), name: beginningOf(name) },
  ...{ contenthash: beginningOfBytes(contenthash), address: beginningOfBytes(address) },
  hiddenKey: beginningInDetails("key"),
  hiddenValue: beginningInDetails("value"),
  hiddenName: beginningInDetails("name"),
  agentId: sql<string | null>`case when ${event.contract} = 'AGENT_ADAPTER'
    then substring(${details} from '"agentId":"([0-9]{1,78})"') end`,
};

/** An event as answers show it. */
export type EventRow = EventFacts & {
  [Name in Exclude<keyof typeof shown, keyof EventFacts>]: (typeof shown)[Name]["_"]["type"];
};

/**
 * Events of a name, oldest first. Any contract can emit resolver events for any name: they count only from resolvers
 * that the deployment lists, or that were the name's resolver at some time.
 */
export const listEvents = (
  db: Db,
  { node, chains, listed }: { node: Hex; chains: Scope; listed: readonly ChainResolver[] },
  section: Section,
): Promise<Page<EventRow>> =>
  oldestFirst(section, (form, values) =>
    eventsOfNode(form)(db, chains, {
      ...{ node, ...values },
      listedResolvers: listed.map(({ address }) => address),
      listedChains: listed.map(({ chainId }) => chainId),
    }),
  );

/** A resolver, lower case, and the chain that lists it: on another chain its address may be a stranger's. */
export type ChainResolver = { chainId: number; address: Address };

const { placeholder } = sql;

/** The family of contracts that anyone can add to. */
const RESOLVER = sql.raw("'RESOLVER'");

/**
 * The logs of a node by contracts that are no resolvers, as a subquery: two ranges of one index. So it reads none of the
 * logs that strangers' contracts emit for the node, however many there are.
 */
export const logsOfContracts = (columns: SQL, condition: SQL = sql`true`): SQL => {
  const range = (comparison: SQL) =>
    sql`select ${columns} from ${event} where ${eq(event.node, placeholder("node"))}
      and ${event.contract} ${comparison} ${RESOLVER} and ${condition}`;
  return sql`${range(sql`<`)} union all ${range(sql`>`)}`;
};

/** The key of an event, and what events are sorted by. */
const keys = sql`${event.chainId} as chain_id, ${event.blockNumber} as block_number, ${event.logIndex} as log_index,
  ${event.ordinal} as ordinal, ${event.blockTimestamp} as block_timestamp`;

/** The event with the key of a row of the subquery `page`. */
export const isEventOfRow: SQL = sql`(${event.chainId}, ${event.blockNumber}, ${event.logIndex}, ${event.ordinal})
  = (page.chain_id, page.block_number, page.log_index, page.ordinal)`;

const eventsOfNode = inForms(preparedEvents);

/** The family of resolvers of ENSv2: anyone can have one deployed, and link any name to a record there. */
const ENSV2_RESOLVER = sql.raw("'ENSV2_RESOLVER'");

/** {@link logsOfContracts} where there is ENSv2: without the links that strangers make, however many there are. */
const logsWithoutLinks = (columns: SQL, condition: SQL): SQL => {
  const range = (bounds: SQL) =>
    sql`select ${columns} from ${event} where ${eq(event.node, placeholder("node"))} and ${bounds} and ${condition}`;
  return sql.join(
    [
      range(sql`${event.contract} < ${ENSV2_RESOLVER}`),
      range(sql`${event.contract} > ${ENSV2_RESOLVER} and ${event.contract} < ${RESOLVER}`),
      range(sql`${event.contract} > ${RESOLVER}`),
    ],
    sql` union all `,
  );
};

/**
 * Logs of the name's own resolvers of ENSv2: its links there, those of all names without a link, and what was set in the
 * records that these ever led to.
 */
const logsOfRecords = (columns: SQL, ownResolvers: SQLWrapper): SQL => {
  const isOwn = sql`${event.contract} = ${ENSV2_RESOLVER} and ${event.contractAddress} in ${ownResolvers}`;
  const linked = sql`select ${event.contractAddress} as resolver, substring(${event.details} from '"recordId":"([0-9]{1,18})"') as record
    from ${event} where ${event.node} in (${placeholder("node")}, ${sql.raw(`'${ROOT_NODE}'`)}) and ${isOwn}
      and ${event.eventType} = 'Linked'`;
  return sql`select ${columns} from ${event} where ${event.node} in (${placeholder("node")}, ${sql.raw(`'${ROOT_NODE}'`)})
      and ${isOwn} and ${event.eventType} = 'Linked'
    union all
    select ${columns} from (select distinct * from (${linked}) as every_link) as linked
      join ${event} on ${event.node} = '0x' || lpad(to_hex(linked.record::bigint), 64, '0')
        and ${event.contract} = ${ENSV2_RESOLVER} and ${event.contractAddress} = linked.resolver
    where linked.record <> '0' and ${event.eventType} <> 'Linked'`;
};

/** Of several chains a node has the events of those where it is a name; a resolver counts on its own chain. */
function preparedEvents(form: ListForm, name: string) {
  return statementOf(({ holds, byChains, byProtocols, ifSeveral, title }, db) => {
    const isHere = byChains({ main: sql`true`, several: holds(event.chainId) });
    const isListedThere = ifSeveral(sql`and ${isHere} and (exists (
          select from unnest(${placeholder("listedChains")}::int[], ${placeholder("listedResolvers")}::text[])
            as listed (chain_id, resolver)
          where listed.chain_id = ${event.chainId} and listed.resolver = ${event.contractAddress})
        or exists (select from ${resolverChange} where ${eq(resolverChange.node, placeholder("node"))}
          and ${eq(resolverChange.chainId, event.chainId)} and ${eq(resolverChange.resolver, event.contractAddress)}))`);
    const itsResolvers = db
      .select({ resolver: resolverChange.resolver })
      .from(resolverChange)
      .where(and(eq(resolverChange.node, placeholder("node")), isNotNull(resolverChange.resolver)));
    const believed = sql`array(select unnest(${placeholder("listedResolvers")}::text[]) union ${itsResolvers})`;
    const ofContracts = byProtocols({
      ensv1: logsOfContracts(keys, isHere),
      both: () => sql`${logsWithoutLinks(keys, isHere)} union all ${logsOfRecords(keys, itsResolvers)}`,
    });
    const logs = sql`${ofContracts} union all
      select ${keys} from ${event} where ${eq(event.node, placeholder("node"))}
        and ${event.contract} = ${RESOLVER} and ${event.contractAddress} = any (${believed}) ${isListedThere}`;
    const page = pageOf(logs, eventKeys("listed", form.direction), form);
    return db
      .select({ ...shown, ...pageColumns })
      .from(event)
      .innerJoin(page, isEventOfRow)
      .orderBy(orderOfPage(eventKeys("page", form.direction)))
      .prepare(title(`events_of_node_${name}`));
  });
}

/** The order of events, by the columns of a subquery: their place in time; chains share nothing else. */
export const eventKeys = (of = "listed", direction: SortDirection = "asc"): Keyset => [
  { column: sql.raw(`${of}.block_timestamp`), kind: "bigint", direction },
  { column: sql.raw(`${of}.chain_id`), kind: "integer", direction },
  { column: sql.raw(`${of}.block_number`), kind: "integer", direction },
  { column: sql.raw(`${of}.log_index`), kind: "integer", direction },
  { column: sql.raw(`${of}.ordinal`), kind: "integer", direction },
];
