import {
  domain,
  ensv2Entry,
  ensv2Link,
  ensv2Mount,
  ensv2Phase,
  ensv2Proxy,
  ensv2Role,
  ownershipChange,
  resolverNode,
  textRecord,
} from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { alias, and, asc, eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Ensv2Contracts } from "../../../abis/contracts.ts";
import { keccak256 } from "../../ens/keccak.ts";
import { ROOT_NODE } from "../../ens/name.ts";
import type { Db } from "../postgres/db.ts";
import { prepared } from "../postgres/prepared.ts";
import { MAX_ROLE_HOLDERS } from "../rules/shown.ts";
import { beginningOf } from "./beginnings.ts";
import { isInForce, isNodeOf } from "./currentRecords.ts";

/** What a registry of ENSv2 stores of a label. */
export type Ensv2Entry = typeof ensv2Entry.$inferSelect;

/** An entry on the way from the root registry to a name. */
export type Step = {
  /** Which of the paths, from 0. */
  path: number;
  /** 1 for the entry of the top-level label. */
  depth: number;
  entry: Ensv2Entry;
  /** Code of the contracts that the entry names; null for those that no factory deployed. */
  subregistryCode: Address | null;
  resolverCode: Address | null;
};

/** Storage ids of labels, from the top-level label down. */
export type StoragePath = readonly Hex[];

/** Where ENSv2 is indexed, and as of when. */
export type Ensv2At = {
  chainId: number;
  now: number;
  contracts: Pick<Ensv2Contracts, "rootRegistry" | "ethRegistry" | "registryCode">;
};

const { placeholder } = sql;

const DISPLAY_KEY_HASH = keccak256("display");

/**
 * The entries on the way to names, by one statement for all of them. A way goes on while the entry has not expired and
 * its subregistry is one whose code is known.
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
    ...{ chainId, now, rootRegistry, registryCode: [...registryCode] },
    knownRegistries: [rootRegistry, ethRegistry],
    paths: labels.map(({ path }) => path),
    depths: labels.map(({ depth }) => depth),
    ids: labels.map(({ id }) => id),
  });
}

/** The key of the entry of a label, and the registry in which the way goes on; one row at most, found by its key. */
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

/** What an account may do with an entry. */
export type RoleHolder = {
  registry: Address;
  resource: bigint;
  account: Address;
  roles: bigint;
  total: number;
};

/** Who has roles for entries: of each the first accounts, and how many there are in all. */
export async function listRoleHolders(
  db: Db,
  { chainId, entries }: { chainId: number; entries: readonly Pick<Ensv2Entry, "registry" | "resource">[] },
): Promise<RoleHolder[]> {
  const found = entries.filter(({ resource }) => resource !== null);
  if (found.length === 0) return [];
  return roleHolders(db).execute({
    chainId,
    registries: found.map(({ registry }) => registry),
    resources: found.map(({ resource }) => String(resource)),
  });
}

const roleHolders = prepared((db) =>
  db
    .select({
      registry: sql<Address>`wanted.registry`,
      resource: sql`wanted.resource`.mapWith(BigInt),
      account: sql<Address>`held.account`,
      roles: sql`held.roles`.mapWith(BigInt),
      total: sql<number>`held.total`,
    })
    .from(sql`unnest(${placeholder("registries")}::text[], ${placeholder("resources")}::numeric[])
        as wanted (registry, resource)
      cross join lateral (
        select ${ensv2Role.account} as account, ${ensv2Role.roles} as roles, (count(*) over ())::int as total
        from ${ensv2Role}
        where ${eq(ensv2Role.chainId, placeholder("chainId"))} and ${ensv2Role.contract} = wanted.registry
          and ${ensv2Role.resource} = wanted.resource and ${ensv2Role.roles} <> 0
        order by ${ensv2Role.account} limit ${sql.raw(String(MAX_ROLE_HOLDERS))}
      ) as held`)
    .orderBy(sql`held.account`)
    .prepare("ensv2_role_holders"),
);

/** A name at a resolver of ENSv2. */
export type NameAtResolver = { resolver: Address; node: Hex };

/** Which record a resolver has for a node; null if the node was unlinked. */
export type Link = NameAtResolver & { record: Hex | null };

/** Links of nodes at resolvers; nodes that were never linked are left out. */
export async function listLinks(
  db: Db,
  { chainId, names }: { chainId: number; names: readonly NameAtResolver[] },
): Promise<Link[]> {
  if (names.length === 0) return [];
  return linksOf(db).execute({
    chainId,
    resolvers: names.map(({ resolver }) => resolver),
    nodes: names.map(({ node }) => node),
  });
}

const linksOf = prepared((db) =>
  db
    .select({
      resolver: sql<Address>`${ensv2Link.resolver}`,
      node: sql<Hex>`${ensv2Link.node}`,
      record: ensv2Link.record,
    })
    .from(ensv2Link)
    .where(
      and(
        eq(ensv2Link.chainId, placeholder("chainId")),
        sql`(${ensv2Link.resolver}, ${ensv2Link.node})
          in (select * from unnest(${placeholder("resolvers")}::text[], ${placeholder("nodes")}::text[]))`,
      ),
    )
    .prepare("ensv2_links_of"),
);

/** The phases of the change to ENSv2 that the chain has reached, in the order of the chain. */
export const listPhases = (db: Db, chainId: number) => phasesOf(db).execute({ chainId });

const phasesOf = prepared((db) =>
  db
    .select()
    .from(ensv2Phase)
    .where(eq(ensv2Phase.chainId, placeholder("chainId")))
    .orderBy(asc(ensv2Phase.blockNumber), asc(ensv2Phase.phase))
    .prepare("ensv2_phases_of"),
);

/** Whether what is in a registry has its names below a node. */
export async function isLinkedAt(
  db: Db,
  link: { chainId: number; node: Hex; registry: Address },
): Promise<boolean> {
  const [row] = await linkedAt(db).execute(link);
  return row !== undefined;
}

const linkedAt = prepared((db) =>
  db
    .select({ position: ensv2Mount.position })
    .from(ensv2Mount)
    .where(
      and(
        eq(ensv2Mount.chainId, placeholder("chainId")),
        eq(ensv2Mount.node, placeholder("node")),
        eq(ensv2Mount.registry, placeholder("registry")),
      ),
    )
    .limit(1)
    .prepare("ensv2_linked_at"),
);

/** A name that came from ENSv1 in this transaction. */
export type Migrated = { node: Hex; blockNumber: number; transactionHash: Hex };

/** The owners of a name before and after its migration; null where it had none. */
export type MigrationOwners = { node: Hex; fromOwner: Address | null; toOwner: Address | null };

type MigrationsOf = { chainId: number; names: readonly Migrated[]; nonOwners: ReadonlySet<Address> };

/**
 * Owners before and after migrations. In the transaction of a migration the name passes through contracts that are no
 * owners.
 */
export async function listMigrationOwners(
  db: Db,
  { chainId, names, nonOwners }: MigrationsOf,
): Promise<MigrationOwners[]> {
  if (names.length === 0) return [];
  return migrationOwners(db).execute({
    chainId,
    nonOwners: [...nonOwners],
    nodes: names.map(({ node }) => node),
    blocks: names.map(({ blockNumber }) => blockNumber),
    transactions: names.map(({ transactionHash }) => transactionHash),
  });
}

const { ownerAddress, blockNumber, logIndex, ordinal, transactionHash } = ownershipChange;
const isOwner = sql`${ownerAddress} is not null and not ${ownerAddress} = any(${placeholder("nonOwners")}::text[])`;
const ofWanted = sql`${eq(ownershipChange.chainId, placeholder("chainId"))} and ${ownershipChange.node} = wanted.node`;

const migrationOwners = prepared((db) =>
  db
    .select({
      node: sql<Hex>`wanted.node`,
      fromOwner: sql<Address | null>`(
        select ${ownerAddress} from ${ownershipChange}
        where ${ofWanted} and ${isOwner} and (${blockNumber}, ${logIndex}) < (wanted.block, coalesce((
          select min(${logIndex}) from ${ownershipChange} where ${ofWanted} and ${transactionHash} = wanted.transaction), 0))
        order by ${blockNumber} desc, ${logIndex} desc, ${ordinal} desc limit 1)`,
      toOwner: sql<Address | null>`(
        select ${ownerAddress} from ${ownershipChange}
        where ${ofWanted} and ${isOwner} and ${transactionHash} = wanted.transaction
        order by ${logIndex} desc, ${ordinal} desc limit 1)`,
    })
    .from(sql`unnest(${placeholder("nodes")}::text[], ${placeholder("blocks")}::int[],
      ${placeholder("transactions")}::text[]) as wanted (node, block, transaction)`)
    .prepare("ensv2_migration_owners"),
);

/** The `display` texts of records at resolvers of ENSv2; `node` is the record's number. */
export async function listDisplayTexts(
  db: Db,
  { chainId, records }: { chainId: number; records: readonly NameAtResolver[] },
): Promise<(NameAtResolver & { text: string | null })[]> {
  if (records.length === 0) return [];
  return displayTexts(db).execute({
    chainId,
    keyHash: DISPLAY_KEY_HASH,
    resolvers: records.map(({ resolver }) => resolver),
    nodes: records.map(({ node }) => node),
  });
}

const displayTexts = prepared((db) =>
  db
    .select({
      resolver: sql<Address>`${textRecord.resolver}`,
      node: sql<Hex>`${textRecord.node}`,
      text: beginningOf(textRecord.value),
    })
    .from(textRecord)
    .leftJoin(resolverNode, isNodeOf(textRecord))
    .where(
      and(
        eq(textRecord.chainId, placeholder("chainId")),
        sql`(${textRecord.resolver}, ${textRecord.node})
          in (select * from unnest(${placeholder("resolvers")}::text[], ${placeholder("nodes")}::text[]))`,
        eq(textRecord.keyHash, placeholder("keyHash")),
        isInForce(textRecord),
      ),
    )
    .prepare("ensv2_display_texts"),
);

/** The most labels above a node that are read: the longest name has no more. */
const MAX_LABELS = 512;

/** Labelhashes of nodes, from the node up to the top-level domain; nodes of which no event gave an ancestor are left out. */
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
