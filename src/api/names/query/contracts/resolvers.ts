import { domain, ensv2Link, resolverChange } from "ponder:schema";
import { and, eq, isNotNull, sql } from "ponder";
import type { Address, Hex } from "viem";
import { hashOfTokenId } from "../../../../ens/name.ts";
import type { Db } from "../../../server/postgres/db.ts";
import { type Keyset, orderBy, positionOf } from "../keyset.ts";
import { readList } from "../list.ts";
import type { Part } from "../page.ts";
import { type Scope, sqlOf } from "../scope.ts";

/** A change away from a resolver, and the change that had set it. `next` is null if no other resolver was set. */
export type FormerName = Awaited<ReturnType<typeof listFormerNames>>["rows"][number];

export const formerKeys = (): Keyset => [
  { column: sql`${resolverChange.blockTimestamp}`, kind: "bigint", direction: "desc" },
  { column: sql`${resolverChange.chainId}`, kind: "integer", direction: "desc" },
  { column: sql`${resolverChange.blockNumber}`, kind: "integer", direction: "desc" },
  { column: sql`${resolverChange.logIndex}`, kind: "integer", direction: "desc" },
  { column: sql`${resolverChange.ordinal}`, kind: "integer", direction: "desc" },
];

/** Names that once had a resolver and then another one, or none. The latest to leave come first. */
export function listFormerNames(
  db: Db,
  { chains, resolver }: { chains: Scope; resolver: Address },
  part: Part,
) {
  const keys = formerKeys();
  const wasAt = and(
    eq(resolverChange.previousResolver, resolver),
    sqlOf(chains).holds(resolverChange.chainId),
  );
  const began = sql`lateral (
    select start.block_number, start.block_timestamp, start.transaction_hash from ${resolverChange} as start
    where start.node = ${resolverChange.node} and start.chain_id = ${resolverChange.chainId}
      and (start.block_number, start.log_index, start.ordinal)
        < (${resolverChange.blockNumber}, ${resolverChange.logIndex}, ${resolverChange.ordinal})
    order by start.block_number desc, start.log_index desc, start.ordinal desc limit 1) as began`;
  const { chainId, blockNumber, logIndex, ordinal } = resolverChange;
  return readList(part, {
    keys,
    read: ({ where, order, limit, offset }) => {
      // Selects the page's rows first: a late page by number then looks up no earlier change for the rows it skips.
      const page = db
        .select({ chainId, blockNumber, logIndex, ordinal })
        .from(resolverChange)
        .where(and(wasAt, where))
        .orderBy(...order)
        .limit(limit)
        .offset(offset)
        .as("page");
      const isOfPage = and(
        eq(chainId, page.chainId),
        eq(blockNumber, page.blockNumber),
        eq(logIndex, page.logIndex),
        eq(ordinal, page.ordinal),
      );
      return db
        .select({
          chainId,
          node: resolverChange.node,
          position: positionOf(keys),
          name: sql<string | null>`${domain.fullName}`,
          fromBlock: sql<number | null>`began.block_number`,
          fromTimestamp: sql<number | null>`began.block_timestamp::float8`,
          fromTransaction: sql<Hex | null>`began.transaction_hash`,
          toBlock: blockNumber,
          toTimestamp: resolverChange.blockTimestamp,
          toTransaction: resolverChange.transactionHash,
          next: resolverChange.resolver,
        })
        .from(resolverChange)
        .innerJoin(page, isOfPage)
        .leftJoin(began, sql`true`)
        .leftJoin(
          domain,
          and(eq(domain.chainId, resolverChange.chainId), eq(domain.node, resolverChange.node)),
        )
        .orderBy(...orderBy(keys));
    },
    count: () => db.$count(resolverChange, wasAt),
  });
}

/** The record that an ENSv2 resolver links to a node. */
export type LinkRow = Awaited<ReturnType<typeof listLinksOf>>["rows"][number];

export const linkKeys = (): Keyset => [
  { column: sql`${ensv2Link.record}`, kind: "hash", direction: "asc" },
  { column: sql`${ensv2Link.node}`, kind: "hash", direction: "asc" },
];

/** Links of a resolver, sorted by record; of one record if given. */
export function listLinksOf(
  db: Db,
  { chainId, resolver, record }: { chainId: number; resolver: Address; record?: bigint | undefined },
  part: Part,
) {
  const keys = linkKeys();
  const isLink = and(
    eq(ensv2Link.chainId, chainId),
    eq(ensv2Link.resolver, resolver),
    record === undefined ? isNotNull(ensv2Link.record) : eq(ensv2Link.record, hashOfTokenId(record)),
  );
  const { node, blockNumber, transactionHash } = ensv2Link;
  return readList(part, {
    keys,
    read: ({ where, order, limit, offset }) =>
      db
        .select({
          node,
          blockNumber,
          transactionHash,
          position: positionOf(keys),
          record: sql<Hex>`${ensv2Link.record}`,
          name: sql<string | null>`${domain.fullName}`,
        })
        .from(ensv2Link)
        .leftJoin(domain, and(eq(domain.chainId, ensv2Link.chainId), eq(domain.node, ensv2Link.node)))
        .where(and(isLink, where))
        .orderBy(...order)
        .limit(limit)
        .offset(offset),
    count: () => db.$count(ensv2Link, isLink),
  });
}
