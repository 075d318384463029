import {
  domain,
  ensv2Entry,
  ensv2Proxy,
  ensv2Role,
  operator,
  ownershipChange,
  recordDelegate,
  tokenApproval,
} from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { and, eq, inArray, isNotNull, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { type ListPart, partOf } from "./parts.ts";

/** Approvals, as rows in the order of an index. Revoked rows are in no list. */

export type OperatorRow = typeof operator.$inferSelect;
export type TokenApprovalRow = typeof tokenApproval.$inferSelect;
export type DelegateRow = typeof recordDelegate.$inferSelect;
export type RoleRow = typeof ensv2Role.$inferSelect;

/** The operators of an owner in one contract, and the rank of their part in the list. */
export type OperatorsOf = { rank: number; contract: Address; owner: Address };

/** Operators of owners in contracts, sorted by address. */
export const operatorsIn = (db: Db, chainId: number, of: readonly OperatorsOf[]): ListPart<OperatorRow>[] =>
  of.map(({ rank, contract, owner }) =>
    partOf(db, operator, {
      rank,
      where: sql`${operator.owner} = ${owner} and ${operator.chainId} = ${chainId}
        and ${operator.contract} = ${contract} and ${operator.isApproved}`,
      columns: [operator.operator],
    }),
  );

/** Returns true if an account may act for an owner in a whole contract. */
export async function isOperator(
  db: Db,
  of: { chainId: number; contract: Address; owner: Address; operator: Address },
): Promise<boolean> {
  const [row] = await db
    .select({ isApproved: operator.isApproved })
    .from(operator)
    .where(
      and(
        ...[eq(operator.chainId, of.chainId), eq(operator.contract, of.contract)],
        ...[eq(operator.owner, of.owner), eq(operator.operator, of.operator)],
      ),
    );
  return row?.isApproved ?? false;
}

/** Records of a name at a resolver, and the account that the resolver currently takes as the owner. */
export type DelegatesAt = { chainId: number; resolver: Address; node: Hex; owner: Address | null };

/**
 * Accounts that may write the records of a name at a resolver, sorted by who approved them. Anyone can approve others for any
 * name, so only approvals from the current owner or a former one count.
 */
export const delegatesAt = (db: Db, rank: number, of: DelegatesAt): ListPart<DelegateRow> => {
  const { chainId, resolver, node, owner, delegate, isApproved } = recordDelegate;
  const { registryOwner, wrapperOwner } = ownershipChange;
  return partOf(db, recordDelegate, {
    rank,
    where: sql`${chainId} = ${of.chainId} and ${resolver} = ${of.resolver} and ${node} = ${of.node} and ${isApproved}
      and (${owner} = ${of.owner} or ${owner} in (select unnest(array[${registryOwner}, ${wrapperOwner}])
        from ${ownershipChange} where ${ownershipChange.node} = ${of.node} and ${ownershipChange.chainId} = ${of.chainId}))`,
    columns: [owner, delegate],
  });
};

/** Roles in an ENSv2 contract for some resources; with `bit`, only holders of that role. */
export const rolesFor = (
  db: Db,
  rank: number,
  of: { chainId: number; contract: Address; resources: readonly bigint[]; bit?: bigint },
): ListPart<RoleRow> =>
  partOf(db, ensv2Role, {
    rank,
    where: and(
      sql`${ensv2Role.chainId} = ${of.chainId} and ${ensv2Role.contract} = ${of.contract} and ${ensv2Role.roles} <> 0`,
      inArray(ensv2Role.resource, [...of.resources]),
      of.bit === undefined
        ? undefined
        : sql`mod(div(${ensv2Role.roles}, ${(2n ** of.bit).toString()}::numeric), 16) <> 0`,
    ) as SQL,
    columns: [ensv2Role.resource, ensv2Role.account],
  });

/** The combined roles of one account for several resources. */
export async function findRoles(
  db: Db,
  of: { chainId: number; contract: Address; account: Address; resources: readonly bigint[] },
): Promise<bigint> {
  const rows = await db
    .select({ roles: ensv2Role.roles })
    .from(ensv2Role)
    .where(
      and(
        ...[eq(ensv2Role.chainId, of.chainId), eq(ensv2Role.contract, of.contract)],
        ...[eq(ensv2Role.account, of.account), inArray(ensv2Role.resource, [...of.resources])],
      ),
    );
  return rows.reduce((all, { roles }) => all | roles, 0n);
}

/** The latest approvals of these names' tokens. */
export async function listTokenApprovals(
  db: Db,
  of: { chainId: number; nodes: readonly Hex[]; contracts: readonly Address[] },
): Promise<TokenApprovalRow[]> {
  if (of.contracts.length === 0) return [];
  return db
    .select()
    .from(tokenApproval)
    .where(
      and(
        eq(tokenApproval.chainId, of.chainId),
        inArray(tokenApproval.contract, [...of.contracts]),
        inArray(tokenApproval.node, [...of.nodes]),
        isNotNull(tokenApproval.approved),
      ),
    );
}

/** The address's side of an approval: it may act (`held`), or it lets others act (`given`). */
export type Side = "held" | "given";

/** The address, side and chains whose approvals are requested. */
export type ApprovalsOf = { address: Address; side: Side; chainIds: readonly number[] };

const onChains = (column: SQLWrapper, chainIds: readonly number[]): SQL =>
  sql`${column} = any(${sql.raw(`'{${chainIds.map(Number).join(",")}}'`)}::int[])`;

/** Approvals for everything an owner has in a contract. */
export const operatorsOfAddress = (db: Db, rank: number, of: ApprovalsOf): ListPart<OperatorRow> => {
  const [own, other] =
    of.side === "held" ? [operator.operator, operator.owner] : [operator.owner, operator.operator];
  return partOf(db, operator, {
    rank,
    where: sql`${own} = ${of.address} and ${onChains(operator.chainId, of.chainIds)} and ${operator.isApproved}`,
    columns: [operator.chainId, operator.contract, other],
  });
};

/** Approvals for tokens of names, including those that a later transfer ended. */
export const tokensOfAddress = (db: Db, rank: number, of: ApprovalsOf): ListPart<TokenApprovalRow> => {
  const own = of.side === "held" ? tokenApproval.approved : tokenApproval.owner;
  return partOf(db, tokenApproval, {
    rank,
    where: sql`${own} = ${of.address} and ${onChains(tokenApproval.chainId, of.chainIds)}
      and ${tokenApproval.approved} is not null`,
    columns: [tokenApproval.chainId, tokenApproval.contract, tokenApproval.node],
  });
};

/** Approvals for records of names, including names that the approving account no longer owns. */
export const delegatesOfAddress = (db: Db, rank: number, of: ApprovalsOf): ListPart<DelegateRow> => {
  const { chainId, resolver, node, owner, delegate, isApproved } = recordDelegate;
  const [own, other] = of.side === "held" ? [delegate, owner] : [owner, delegate];
  return partOf(db, recordDelegate, {
    rank,
    where: sql`${own} = ${of.address} and ${onChains(chainId, of.chainIds)} and ${isApproved}`,
    columns: [chainId, resolver, node, other],
  });
};

/** Roles of an address in ENSv2 contracts. */
export const rolesOfAddress = (
  db: Db,
  rank: number,
  of: Pick<ApprovalsOf, "address"> & { chainId: number },
): ListPart<RoleRow> =>
  partOf(db, ensv2Role, {
    rank,
    where: sql`${ensv2Role.account} = ${of.address} and ${ensv2Role.chainId} = ${of.chainId} and ${ensv2Role.roles} <> 0`,
    columns: [ensv2Role.contract, ensv2Role.resource],
  });

/** A name of an ENSv2 entry. If the entry's registry is linked at several names, this is one of them. */
export type EntryName = {
  registry: Address;
  storageId: Hex;
  resource: bigint | null;
  expiry: bigint;
  fullName: string | null;
  node: Hex | null;
};

/** Entries by registry and storage ID, each with one name. */
export async function listEntryNames(
  db: Db,
  { chainId, keys }: { chainId: number; keys: readonly { registry: Address; storageId: Hex }[] },
): Promise<EntryName[]> {
  if (keys.length === 0) return [];
  const named = sql`(select ${domain.node} as node, ${domain.fullName} as full_name from ${domain}
    where ${domain.chainId} = ${chainId} and ${domain.labelhash} = ${ensv2Entry.labelhash}
      and ${domain.registry} = ${ensv2Entry.registry} order by ${domain.node} limit 1) as named`;
  return db
    .select({
      registry: ensv2Entry.registry,
      storageId: ensv2Entry.storageId,
      resource: ensv2Entry.resource,
      expiry: ensv2Entry.expiry,
      fullName: sql<string | null>`named.full_name`,
      node: sql<Hex | null>`named.node`,
    })
    .from(ensv2Entry)
    .leftJoin(sql`lateral ${named}`, sql`true`)
    .where(
      and(
        eq(ensv2Entry.chainId, chainId),
        sql`(${ensv2Entry.registry}, ${ensv2Entry.storageId}) in (${sql.join(
          keys.map(({ registry, storageId }) => sql`(${registry}, ${storageId})`),
          sql`, `,
        )})`,
      ),
    );
}

/** Returns the ENSv2 contracts, from the ones given, that have one of these implementations. */
export async function listWithCode(
  db: Db,
  of: { chainId: number; contracts: readonly Address[]; code: readonly Address[] },
): Promise<ReadonlySet<Address>> {
  if (of.contracts.length === 0 || of.code.length === 0) return new Set();
  const rows = await db
    .select({ address: ensv2Proxy.address })
    .from(ensv2Proxy)
    .where(
      and(
        eq(ensv2Proxy.chainId, of.chainId),
        inArray(ensv2Proxy.address, [...of.contracts]),
        inArray(ensv2Proxy.implementation, [...of.code]),
      ),
    );
  return new Set(rows.map(({ address }) => address));
}
