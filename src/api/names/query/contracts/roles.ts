import { ensv2Role, event } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../../../server/postgres/db.ts";
import { ROLES_OF, ROLES_TO } from "../../rules/roleChanges.ts";
import { type Keyset, orderBy, positionOf, rowsAfter } from "../keyset.ts";
import { limitOf, offsetOf, type Page, type Part, type SortDirection } from "../page.ts";
import { readPart } from "./readPart.ts";

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
  return readPart(part, {
    read: () =>
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
        .where(and(isHeldIn(of), part.after && rowsAfter(keys, part.after)))
        .orderBy(...orderBy(keys))
        .limit(limitOf(part))
        .offset(offsetOf(part)),
    count: () => countHolders(db, of),
  });
}

/** How many accounts have roles; one that has some for several resources counts for each. */
export async function countHolders(db: Db, of: RolesIn): Promise<number> {
  const [row] = await db.select({ count: sql<number>`count(*)::int` }).from(ensv2Role).where(isHeldIn(of));
  return row?.count ?? 0;
}

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
  // Which rows first: for a late page by its number, nothing is taken out of the rows before it.
  const page = db
    .select({ blockNumber, logIndex })
    .from(event)
    .where(and(isChangeOf(of), part.after && rowsAfter(keys, part.after)))
    .orderBy(...orderBy(keys))
    .limit(limitOf(part))
    .offset(offsetOf(part))
    .as("page");
  return readPart(part, {
    read: () =>
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
        .innerJoin(page, and(eq(event.blockNumber, page.blockNumber), eq(event.logIndex, page.logIndex)))
        .where(and(eq(event.chainId, of.chainId), eq(event.ordinal, 0)))
        .orderBy(...orderBy(keys)),
    count: () => countRoleChanges(db, of),
  });
}

async function countRoleChanges(db: Db, of: ChangesOf): Promise<number> {
  const [row] = await db.select({ count: sql<number>`count(*)::int` }).from(event).where(isChangeOf(of));
  return row?.count ?? 0;
}
