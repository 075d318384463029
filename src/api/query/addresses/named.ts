import { ensv2Entry, ensv2Role, holder } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../../postgres/db.ts";
import { prepared } from "../../postgres/prepared.ts";

/* What an address is to the names of a page, where their rows do not say it. */

const { placeholder } = sql;

/** Where an entry of ENSv2 is. */
export type EntryKey = { registry: Address; storageId: Hex };

/** For which entries of a chain an account has roles. */
export async function listRolesHeld(
  db: Db,
  { entries, ...of }: { chainId: number; account: Address; entries: readonly EntryKey[] },
): Promise<EntryKey[]> {
  if (entries.length === 0) return [];
  return rolesHeld(db).execute({
    ...of,
    registries: entries.map(({ registry }) => registry),
    ids: entries.map(({ storageId }) => storageId),
  });
}

const rolesHeld = prepared((db) =>
  db
    .select({ registry: sql<Address>`${ensv2Entry.registry}`, storageId: sql<Hex>`${ensv2Entry.storageId}` })
    .from(ensv2Entry)
    .innerJoin(
      ensv2Role,
      and(
        eq(ensv2Role.chainId, ensv2Entry.chainId),
        eq(ensv2Role.contract, ensv2Entry.registry),
        eq(ensv2Role.resource, ensv2Entry.resource),
        eq(ensv2Role.account, placeholder("account")),
      ),
    )
    .where(
      and(
        eq(ensv2Entry.chainId, placeholder("chainId")),
        sql`(${ensv2Entry.registry}, ${ensv2Entry.storageId})
          in (select * from unnest(${placeholder("registries")}::text[], ${placeholder("ids")}::text[]))`,
        sql`${ensv2Role.roles} <> 0`,
      ),
    )
    .prepare("roles_held"),
);

/** A name of a chain. */
export type NameKey = { chainId: number; node: Hex };

/** On events of which names an address appeared as receiver or owner. */
export async function listNamedOn(
  db: Db,
  { address, names }: { address: Address; names: readonly NameKey[] },
): Promise<NameKey[]> {
  if (names.length === 0) return [];
  return namedOn(db).execute({
    address,
    chainIds: names.map(({ chainId }) => chainId),
    nodes: names.map(({ node }) => node),
  });
}

const namedOn = prepared((db) =>
  db
    .select({ chainId: holder.chainId, node: sql<Hex>`${holder.node}` })
    .from(holder)
    .where(
      and(
        eq(holder.address, placeholder("address")),
        sql`(${holder.chainId}, ${holder.node})
          in (select * from unnest(${placeholder("chainIds")}::int[], ${placeholder("nodes")}::text[]))`,
      ),
    )
    .prepare("named_on"),
);
