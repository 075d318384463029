import { ensv2Link, event, resolverChange } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { eq, sql } from "ponder";
import type { Address } from "viem";
import { ROOT_NODE } from "../../../ens/name.ts";
import { writtenArrayOf } from "./arrays.ts";

/**
 * The logs of names. Any contract can emit resolver events for any name. They count only if the deployment lists the emitter, or
 * if the emitter was the name's resolver at some time. The index of events by node contains the emitter, so logs from strangers'
 * contracts are not read, however many there are. It also contains all sort columns, so only rows that are shown are read.
 */

/** A lowercase resolver, and the chain that lists it: on another chain the same address may be a stranger's. */
export type ChainResolver = { chainId: number; address: Address };

/** The listed resolvers as two SQL arrays of equal length. They belong to the deployment, and are the same for all requests. */
export const listedSql = (listed: readonly ChainResolver[]) => ({
  chains: writtenArrayOf(
    listed.map(({ chainId }) => chainId),
    "int",
  ),
  resolvers: writtenArrayOf(
    listed.map(({ address }) => address),
    "text",
  ),
});

/** The contract family that anyone can join. */
const RESOLVER = sql.raw("'RESOLVER'");

/** The family of ENSv2 resolvers. Anyone can have one deployed, and link any name to a record there. */
const ENSV2_RESOLVER = sql.raw("'ENSV2_RESOLVER'");

const ROOT = sql.raw(`'${ROOT_NODE}'`);

type Logs = {
  /** The columns of `events` to select. */
  columns: SQL;
  /** A subquery of the names: `chain_id` and `node`, each name once. */
  names: SQL;
  listed: readonly ChainResolver[];
  /** The condition on each log. */
  condition?: SQL | undefined;
};

/**
 * The logs of names, as a subquery. `own` are all resolvers that a name ever had on its chain, `linking` those of them that ever
 * linked a name to a record, `believed` the own and the listed ones.
 */
export function logsOfNames({ columns, names, listed, condition = sql`true` }: Logs): SQL {
  const { chains, resolvers } = listedSql(listed);
  const ofName = sql`${event.node} = name.node and ${event.chainId} = name.chain_id`;
  const range = (bounds: SQL) =>
    sql`select ${columns} from ${event} where ${ofName} and ${bounds} and ${condition}`;
  const ofContracts = [
    range(sql`${event.contract} < ${ENSV2_RESOLVER}`),
    range(sql`${event.contract} > ${ENSV2_RESOLVER} and ${event.contract} < ${RESOLVER}`),
    range(sql`${event.contract} > ${RESOLVER}`),
    ...logsOfRecords(columns, condition),
  ];
  const ofResolvers = range(
    sql`${event.contract} = ${RESOLVER} and ${event.contractAddress} = any (name.believed)`,
  );
  const ownResolvers = sql`select ${resolverChange.resolver} from ${resolverChange}
    where ${resolverChange.node} = named.node and ${resolverChange.chainId} = named.chain_id
      and ${resolverChange.resolver} is not null`;
  // `offset 0` makes the resolvers of each name be found once.
  return sql`select log.* from (
      select owned.*, own || array(
        select listed.resolver from unnest(${chains}, ${resolvers}) as listed (chain_id, resolver)
        where listed.chain_id = owned.chain_id) as believed, array(
        select address from unnest(own) as own (address) where exists (select from ${ensv2Link}
          where ${ensv2Link.chainId} = owned.chain_id and ${ensv2Link.resolver} = own.address)) as linking
      from (
        select named.chain_id, named.node, array(${ownResolvers}) as own from (${names}) as named offset 0
      ) as owned offset 0
    ) as name cross join lateral (${sql.join([...ofContracts, ofResolvers], sql` union all `)}) as log`;
}

/**
 * Logs of a name's own ENSv2 resolvers: its links there, the links that apply to all names without one, and the settings in all
 * records to which these links ever led.
 */
function logsOfRecords(columns: SQL, condition: SQL): SQL[] {
  const isLink = sql`${event.node} in (name.node, ${ROOT}) and ${event.contract} = ${ENSV2_RESOLVER}
    and ${event.contractAddress} = any (name.linking) and ${event.chainId} = name.chain_id and ${event.eventType} = 'Linked'`;
  const linked = sql`select distinct ${event.contractAddress} as resolver,
      substring(${event.details} from '"recordId":"([0-9]{1,18})"') as record
    from ${event} where ${isLink}`;
  return [
    sql`select ${columns} from ${event} where ${isLink} and ${condition}`,
    sql`select ${columns} from (${linked}) as linked
      join ${event} on ${event.node} = '0x' || lpad(to_hex(linked.record::bigint), 64, '0')
        and ${event.contract} = ${ENSV2_RESOLVER} and ${event.contractAddress} = linked.resolver
        and ${event.chainId} = name.chain_id
      where name.linking <> '{}' and linked.record <> '0' and ${event.eventType} <> 'Linked' and ${condition}`,
  ];
}

/**
 * The logs of a node from contracts other than resolvers, as a subquery: two ranges of one index. It reads no logs that
 * strangers' contracts emit for the node, however many there are.
 */
export const logsOfContracts = (columns: SQL, condition: SQL): SQL => {
  const range = (comparison: SQL) =>
    sql`select ${columns} from ${event} where ${eq(event.node, sql.placeholder("node"))}
      and ${event.contract} ${comparison} ${RESOLVER} and ${condition}`;
  return sql`${range(sql`<`)} union all ${range(sql`>`)}`;
};
