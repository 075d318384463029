import { domain, holder } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { alias, and, eq, ne, sql } from "ponder";
import { not } from "../../../../ens/condition.ts";
import { ROOT_NODE } from "../../../../ens/name.ts";
import type { Db } from "../../../server/postgres/db.ts";
import { toSql } from "../../rules/conditionSql.ts";
import { type DomainRow, selectDomains, toRow } from "../domains.ts";
import type { Keyset } from "../keyset.ts";
import { orderOfPage, pageColumns, pageOf, readFound } from "../list.ts";
import type { Page, Part, SortDirection } from "../page.ts";
import { type ScopeSql, sqlOf } from "../scope.ts";
import { type AddressAt, isOwned } from "./ownerConditions.ts";

/** The current row of a name that an address once held, with the last event that named the address. */
export type PreviousRow = {
  domain: DomainRow;
  lastOwnedBlockNumber: number;
  lastOwnedBlockTimestamp: number;
};

/**
 * A page, with the total, of the names on whose events an address appeared as receiver or owner, and which it no longer controls.
 * The statement reads every name that the address ever held, so it returns both.
 */
export async function listPrevious(
  db: Db,
  at: AddressAt,
  { part, sortDir }: { part: Part; sortDir: SortDirection },
): Promise<Page<PreviousRow> & { condition: SQL }> {
  const { chainId, node, lastOwnedBlockNumber, lastOwnedBlockTimestamp } = holder;
  const columns = sql`${chainId} as chain_id, ${node} as node,
    ${lastOwnedBlockNumber} as last_owned_block_number, ${lastOwnedBlockTimestamp} as last_owned_block_timestamp`;
  const keys = previousKeys(sqlOf(at.chains), sortDir);
  const last = {
    lastOwnedBlockNumber: sql<number>`page.last_owned_block_number`,
    lastOwnedBlockTimestamp: sql<number>`page.last_owned_block_timestamp`.mapWith(lastOwnedBlockTimestamp),
  };
  const gone = sql`select ${columns} from ${holder} where ${wasHeld(db, at)}`;
  const { rows, ...found } = await readFound(part, keys, (slice) =>
    selectDomains(db, { ...last, ...pageColumns })
      .innerJoin(pageOf(gone, slice), sql`(${domain.chainId}, ${domain.node}) = (page.chain_id, page.node)`)
      .orderBy(orderOfPage)
      .execute(slice.values),
  );
  return {
    ...found,
    condition: sql`(${isControlled(at)}) is not true`,
    rows: rows.map(({ lastOwnedBlockNumber, lastOwnedBlockTimestamp, ...row }) => ({
      domain: toRow(row),
      lastOwnedBlockNumber,
      lastOwnedBlockTimestamp,
    })),
  };
}

/**
 * The condition for names that an address held and no longer controls. One index contains every name it ever held and another
 * every name it controls, each with all columns needed, so no row of a name is read. `not in` always hashes the controlled names,
 * whatever row count PostgreSQL expects; `not exists` sometimes becomes a nested loop over all pairs.
 */
export function wasHeld(db: Db, at: AddressAt): SQL | undefined {
  const controlled = db
    .select({ chainId: domain.chainId, node: domain.node })
    .from(domain)
    .where(isControlled(at));
  const { holds, isSeveral } = sqlOf(at.chains);
  // A layer 2 logs owners of nodes that are not names there (`eth`, reverse nodes). Those have no row.
  const named = alias(domain, "named");
  return and(
    eq(holder.address, at.address),
    holds(holder.chainId),
    ne(holder.node, ROOT_NODE),
    sql`(${holder.chainId}, ${holder.node}) not in ${controlled}`,
    isSeveral
      ? sql`exists (select from ${domain} as named
          where ${eq(named.chainId, holder.chainId)} and ${eq(named.node, holder.node)})`
      : undefined,
  );
}

function isControlled(at: AddressAt): SQL | undefined {
  const { rule, life } = sqlOf(at.chains);
  return and(isOwned(at), toSql(rule(not(life.lost)), at.now));
}

/**
 * The order of previous names, by the columns of a subquery. Block numbers of different chains are not comparable, so several
 * chains are sorted by time. One chain is sorted by block, for which there is an index.
 */
export function previousKeys({ isSeveral }: ScopeSql, direction: SortDirection): Keyset {
  const time: Keyset = [
    { column: sql`listed.last_owned_block_timestamp`, kind: "bigint", direction },
    { column: sql`listed.chain_id`, kind: "integer", direction },
  ];
  return [
    ...(isSeveral ? time : []),
    { column: sql`listed.last_owned_block_number`, kind: "integer", direction },
    { column: sql`listed.node`, kind: "hash", direction },
  ];
}
