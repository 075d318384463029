import { ensv2Entry, ensv2Role, holder } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../../../server/postgres/db.ts";

/** The relations of addresses to the names on their pages that the names' rows do not contain. */

/** The key of an ENSv2 entry. */
export type EntryKey = { registry: Address; storageId: Hex };

/** An account, and an entry on which it may have roles. */
export type AccountOfEntry = EntryKey & { account: Address };

/** Returns the roles that these accounts have on these entries of a chain; pairs without roles are left out. */
export async function listRolesHeld(
  db: Db,
  { chainId, pairs }: { chainId: number; pairs: readonly AccountOfEntry[] },
): Promise<AccountOfEntry[]> {
  if (pairs.length === 0) return [];
  return db
    .select({
      account: sql<Address>`${ensv2Role.account}`,
      registry: sql<Address>`${ensv2Entry.registry}`,
      storageId: sql<Hex>`${ensv2Entry.storageId}`,
    })
    .from(ensv2Entry)
    .innerJoin(
      ensv2Role,
      and(
        eq(ensv2Role.chainId, ensv2Entry.chainId),
        eq(ensv2Role.contract, ensv2Entry.registry),
        eq(ensv2Role.resource, ensv2Entry.resource),
      ),
    )
    .where(
      and(
        eq(ensv2Entry.chainId, chainId),
        sql`(${ensv2Role.account}, ${ensv2Entry.registry}, ${ensv2Entry.storageId}) in (select * from unnest(
          ${sql.param(pairs.map(({ account }) => account))}::text[],
          ${sql.param(pairs.map(({ registry }) => registry))}::text[],
          ${sql.param(pairs.map(({ storageId }) => storageId))}::text[]))`,
        sql`${ensv2Role.roles} <> 0`,
      ),
    );
}

/** A name on a chain. */
export type NameKey = { chainId: number; node: Hex };

/** An address, and a name that it may have held. */
export type AddressOfName = NameKey & { address: Address };

/** Returns the pairs for which the address appeared on an event of the name as receiver or owner. */
export async function listNamedOn(db: Db, pairs: readonly AddressOfName[]): Promise<AddressOfName[]> {
  if (pairs.length === 0) return [];
  return db
    .select({
      address: sql<Address>`${holder.address}`,
      chainId: holder.chainId,
      node: sql<Hex>`${holder.node}`,
    })
    .from(holder)
    .where(
      sql`(${holder.address}, ${holder.chainId}, ${holder.node}) in (select * from unnest(
        ${sql.param(pairs.map(({ address }) => address))}::text[],
        ${sql.param(pairs.map(({ chainId }) => chainId))}::int[],
        ${sql.param(pairs.map(({ node }) => node))}::text[]))`,
    );
}
