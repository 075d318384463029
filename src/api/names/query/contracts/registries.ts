import { domain, ensv2Entry, ensv2Mount, ensv2Proxy, ensv2Registry, ensv2Role, event } from "ponder:schema";
import { alias, and, asc, eq, gt, sql } from "ponder";
import type { Address, Hex } from "viem";
import { exactText } from "../../../../ens/storable.ts";
import type { Db } from "../../../server/postgres/db.ts";
import { type Keyset, orderBy, positionOf } from "../keyset.ts";
import { readList } from "../list.ts";
import type { Part, SortDirection } from "../page.ts";

/** An ENSv2 registry. */
export type RegistryAt = { chainId: number; registry: Address };

type Registry = typeof ensv2Registry.$inferSelect;
export type DeployedProxy = typeof ensv2Proxy.$inferSelect;

/** The stored row of a registry; null if the index has never seen it. */
export async function findRegistry(db: Db, at: RegistryAt): Promise<Registry | null> {
  const [row] = await db.select().from(ensv2Registry).where(isRegistry(at)).limit(1);
  return row ? { ...row, parentLabel: exactText(row.parentLabel) } : null;
}

const isRegistry = ({ chainId, registry }: RegistryAt) =>
  and(eq(ensv2Registry.chainId, chainId), eq(ensv2Registry.registry, registry));

/** The contract's deployment by a factory; null if no listed factory deployed it. */
export async function findProxy(
  db: Db,
  { chainId, address }: { chainId: number; address: Address },
): Promise<DeployedProxy | null> {
  const [row] = await db
    .select()
    .from(ensv2Proxy)
    .where(and(eq(ensv2Proxy.chainId, chainId), eq(ensv2Proxy.address, address)))
    .limit(1);
  return row ?? null;
}

/** A name at which a registry is mounted. */
export type MountedName = { node: Hex; name: string | null };

/** The names at which a registry is mounted, the first mount first. */
export const listMounts = (db: Db, { chainId, registry }: RegistryAt): Promise<MountedName[]> =>
  db
    .select({ node: ensv2Mount.node, name: domain.fullName })
    .from(ensv2Mount)
    .leftJoin(domain, and(eq(domain.chainId, ensv2Mount.chainId), eq(domain.node, ensv2Mount.node)))
    .where(and(eq(ensv2Mount.chainId, chainId), eq(ensv2Mount.registry, registry)))
    .orderBy(asc(ensv2Mount.position));

export type Happened = { blockNumber: number; blockTimestamp: number; transactionHash: Hex };

/** The first log of a contract in a block, or null. */
export async function findFirstLog(
  db: Db,
  { chainId, address, block }: { chainId: number; address: Address; block: number },
): Promise<Happened | null> {
  const { blockNumber, blockTimestamp, transactionHash } = event;
  const [row] = await db
    .select({ blockNumber, blockTimestamp, transactionHash })
    .from(event)
    .where(
      and(
        eq(event.chainId, chainId),
        eq(event.blockNumber, block),
        // The concatenation keeps the planner on the key, which leads to the block. Another index would read all logs of the
        // contract.
        sql`${event.contractAddress} || '' = ${address}`,
      ),
    )
    .orderBy(asc(event.logIndex))
    .limit(1);
  return row ?? null;
}

/** Labels that have not expired: all, those that this owner does not own, and those without an owner. */
export type DetachCounts = { labels: number; notOwned: number; ownerless: number };

export async function countForDetach(
  db: Db,
  { chainId, registry, owner, now }: RegistryAt & { owner: Address; now: number },
): Promise<DetachCounts> {
  const [row] = await db
    .select({
      labels: sql<number>`count(*)::int`,
      notOwned: sql<number>`(count(*) filter (where ${ensv2Entry.owner} is distinct from ${owner}))::int`,
      ownerless: sql<number>`(count(*) filter (where ${ensv2Entry.owner} is null))::int`,
    })
    .from(ensv2Entry)
    .where(
      and(
        eq(ensv2Entry.chainId, chainId),
        eq(ensv2Entry.registry, registry),
        gt(ensv2Entry.expiry, BigInt(now)),
      ),
    );
  return row ?? { labels: 0, notOwned: 0, ownerless: 0 };
}

export type Entry = typeof ensv2Entry.$inferSelect;

/** A label of a registry, with the number of its direct subnames and of accounts with roles on it. */
export type LabelRow = Awaited<ReturnType<typeof listLabels>>["rows"][number];

export const labelKeys = (direction: SortDirection): Keyset => [
  { column: sql`${ensv2Entry.label}`, kind: "text", direction },
  { column: sql`${ensv2Entry.storageId}`, kind: "hash", direction },
];

const below = alias(ensv2Registry, "below");

/** Labels of a registry sorted by name, including expired ones. The registry's row contains the total. */
export function listLabels(
  db: Db,
  { chainId, registry }: RegistryAt,
  { part, direction, total }: { part: Part; direction: SortDirection; total: number },
) {
  const keys = labelKeys(direction);
  const isOfRegistry = and(eq(ensv2Entry.chainId, chainId), eq(ensv2Entry.registry, registry));
  const holders = sql<number>`(select count(*)::int from ${ensv2Role}
    where ${ensv2Role.chainId} = ${ensv2Entry.chainId} and ${ensv2Role.contract} = ${ensv2Entry.registry}
      and ${ensv2Role.resource} = ${ensv2Entry.resource} and ${ensv2Role.roles} <> 0)`;
  return readList(part, {
    keys,
    read: ({ where, order, limit, offset }) => {
      // Selects the page's rows first: a late page by number then counts nothing for the rows it skips.
      const page = db
        .select({ storageId: ensv2Entry.storageId })
        .from(ensv2Entry)
        .where(and(isOfRegistry, where))
        .orderBy(...order)
        .limit(limit)
        .offset(offset)
        .as("page");
      return db
        .select({
          entry: ensv2Entry,
          holders,
          position: positionOf(keys),
          subnames: sql<number>`coalesce(${below.entries}, 0)`,
        })
        .from(ensv2Entry)
        .innerJoin(page, eq(ensv2Entry.storageId, page.storageId))
        .leftJoin(
          below,
          and(eq(below.chainId, ensv2Entry.chainId), eq(below.registry, ensv2Entry.subregistry)),
        )
        .where(isOfRegistry)
        .orderBy(...orderBy(keys));
    },
    count: async () => total,
  });
}

/** An entry that points to a registry, and the first name of the entry's own registry. */
export type Referring = Awaited<ReturnType<typeof listReferring>>["rows"][number];

export const referringKeys = (): Keyset => [
  { column: sql`${ensv2Entry.registry}`, kind: "address", direction: "asc" },
  { column: sql`${ensv2Entry.storageId}`, kind: "hash", direction: "asc" },
];

/** Entries whose subregistry is this registry, including expired ones. */
export function listReferring(db: Db, at: RegistryAt, part: Part) {
  const keys = referringKeys();
  const isReferring = and(eq(ensv2Entry.chainId, at.chainId), eq(ensv2Entry.subregistry, at.registry));
  return readList(part, {
    keys,
    read: ({ where, order, limit, offset }) =>
      db
        .select({
          entry: ensv2Entry,
          position: positionOf(keys),
          parentNode: sql<Hex | null>`${ensv2Mount.node}`,
          parentName: sql<string | null>`${domain.fullName}`,
        })
        .from(ensv2Entry)
        .leftJoin(
          ensv2Mount,
          and(
            eq(ensv2Mount.chainId, ensv2Entry.chainId),
            eq(ensv2Mount.registry, ensv2Entry.registry),
            eq(ensv2Mount.position, 0),
          ),
        )
        .leftJoin(domain, and(eq(domain.chainId, ensv2Mount.chainId), eq(domain.node, ensv2Mount.node)))
        .where(and(isReferring, where))
        .orderBy(...order)
        .limit(limit)
        .offset(offset),
    count: () => db.$count(ensv2Entry, isReferring),
  });
}
