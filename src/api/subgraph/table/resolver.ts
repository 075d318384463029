import { domain, event, resolverNode } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { alias, sql } from "ponder";
import { sqlOf } from "../../query/scope.ts";
import { addrAt, toDomain, versionAt } from "./domain.ts";
import { columnOf, type Entity, type Env, NONE, none, type Row } from "./entity.ts";
import { counted, isSetOf, recordEvents, textIn } from "./logs.ts";

/*
 * A resolver of the subgraph is a resolver and a node: made by the registry's log, or by a record's log of any contract. The
 * zero address alone stands for "no resolver" in NewResolver.
 */

const address = (row: Row): SQL => columnOf(row, "resolver");
const node = (row: Row): SQL => columnOf(row, "node");

/** Logs by columns without an alias. */
const pairs = ({ chains, ensv2 }: Env): SQL => {
  const { holds } = sqlOf(chains);
  const [named, logged, d] = [alias(event, "named"), alias(event, "logged"), alias(domain, "d")];
  const parts = [
    sql`select ${named.resolverAddress} as resolver, ${named.node} as node from ${event} as named
      where ${named.eventType} = 'NewResolver' and ${named.resolverAddress} <> ${none} and ${counted("named", chains)}
        and ${holds(named.chainId)}`,
    sql`select ${logged.contractAddress}, ${logged.node} from ${event} as logged
      where ${logged.contract} = 'RESOLVER' and ${isSetOf(sql`${logged.eventType}`, recordEvents)}
        and ${holds(logged.chainId)}`,
    sql`select ${none}, null`,
    ...(ensv2 === undefined
      ? []
      : [
          sql`select ${d.resolver}, ${d.node} from ${domain} as d where ${d.registry} is not null
            and ${d.resolver} is not null and ${holds(d.chainId)}`,
        ]),
  ];
  return sql.join(parts, sql` union `);
};

/** Keys in the order in which they were first set since the records were last cleared; null if none was. */
const keysSet = (row: Row, { chains }: Env, log: { types: readonly string[]; key: SQL }): SQL => {
  const { holds } = sqlOf(chains);
  const cleared = alias(event, "cleared");
  const set = alias(event, "set");
  const place = (of: typeof set) => sql`(${of.blockNumber}, ${of.logIndex})`;
  return sql`(select array_agg(key order by first) from (
    select key, min(place) as first from (
      select ${log.key} as key, ${set.blockNumber}::bigint * 1000000 + ${set.logIndex} as place from ${event} as set
      where ${set.node} = ${node(row)} and ${set.contract} = 'RESOLVER' and ${set.contractAddress} = ${address(row)}
        and ${holds(set.chainId)} and ${isSetOf(sql`${set.eventType}`, log.types)}
        and not exists (select from ${event} as cleared where ${cleared.node} = ${set.node}
          and ${cleared.contract} = 'RESOLVER' and ${cleared.contractAddress} = ${set.contractAddress}
          and ${cleared.eventType} = 'VersionChanged' and ${holds(cleared.chainId)}
          and ${place(cleared as never)} > ${place(set)})
    ) as sets where key is not null group by key) as keys)`;
};

/** Keys and coin types of one resolver that are in an answer. */
const ZERO = [NONE];

export const resolverEntity: Entity = {
  name: "Resolver",
  description: "What one resolver has of one name; the zero address alone for `no resolver`",
  from: (row, env) => sql`(${pairs(env)}) as ${sql.identifier(row)}`,
  where: () => sql`true`,
  key: {
    columns: (row) => [address(row), sql`coalesce(${node(row)}, '')`],
    types: ["text", "text"],
    read: (id) => {
      if (ZERO.includes(id)) return [NONE, ""];
      const [resolver, named, ...more] = id.split("-");
      return resolver && named && more.length === 0 ? [resolver, named] : null;
    },
  },
  changedSince: (row, block, { chains }) => {
    const change = alias(event, "change");
    return sql`exists (select from ${event} as change where ${change.node} = ${node(row)}
      and ${sqlOf(chains).holds(change.chainId)} and ${change.blockNumber} >= ${block}
      and ${address(row)} in (${change.contractAddress}, ${change.resolverAddress}))`;
  },
  fields: {
    id: {
      ...{ kind: "scalar", type: "ID", isRequired: true, source: "the resolver, `-` and the node" },
      value: (row) => sql`concat_ws('-', ${address(row)}, ${node(row)})`,
    },
    domain: toDomain(node, { isRequired: false, source: "the node, if it is a domain" }),
    address: {
      ...{ kind: "scalar", type: "Bytes", isRequired: true, isHex: true, source: "`resolver`" },
      value: address,
    },
    addr: {
      ...{ kind: "relation", type: "Account", isRequired: false },
      source: "the address record of coin type 60; cleared is the zero address",
      key: (row, env) => [addrAt(address(row), node(row), env)],
      id: (row, env) => addrAt(address(row), node(row), env),
    },
    contentHash: {
      ...{
        kind: "scalar",
        type: "Bytes",
        isRequired: false,
        source: "`contenthash`; null if it was cleared",
      },
      value: (row, { chains }) => {
        const at = alias(resolverNode, "at");
        return sql`(select ${at.contenthash} from ${resolverNode} as at where ${sqlOf(chains).holds(at.chainId)}
          and ${at.resolver} = ${address(row)} and ${at.node} = ${node(row)}
          and ${at.version} = ${versionAt(address(row), node(row), chains)})`;
      },
    },
    texts: {
      ...{ kind: "scalar", type: "String", isRequired: false, isList: true },
      source: "keys of `TextChanged` since the last `VersionChanged`, in the order of their first setting",
      value: (row, env) => keysSet(row, env, { types: ["TextChanged"], key: textIn("set", "key") }),
    },
    coinTypes: {
      ...{ kind: "scalar", type: "BigInt", isRequired: false, isList: true },
      source: "coin types of `AddressChanged` in the same way",
      value: (row, env) =>
        keysSet(row, env, { types: ["AddressChanged"], key: sql`${alias(event, "set").coinType}` }),
    },
    events: {
      ...{ kind: "derived", type: "ResolverEvent", via: "resolver", isList: true, isRequired: true },
      source: "`events`",
    },
  },
};
