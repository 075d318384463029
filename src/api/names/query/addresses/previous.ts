import { domain, holder } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { alias, and, eq, ne, notInArray, sql } from "ponder";
import { not } from "../../../../ens/condition.ts";
import { ROOT_NODE } from "../../../../ens/name.ts";
import type { Db } from "../../../server/postgres/db.ts";
import { toSql } from "../../rules/conditionSql.ts";
import { type DomainRow, selectDomains } from "../domains.ts";
import type { Keyset } from "../keyset.ts";
import { inForms, type ListForm, orderOfPage, pageColumns, pageOf, readPage } from "../listStatements.ts";
import type { Page, Part, SortDirection } from "../page.ts";
import { type ScopeSql, statementOf } from "../scope.ts";
import {
  type AddressAt,
  forEachOwner,
  isOwned,
  type OwnerRole,
  ownerRoleOf,
  parametersOf,
  valuesOf,
} from "./owners.ts";

/** A name that an address held, as it is now, with the last event that named the address. */
export type PreviousRow = {
  domain: DomainRow;
  lastOwnedBlockNumber: number;
  lastOwnedBlockTimestamp: number;
};

/**
 * Names on whose events an address appeared as receiver or owner, and which it no longer controls: a page of them,
 * with the total. The statement reads all names that the address ever held, so one statement gives both.
 */
export async function listPrevious(
  db: Db,
  at: AddressAt,
  { part, sortDir }: { part: Part; sortDir: SortDirection },
): Promise<Page<PreviousRow>> {
  const { rows, ...found } = await readPage(part, sortDir, (form, slice) =>
    previousPages[ownerRoleOf(at)](form)(db, at.chains, { ...valuesOf(at), ...slice }),
  );
  return {
    ...found,
    rows: rows.map(({ domain, displayText, lastOwnedBlockNumber, lastOwnedBlockTimestamp }) => ({
      domain: { ...domain, displayText },
      lastOwnedBlockNumber,
      lastOwnedBlockTimestamp,
    })),
  };
}

/**
 * The condition for names that an address held and no longer controls. One index has all names that it ever held, and
 * one all that it controls, each with all columns needed, so no row of a name is read. `not in` hashes them once,
 * whatever number PostgreSQL expects; `not exists` sometimes becomes a loop through all pairs.
 */
export function wasHeld(db: Db, role: OwnerRole, of: ScopeSql): SQL | undefined {
  const isControlled = and(
    isOwned(role, parametersOf(of)),
    toSql(of.rule(not(of.life.lost)), sql.placeholder("now")),
  );
  const wasNamed = and(
    eq(holder.address, sql.placeholder("address")),
    of.holds(holder.chainId),
    ne(holder.node, ROOT_NODE),
  );
  const isGone = of.byChains({ main: isGoneFromMain, several: isGoneFromSeveral });
  return and(wasNamed, isGone(db, isControlled));
}

const isGoneFromMain = (db: Db, isControlled: SQL | undefined): SQL =>
  notInArray(holder.node, db.select({ node: domain.node }).from(domain).where(isControlled));

function isGoneFromSeveral(db: Db, isControlled: SQL | undefined): SQL {
  // A layer 2 logs owners of nodes that are no names there (`eth`, reverse nodes): these have no row.
  const named = alias(domain, "named");
  const isName = sql`exists (select from ${domain} as named
    where ${eq(named.chainId, holder.chainId)} and ${eq(named.node, holder.node)})`;
  const controlled = db
    .select({ chainId: domain.chainId, node: domain.node })
    .from(domain)
    .where(isControlled);
  return sql`(${holder.chainId}, ${holder.node}) not in ${controlled} and ${isName}`;
}

const previousPages = forEachOwner((role) => inForms((form, title) => preparedPrevious(role, form, title)));

/**
 * The order of previous names, by the columns of a subquery. Blocks of several chains do not compare, so with several the
 * time decides; on one chain the block does, which an index has.
 */
export function previousKeys(
  { byChains }: ScopeSql,
  direction: SortDirection,
  of: "listed" | "page" = "listed",
): Keyset {
  const block = { column: sql.raw(`${of}.last_owned_block_number`), kind: "integer", direction } as const;
  const node = { column: sql.raw(`${of}.node`), kind: "hash", direction } as const;
  return byChains<Keyset>({
    main: [block, node],
    several: [
      { column: sql.raw(`${of}.last_owned_block_timestamp`), kind: "bigint", direction },
      { column: sql.raw(`${of}.chain_id`), kind: "integer", direction },
      block,
      node,
    ],
  });
}

function preparedPrevious(role: OwnerRole, form: ListForm, title: string) {
  const { chainId, node, lastOwnedBlockNumber, lastOwnedBlockTimestamp } = holder;
  return statementOf((of, db) => {
    const gone = sql`select ${chainId} as chain_id, ${node} as node,
        ${lastOwnedBlockNumber} as last_owned_block_number, ${lastOwnedBlockTimestamp} as last_owned_block_timestamp
      from ${holder} where ${wasHeld(db, role, of)}`;
    const last = {
      lastOwnedBlockNumber: sql<number>`page.last_owned_block_number`,
      lastOwnedBlockTimestamp: sql<number>`page.last_owned_block_timestamp`.mapWith(lastOwnedBlockTimestamp),
    };
    return selectDomains(db, { ...last, ...pageColumns })
      .innerJoin(
        pageOf(gone, previousKeys(of, form.direction), form),
        sql`(${domain.chainId}, ${domain.node}) = (page.chain_id, page.node)`,
      )
      .orderBy(orderOfPage(previousKeys(of, form.direction, "page")))
      .prepare(of.title(`previous_${role}_${title}`));
  });
}
