import {
  type ensv2Entry,
  ensv2Link,
  ensv2Mount,
  ensv2Phase,
  ensv2Role,
  ownershipChange,
  resolverNode,
  textRecord,
} from "ponder:schema";
import { and, asc, eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import { keccak256 } from "../../../ens/keccak.ts";
import type { Db } from "../../server/postgres/db.ts";
import { prepared } from "../../server/postgres/prepared.ts";
import { MAX_ROLE_HOLDERS } from "../rules/shown.ts";
import { beginningOf } from "./beginnings.ts";
import { isInForce, isNodeOf } from "./currentRecords.ts";

/** A registry's entry for a label, as stored. */
export type Ensv2Entry = typeof ensv2Entry.$inferSelect;

const { placeholder } = sql;

const DISPLAY_KEY_HASH = keccak256("display");

/** An account's roles on an entry. */
export type RoleHolder = Awaited<ReturnType<typeof listRoleHolders>>[number];

/** Role holders of entries: the first ones of each entry, and the total. */
export async function listRoleHolders(
  db: Db,
  { chainId, entries }: { chainId: number; entries: readonly Pick<Ensv2Entry, "registry" | "resource">[] },
) {
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

/** A name at an ENSv2 resolver. */
export type NameAtResolver = { resolver: Address; node: Hex };

/** The record that a resolver links to a node; null if the node was unlinked. */
export type Link = NameAtResolver & { record: Hex | null };

/** Links of nodes at resolvers. Nodes that were never linked are left out. */
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

/** The phases of the ENSv2 migration that the chain has reached, in chain order. */
export const listPhases = (db: Db, chainId: number) => phasesOf(db).execute({ chainId });

const phasesOf = prepared((db) =>
  db
    .select()
    .from(ensv2Phase)
    .where(eq(ensv2Phase.chainId, placeholder("chainId")))
    .orderBy(asc(ensv2Phase.blockNumber), asc(ensv2Phase.phase))
    .prepare("ensv2_phases_of"),
);

/** Returns true if a registry is mounted at a node. */
export const isLinkedAt = async (
  db: Db,
  { chainId, node, registry }: { chainId: number; node: Hex; registry: Address },
): Promise<boolean> => {
  const { chainId: chain, node: place, registry: mounted } = ensv2Mount;
  return (await db.$count(ensv2Mount, and(eq(chain, chainId), eq(place, node), eq(mounted, registry)))) > 0;
};

/** A name migrated from ENSv1 in this transaction. */
export type Migrated = { node: Hex; blockNumber: number; transactionHash: Hex };

/** The owners of a name before and after its migration; null if it had none. */
export type MigrationOwners = Awaited<ReturnType<typeof listMigrationOwners>>[number];

type MigrationsOf = { chainId: number; names: readonly Migrated[]; nonOwners: ReadonlySet<Address> };

/** Owners before and after migrations. During its migration's transaction a name passes through contracts that are not owners. */
export async function listMigrationOwners(db: Db, { chainId, names, nonOwners }: MigrationsOf) {
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

/** The `display` texts of records at ENSv2 resolvers; `node` is the record's number. */
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

/** The position of a log. */
export type Logged = { block: number; timestamp: number; transaction: Hex };

/** The first log that gave a name an owner in ENSv2; null if the index has none. */
export async function firstTokenOf(
  db: Db,
  { chainId, node }: { chainId: number; node: Hex },
): Promise<Logged | null> {
  const change = ownershipChange;
  const [first] = await db
    .select({
      block: change.blockNumber,
      timestamp: change.blockTimestamp,
      transaction: change.transactionHash,
    })
    .from(change)
    .where(and(eq(change.node, node), eq(change.chainId, chainId), eq(change.reason, "token")))
    .orderBy(asc(change.blockNumber), asc(change.logIndex))
    .limit(1);
  return first ?? null;
}
