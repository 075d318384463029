import { ensv2Role, event } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../../../server/postgres/db.ts";
import { ROLES_OF, ROLES_TO } from "../../rules/roleChanges.ts";
import { type Keyset, orderBy, positionOf } from "../keyset.ts";
import { readList } from "../list.ts";
import type { Page, Part, SortDirection } from "../page.ts";

/** Roles in a contract of ENSv2: for one resource, or for all. */
export type RolesIn = { chainId: number; contract: Address; resource?: bigint };

/** An account that has roles, and its last change of them. */
export type HeldRoles = Pick<
  typeof ensv2Role.$inferSelect,
  "resource" | "account" | "roles" | "blockNumber" | "blockTimestamp" | "transactionHash"
>;

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

/** Who has roles, by resource and account. */
export function listRolesIn(db: Db, of: RolesIn, part: Part): Promise<Page<HeldRoles>> {
  const keys = holderKeys();
  const { resource, account, roles, blockNumber, blockTimestamp, transactionHash } = ensv2Role;
  return readList(part, {
    keys,
    read: ({ where, order, limit, offset }) =>
      db
        .select({
          resource,
          account,
          roles,
          blockNumber,
          blockTimestamp,
          transactionHash,
          position: positionOf(keys),
        })
        .from(ensv2Role)
        .where(and(isHeldIn(of), where))
        .orderBy(...order)
        .limit(limit)
        .offset(offset),
    count: () => countHolders(db, of),
  });
}

/** How many accounts have roles; one that has some for several resources counts for each. */
export const countHolders = async (db: Db, of: RolesIn): Promise<number> =>
  db.$count(ensv2Role, isHeldIn(of));

/** Changes of roles: of one entry, or of the whole contract (0), and of one account if it is given. */
export type ChangesOf = {
  chainId: number;
  contract: Address;
  /** The entry's number without its last 32 bits. */
  entry: bigint;
  account?: Address | undefined;
};

/** A log that changed the roles of an account. */
export type RoleChange = {
  account: Address;
  before: bigint;
  after: bigint;
  blockNumber: number;
  blockTimestamp: number;
  logIndex: number;
  transactionHash: Hex;
};

export const changeKeys = (direction: SortDirection): Keyset => [
  { column: sql`${event.blockNumber}`, kind: "integer", direction },
  { column: sql`${event.logIndex}`, kind: "integer", direction },
];

/** The conditions are those of an index, word for word. */
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

/** Changes of roles in the order of the chain. */
export function listRoleChanges(
  db: Db,
  of: ChangesOf,
  { part, direction }: { part: Part; direction: SortDirection },
): Promise<Page<RoleChange>> {
  const keys = changeKeys(direction);
  const { blockNumber, blockTimestamp, logIndex, transactionHash } = event;
  return readList(part, {
    keys,
    read: ({ where, order, limit, offset }) => {
      // Which rows first: for a late page by its number, nothing is taken out of the rows before it.
      const page = db
        .select({ blockNumber, logIndex })
        .from(event)
        .where(and(isChangeOf(of), where))
        .orderBy(...order)
        .limit(limit)
        .offset(offset)
        .as("page");
      return db
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
        .innerJoin(page, and(eq(event.blockNumber, page.blockNumber), eq(event.logIndex, page.logIndex)))
        .where(and(eq(event.chainId, of.chainId), eq(event.ordinal, 0)))
        .orderBy(...orderBy(keys));
    },
    count: () => db.$count(event, isChangeOf(of)),
  });
}
