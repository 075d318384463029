import { ensv2Role, event } from "ponder:schema";
import { getTableColumns } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import type { Address } from "viem";
import type { Db } from "../../../server/postgres/db.ts";
import { ROLES_OF, ROLES_TO } from "../../rules/roleChanges.ts";
import { type Keyset, positionOf } from "../keyset.ts";
import { readList } from "../list.ts";
import type { Page, Part, SortDirection } from "../page.ts";

/** Roles in an ENSv2 contract: for one resource, or for all. */
export type RolesIn = { chainId: number; contract: Address; resource?: bigint };

/** An account with roles, and the last change of these. */
export type HeldRoles = typeof ensv2Role.$inferSelect;

export const holderKeys = (): Keyset => [
  { column: sql`${ensv2Role.resource}`, kind: "decimal", direction: "asc" },
  { column: sql`${ensv2Role.account}`, kind: "address", direction: "asc" },
];

const isHeldIn = ({ chainId, contract, resource }: RolesIn) =>
  and(
    eq(ensv2Role.chainId, chainId),
    eq(ensv2Role.contract, contract),
    resource === undefined ? undefined : sql`${ensv2Role.resource} = ${resource.toString()}::numeric`,
    sql`${ensv2Role.roles} <> 0`,
  );

/** Role holders, sorted by resource and account. */
export function listRolesIn(db: Db, of: RolesIn, part: Part): Promise<Page<HeldRoles>> {
  const keys = holderKeys();
  return readList(part, {
    keys,
    read: ({ where, order, limit, offset }) =>
      db
        .select({ ...getTableColumns(ensv2Role), position: positionOf(keys) })
        .from(ensv2Role)
        .where(and(isHeldIn(of), where))
        .orderBy(...order)
        .limit(limit)
        .offset(offset),
    count: () => countHolders(db, of),
  });
}

/** Counts role holders. An account with roles for several resources counts once for each. */
export const countHolders = async (db: Db, of: RolesIn): Promise<number> =>
  db.$count(ensv2Role, isHeldIn(of));

/** Selects role changes: of one entry, or of the whole contract (entry 0); of one account if given. */
export type ChangesOf = {
  chainId: number;
  contract: Address;
  /** The entry's number without its low 32 bits. */
  entry: bigint;
  account?: Address | undefined;
};

/** A log that changed an account's roles. */
export type RoleChange = Awaited<ReturnType<typeof listRoleChanges>>["rows"][number];

export const changeKeys = (direction: SortDirection): Keyset => [
  { column: sql`${event.blockNumber}`, kind: "integer", direction },
  { column: sql`${event.logIndex}`, kind: "integer", direction },
];

/** These conditions repeat the predicate of a partial index word for word. */
const isChangeOf = ({ chainId, contract, entry, account }: ChangesOf) =>
  and(
    sql`${event.eventType} = 'EACRolesChanged' and ${event.ordinal} = 0`,
    eq(event.chainId, chainId),
    eq(event.contractAddress, contract),
    sql`${sql.raw(ROLES_OF)} = ${entry.toString()}::numeric`,
    account && sql`${sql.raw(ROLES_TO)} = ${account}`,
  );

const inDetails = (name: string) =>
  sql`substring(${event.details} from ${sql.raw(`'"${name}":"([0-9]+)"'`)})`.mapWith(BigInt);

/** Role changes in chain order. */
export function listRoleChanges(
  db: Db,
  of: ChangesOf,
  { part, direction }: { part: Part; direction: SortDirection },
) {
  const keys = changeKeys(direction);
  const { blockNumber, blockTimestamp, logIndex, transactionHash } = event;
  return readList(part, {
    keys,
    read: ({ where, order, limit, offset }) =>
      db
        .select({
          account: sql<Address>`${sql.raw(ROLES_TO)}`,
          before: inDetails("oldRoles"),
          after: inDetails("roles"),
          blockNumber,
          blockTimestamp,
          logIndex,
          transactionHash,
          position: positionOf(keys),
        })
        .from(event)
        .where(and(isChangeOf(of), where))
        .orderBy(...order)
        .limit(limit)
        .offset(offset),
    count: () => db.$count(event, isChangeOf(of)),
  });
}
