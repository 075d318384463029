import { addressRecord, domain, ensv2Link, ensv2Proxy, resolverNode } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { DEFAULT_COIN_TYPE, ETHEREUM_COIN_TYPE } from "../../../../ens/coinType.ts";
import { ROOT_NODE } from "../../../../ens/name.ts";
import { sqlOf } from "../../../names/query/scope.ts";
import { type Env, none } from "./entity.ts";
import { addressRecordAs, domainAs, linkAs, proxyAs, resolverNodeAs } from "./rowNames.ts";

/*
 * Records in force at a resolver. They stand at the node; those at a resolver of ENSv2 at the number of the record that the
 * name is linked to, as 32 bytes. A name without a link there has the record of the root name.
 * Source: ensdomains/contracts-v2, src/resolver/PermissionedResolver.sol, `getRecordId`.
 */

const root = sql.raw(`'${ROOT_NODE}'`);

/** A resolver of ENSv2 whose records the index has. */
const isKnown = (resolver: SQL, { chains, ensv2 }: Env): SQL => {
  const proxy = proxyAs("proxy");
  const code = sql`${sql.param([...(ensv2?.resolverCode ?? [])])}::text[]`;
  return sql`exists (select from ${ensv2Proxy} as proxy where ${sqlOf(chains).holds(proxy.chainId)}
    and ${proxy.address} = ${resolver} and ${proxy.implementation} = any(${code}))`;
};

/** Where the records of a name are at a resolver. */
export const recordAt = (resolver: SQL, node: SQL, env: Env): SQL => {
  if (env.ensv2 === undefined) return node;
  const link = linkAs("link");
  const linked = (name: SQL) =>
    sql`(select ${link.record} from ${ensv2Link} as link where ${sqlOf(env.chains).holds(link.chainId)}
      and ${link.resolver} = ${resolver} and ${link.node} = ${name} and ${isKnown(resolver, env)})`;
  return sql`coalesce(${linked(node)}, ${linked(root)}, ${node})`;
};

/** The version of a record in force. */
const versionAt = (resolver: SQL, record: SQL, { chains }: Env): SQL => {
  const at = resolverNodeAs("at");
  return sql`coalesce((select ${at.version} from ${resolverNode} as at where ${sqlOf(chains).holds(at.chainId)}
    and ${at.resolver} = ${resolver} and ${at.node} = ${record}), 0)`;
};

const [ofEthereum, byDefault] = [ETHEREUM_COIN_TYPE, DEFAULT_COIN_TYPE].map((coin) => sql.raw(String(coin)));

/** An address record that can be the answer for Ethereum: its own, or the default one where the resolver answers that. */
export const isForEthereum = (row: "record" | "named", env: Env): SQL => {
  const { coinType, resolver } = addressRecordAs(row);
  const isListed = sql`${resolver} = any(${sql.param([...env.withDefault])}::text[])`;
  const hasDefault = env.ensv2 === undefined ? isListed : sql`(${isListed} or ${isKnown(resolver, env)})`;
  return sql`(${coinType} = ${ofEthereum} or (${coinType} = ${byDefault} and ${hasDefault}))`;
};

/** The address on Ethereum by the resolver: what the subgraph calls addr. Cleared is the zero address. */
export const addrAt = (resolver: SQL, node: SQL, env: Env): SQL => {
  const record = addressRecordAs("record");
  const at = recordAt(resolver, node, env);
  // The default coin type is the greater one.
  return sql`(select coalesce((array_agg(${record.address} order by ${record.coinType})
      filter (where ${record.address} is not null))[1], case when bool_or(${record.coinType} = ${ofEthereum}) then ${none} end)
    from ${addressRecord} as record
    where ${sqlOf(env.chains).holds(record.chainId)} and ${record.resolver} = ${resolver} and ${record.node} = ${at}
      and ${isForEthereum("record", env)}
      and ${record.version} = ${versionAt(resolver, sql`${record.node}`, env)})`;
};

/** The content hash; null if it was cleared. */
export const contentHashAt = (resolver: SQL, node: SQL, env: Env): SQL => {
  const at = resolverNodeAs("at");
  return sql`(select ${at.contenthash} from ${resolverNode} as at where ${sqlOf(env.chains).holds(at.chainId)}
    and ${at.resolver} = ${resolver} and ${at.node} = ${recordAt(resolver, node, env)})`;
};

/** The nodes of names that can resolve to an address, by the index of addresses: what is in force is a second condition. */
export const nodesByAddress = (address: SQL, { chains, ensv2 }: Env): SQL => {
  const { holds } = sqlOf(chains);
  const [named, link, below] = [addressRecordAs("named"), linkAs("link"), domainAs("below")];
  const records = sql`${addressRecord} as named`;
  const isAddress = sql`left(${named.address}, 130) = ${address} and ${holds(named.chainId)}`;
  const byNode = sql`select ${named.node} from ${records} where ${isAddress}`;
  if (ensv2 === undefined) return byNode;
  const links = sql`${ensv2Link} as link on ${holds(link.chainId)} and ${link.resolver} = ${named.resolver}
    and ${link.record} = ${named.node}`;
  return sql`${byNode}
    union all select ${link.node} from ${records} join ${links} where ${isAddress}
    union all select ${below.node} from ${records} join ${links} join ${domain} as below
      on ${holds(below.chainId)} and ${below.resolver} = ${named.resolver} where ${isAddress} and ${link.node} = ${root}`;
};
