import { domain, ensv2Entry, ensv2Proxy } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { alias, and, eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Ensv2Contracts } from "../../../../abis/contracts.ts";
import { ROOT_NODE } from "../../../ens/name.ts";
import type { Db } from "../../server/postgres/db.ts";
import { prepared } from "../../server/postgres/prepared.ts";
import type { Ensv2Entry } from "./ensv2.ts";

const { placeholder } = sql;

/** An entry on the path from the root registry to a name. */
export type Step = {
  /** Index of the path, from 0. */
  path: number;
  /** 1 for the entry of the top-level label. */
  depth: number;
  entry: Ensv2Entry;
  /** Implementations of the entry's contracts; null if no factory deployed them. */
  subregistryCode: Address | null;
  resolverCode: Address | null;
};

/** Storage IDs of labels, from the top-level label down. */
export type StoragePath = readonly Hex[];

/** Where ENSv2 is indexed, and the time to evaluate it at. */
export type Ensv2At = {
  chainId: number;
  now: number;
  contracts: Pick<Ensv2Contracts, "rootRegistry" | "ethRegistry" | "registryCode">;
};

/**
 * The entries on the paths to names, in one statement. A path continues while the entry has not expired and its subregistry has a
 * known implementation.
 */
export async function listSteps(
  db: Db,
  paths: readonly StoragePath[],
  { chainId, now, contracts }: Ensv2At,
): Promise<Step[]> {
  if (paths.length === 0) return [];
  const labels = paths.flatMap((ids, path) => ids.map((id, i) => ({ path, depth: i + 1, id })));
  const { rootRegistry, ethRegistry, registryCode } = contracts;
  return stepsOfPaths(db).execute({
    chainId,
    now,
    rootRegistry,
    registryCode: [...registryCode],
    knownRegistries: [rootRegistry, ethRegistry],
    paths: labels.map(({ path }) => path),
    depths: labels.map(({ depth }) => depth),
    ids: labels.map(({ id }) => id),
  });
}

/** The key of a label's entry, and the registry in which the path continues. Found by its key: one row at most. */
const entryOf = (registry: SQL, id: SQL): SQL => sql`(
  select ${ensv2Entry.registry} as registry, ${ensv2Entry.storageId} as storage_id,
    case when ${ensv2Entry.expiry} > ${placeholder("now")}::numeric and (
      ${ensv2Entry.subregistry} = any(${placeholder("knownRegistries")}::text[])
      or (select ${ensv2Proxy.implementation} = any(${placeholder("registryCode")}::text[]) from ${ensv2Proxy}
        where ${eq(ensv2Proxy.chainId, ensv2Entry.chainId)} and ${eq(ensv2Proxy.address, ensv2Entry.subregistry)})
    ) then ${ensv2Entry.subregistry} end as next
  from ${ensv2Entry}
  where ${eq(ensv2Entry.chainId, placeholder("chainId"))} and ${ensv2Entry.registry} = ${registry}
    and ${ensv2Entry.storageId} = ${id} limit 1)`;

const subregistryProxy = alias(ensv2Proxy, "subregistry_proxy");
const resolverProxy = alias(ensv2Proxy, "resolver_proxy");

const isProxyAt = (proxy: typeof subregistryProxy, address: SQLWrapper) =>
  and(eq(proxy.chainId, ensv2Entry.chainId), eq(proxy.address, address));

const steps = sql`(with recursive label (path, depth, storage_id) as materialized (
    select * from unnest(${placeholder("paths")}::int[], ${placeholder("depths")}::int[], ${placeholder("ids")}::text[])
  ), step (path, depth, registry, storage_id, next) as (
    select label.path, 1, entry.registry, entry.storage_id, entry.next
    from label cross join lateral ${entryOf(sql`${placeholder("rootRegistry")}::text`, sql`label.storage_id`)} as entry
    where label.depth = 1
    union all
    select label.path, label.depth, entry.registry, entry.storage_id, entry.next
    from step join label on label.path = step.path and label.depth = step.depth + 1
    cross join lateral ${entryOf(sql`step.next`, sql`label.storage_id`)} as entry
    where step.next is not null
  ) select * from step) as step`;

const stepsOfPaths = prepared((db) =>
  db
    .select({
      path: sql<number>`step.path`,
      depth: sql<number>`step.depth`,
      entry: ensv2Entry,
      subregistryCode: sql<Address | null>`${subregistryProxy.implementation}`,
      resolverCode: sql<Address | null>`${resolverProxy.implementation}`,
    })
    .from(steps)
    .innerJoin(
      ensv2Entry,
      and(
        eq(ensv2Entry.chainId, placeholder("chainId")),
        eq(ensv2Entry.registry, sql`step.registry`),
        eq(ensv2Entry.storageId, sql`step.storage_id`),
      ),
    )
    .leftJoin(subregistryProxy, isProxyAt(subregistryProxy, ensv2Entry.subregistry))
    .leftJoin(resolverProxy, isProxyAt(resolverProxy as never, ensv2Entry.resolver))
    .orderBy(sql`step.path`, sql`step.depth`)
    .prepare("ensv2_steps"),
);

/** The maximum number of labels read above a node; the longest name has no more. */
const MAX_LABELS = 512;

/** Labelhashes of nodes, from the node up to the top-level domain. Nodes with an ancestor that is in no event are left out. */
export async function listPathsUp(
  db: Db,
  { chainId, nodes }: { chainId: number; nodes: readonly Hex[] },
): Promise<Map<Hex, Hex[]>> {
  if (nodes.length === 0) return new Map();
  const rows = await pathsUp(db).execute({ chainId, nodes });
  const byNode = [...Map.groupBy(rows, ({ node }) => node)];
  return new Map(
    byNode.flatMap(([node, up]) =>
      up.at(-1)?.parentNode === ROOT_NODE ? [[node, up.map(({ labelhash }) => labelhash)] as const] : [],
    ),
  );
}

const pathsUp = prepared((db) =>
  db
    .select({
      node: sql<Hex>`way.node`,
      labelhash: sql<Hex>`way.labelhash`,
      parentNode: sql<Hex>`way.parent_node`,
    })
    .from(sql`(with recursive way (node, depth, labelhash, parent_node) as (
        select ${domain.node}, 1, ${domain.labelhash}, ${domain.parentNode} from ${domain}
        where ${eq(domain.chainId, placeholder("chainId"))} and ${domain.node} = any(${placeholder("nodes")}::text[])
          and ${domain.parentNode} is not null
        union all
        select way.node, way.depth + 1, ${domain.labelhash}, ${domain.parentNode}
        from way join ${domain} on ${eq(domain.chainId, placeholder("chainId"))} and ${domain.node} = way.parent_node
        where way.parent_node <> ${sql.raw(`'${ROOT_NODE}'`)} and ${domain.parentNode} is not null
          and way.depth < ${sql.raw(String(MAX_LABELS))}
      ) select * from way) as way`)
    .orderBy(sql`way.node`, sql`way.depth`)
    .prepare("ensv2_paths_up"),
);
