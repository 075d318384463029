import { domain, event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { ROOT_NODE } from "../../../../ens/name.ts";
import { sqlOf } from "../../../names/query/scope.ts";
import { columnOf, type Entity, type Env, NONE, nameOf, none, type Row } from "./entity.ts";
import { derived, relation, scalar } from "./fields.ts";
import { counted, isSetOf, recordEvents, textIn } from "./logs.ts";
import { addrAt, contentHashAt, recordAt } from "./recordsInForce.ts";
import { domainAs, eventAs } from "./rowNames.ts";

/*
 * A resolver of the subgraph is a resolver and a node: made by the registry's log, or by a record's log of any contract. The
 * zero address alone stands for "no resolver" in NewResolver: its node is the empty text.
 */

const address = (row: Row): SQL => columnOf(row, "resolver");
const node = (row: Row): SQL => columnOf(row, "node");
const domainNode = (row: Row): SQL => sql`nullif(${node(row)}, '')`;

type Part = { resolver: SQL; node: SQL; from: SQL; where: SQL };

/** Where a resolver of a name is seen: in the registry's logs, in logs of records, and in ENSv2 at the name. */
const parts = ({ chains, ensv2 }: Env): Part[] => {
  const { holds } = sqlOf(chains);
  const [named, logged, d] = [eventAs("named"), eventAs("logged"), domainAs("d")];
  const ofEnsv1: Part[] = [
    {
      resolver: sql`${named.resolverAddress}`,
      node: sql`${named.node}`,
      from: sql`${event} as named`,
      where: sql`${named.eventType} = 'NewResolver' and ${named.resolverAddress} <> ${none}
        and ${counted("named", chains)} and ${holds(named.chainId)}`,
    },
    {
      resolver: sql`${logged.contractAddress}`,
      node: sql`${logged.node}`,
      from: sql`${event} as logged`,
      where: sql`${logged.contract} = 'RESOLVER' and ${isSetOf(sql`${logged.eventType}`, recordEvents)}
        and ${holds(logged.chainId)}`,
    },
  ];
  if (ensv2 === undefined) return ofEnsv1;
  const ofEnsv2 = sql`${d.registry} is not null and ${d.resolver} is not null and ${holds(d.chainId)}`;
  return [
    ...ofEnsv1,
    { resolver: sql`${d.resolver}`, node: sql`${d.node}`, from: sql`${domain} as d`, where: ofEnsv2 },
  ];
};

/** Every such pair, and the zero address. */
const pairs = (env: Env): SQL =>
  sql.join(
    [
      sql`select ${none} as resolver, '' as node`,
      ...parts(env).map(
        (one) => sql`select ${one.resolver}, ${one.node} from ${one.from} where ${one.where}`,
      ),
    ],
    sql` union `,
  );

const isThere: NonNullable<Entity["isThere"]> = ([resolver = none, named = none], env) =>
  sql.join(
    [
      sql`(${resolver} = ${none} and ${named} = '')`,
      ...parts(env).map(
        (one) => sql`exists (select from ${one.from}
          where ${one.resolver} = ${resolver} and ${one.node} = ${named} and ${one.where})`,
      ),
    ],
    sql` or `,
  );

/** How contracts log a set of keys: resolvers of ENSv1 at the node, those of ENSv2 at the number of the record. */
type KeyLogs = { type: string; updated: string; key: SQL };

const texts: KeyLogs = { type: "TextChanged", updated: "TextUpdated", key: textIn("set", "key") };
const coins: KeyLogs = {
  type: "AddressChanged",
  updated: "AddressUpdated",
  key: sql`${eventAs("set").coinType}`,
};

/** Keys in the order in which they were first set since the records were last cleared; null if none was. */
const keysSet = (row: Row, env: Env, { type, updated, key }: KeyLogs): SQL => {
  const { holds } = sqlOf(env.chains);
  const is = (log: string, types: readonly string[]) => {
    const { chainId, contract, contractAddress, eventType } = eventAs(log);
    return sql`${contract} in ('RESOLVER', 'ENSV2_RESOLVER') and ${isSetOf(sql`${eventType}`, types)}
      and ${contractAddress} = ${address(row)} and ${holds(chainId)}`;
  };
  const place = (log: string) => sql`(${eventAs(log).blockNumber}, ${eventAs(log).logIndex})`;
  const [set, cleared] = [eventAs("set"), eventAs("cleared")];
  return sql`(select array_agg(key order by first) from (
    select key, min(place) as first from (
      select ${key} as key, ${set.blockNumber}::bigint * 1000000 + ${set.logIndex} as place from ${event} as set
      where ${set.node} = ${recordAt(address(row), node(row), env)} and ${is("set", [type, updated])}
        and not exists (select from ${event} as cleared where ${cleared.node} = ${set.node}
          and ${is("cleared", ["VersionChanged", "Cleared"])} and ${place("cleared")} > ${place("set")})
    ) as sets where key is not null group by key) as keys)`;
};

export const resolverEntity: Entity = {
  name: "Resolver",
  description: "A resolver's data for one name. The id `0x000…0` stands for no resolver",
  from: (row, env) => sql`(${pairs(env)}) as ${sql.identifier(nameOf(row))}`,
  where: () => sql`true`,
  key: {
    columns: (row) => [address(row), node(row)],
    types: ["text", "text"],
    read: (id) => {
      if (id === NONE) return [NONE, ""];
      const [resolver, named, ...more] = id.split("-");
      return resolver && named && more.length === 0 ? [resolver, named] : null;
    },
  },
  nodeOf: node,
  isThere,
  rowOf: ([resolver = none, named = none]) => ({ columns: { resolver, node: named } }),
  // A link of the root's name is one of every name.
  changedSince: (row, block, env) => {
    const change = eventAs("change");
    const nodes =
      env.ensv2 === undefined
        ? [node(row)]
        : [node(row), recordAt(address(row), node(row), env), sql.raw(`'${ROOT_NODE}'`)];
    return sql`exists (select from ${event} as change where ${change.node} in (${sql.join(nodes, sql`, `)})
      and ${sqlOf(env.chains).holds(change.chainId)} and ${change.blockNumber} >= ${block}
      and ${address(row)} in (${change.contractAddress}, ${change.resolverAddress}))`;
  },
  fields: {
    id: scalar(
      "ID!",
      "the resolver, `-` and the node",
      (row) => sql`concat_ws('-', ${address(row)}, nullif(${node(row)}, ''))`,
      { isFixed: true },
    ),
    // It need not have been a domain always.
    domain: relation("Domain", "the node, if it is a domain", domainNode, {
      idAt: domainNode,
      isNarrow: true,
      // No domain has the empty text as its node.
      matches: (row, { values: [value] }) => sql`${node(row)} = ${value}`,
    }),
    address: scalar("Bytes!", "`resolver`", address, { isHex: true, isFixed: true }),
    addr: relation("Account", "its answer for coin type 60, as in `resolvedAddress`", (row, env) =>
      addrAt(address(row), node(row), env),
    ),
    contentHash: scalar("Bytes", "`contenthash`; null if cleared", (row, env) =>
      contentHashAt(address(row), node(row), env),
    ),
    texts: scalar(
      "String",
      "keys of `TextChanged` since the last `VersionChanged`, in the order they were first set; in ENSv2 of `TextUpdated` since `Cleared`",
      (row, env) => keysSet(row, env, texts),
      { isList: true },
    ),
    coinTypes: scalar(
      "BigInt",
      "coin types of `AddressChanged` likewise; in ENSv2 of `AddressUpdated`",
      (row, env) => keysSet(row, env, coins),
      { isList: true },
    ),
    events: derived("[ResolverEvent!]!", "resolver", "`events`"),
  },
};
