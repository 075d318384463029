import { domain, holder } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { alias, and, eq, ne, notInArray, sql } from "ponder";
import type { Address } from "viem";
import { not } from "../../ens/condition.ts";
import { ROOT_NODE } from "../../ens/name.ts";
import type { Db } from "../postgres/db.ts";
import { toSql } from "../rules/conditionSql.ts";
import { isCounted, isOfRegistrar } from "../rules/nameRules.ts";
import { wrapped } from "../rules/ownership.ts";
import { ownedAt } from "../rules/ownershipSql.ts";
import type { Time } from "../rules/time.ts";
import { countIf } from "./countIf.ts";
import { type DomainPage, preparedPages } from "./domainPages.ts";
import { type DomainRow, listAndCount, selectDomains, toRow } from "./domains.ts";
import type { Keyset } from "./keyset.ts";
import { inForms, type ListForm, orderOfPage, pageColumns, pageOf, readPage } from "./listStatements.ts";
import type { Page, PageRequest, Part, SortDirection } from "./page.ts";
import { type Scope, type ScopeSql, sqlOf, statementOf } from "./scope.ts";

/** What an address can be to a name. */
export const addressTypes = [
  "effective_owner",
  "registry_owner",
  "registrar_owner",
  "wrapper_owner",
  "resolver",
] as const;

export type AddressType = (typeof addressTypes)[number];

/**
 * An address and its role, on some chains, at a time: `address` and `wrappers` (the NameWrappers) in lower case, `now` in
 * unix seconds.
 */
export type AddressQuery = {
  chains: Scope;
  address: Address;
  addressType: AddressType;
  wrappers: readonly Address[];
  now: number;
};

/** The role of an address in a statement. The NameWrapper needs another condition than other owners. */
type Role = AddressType | OwnerRole;
type OwnerRole = "effective_owner" | "effective_owner_as_wrapper";

const ownerRoles: readonly OwnerRole[] = ["effective_owner", "effective_owner_as_wrapper"];
const roles: readonly Role[] = [...new Set([...addressTypes, ...ownerRoles])];

const ownerRoleOf = ({ address, wrappers }: AddressAt): OwnerRole =>
  wrappers.includes(address) ? "effective_owner_as_wrapper" : "effective_owner";

const roleOf = (holding: AddressQuery): Role =>
  holding.addressType === "effective_owner" ? ownerRoleOf(holding) : holding.addressType;

/** Makes one value for each role. */
const forEach = <Of extends Role, Made>(all: readonly Of[], make: (role: Of) => Made): Record<Of, Made> =>
  Object.fromEntries(all.map((role) => [role, make(role)])) as Record<Of, Made>;

/** What a condition compares with: values, or the placeholders of a prepared statement. */
type AddressParameters = { of: ScopeSql; address: Address | SQLWrapper; now: Time };

const { placeholder } = sql;
const now = placeholder("now");
const parametersOf = (of: ScopeSql): AddressParameters => ({ of, address: placeholder("address"), now });

const valuesOf = ({ address, now }: AddressAt) => ({ address, now });

/** The condition for names for which an address has a role. */
function isHeld(role: Role, { of, address, now }: AddressParameters): SQL | undefined {
  const conditions: Record<Role, SQL | undefined> = {
    effective_owner: ownedAt({ owner: address, isWrapper: false, now }),
    effective_owner_as_wrapper: ownedAt({ owner: address, isWrapper: true, now }),
    registry_owner: eq(domain.registryOwner, address),
    registrar_owner: eq(domain.registrarOwner, address),
    wrapper_owner: and(eq(domain.wrapperOwner, address), toSql(wrapped, now)),
    resolver: eq(domain.resolver, address),
  };
  return and(of.holds(domain.chainId), conditions[role], toSql(isCounted));
}

/** Which names of an address: all, or only the active ones. */
export type HeldChoice = "all" | "active";

const isChosen = (role: Role, choice: HeldChoice, held: AddressParameters): SQL | undefined =>
  and(isHeld(role, held), choice === "active" ? toSql(activeIn(held.of), held.now) : undefined);

const activeIn = ({ rule, life }: ScopeSql) => rule(life.active);

const ownedPages = forEach(ownerRoles, (role) => {
  const pagesOf = (choice: HeldChoice) =>
    preparedPages<{ address: Address; now: number }>({
      name: `${role}_${choice}`,
      where: (of) => isChosen(role, choice, parametersOf(of)),
    });
  return { all: pagesOf("all"), active: pagesOf("active") };
});

/** A page of the names of an address, with the total. One index has an owner's names in the order of names. */
export async function listHeld(
  db: Db,
  holding: AddressQuery,
  { choice, page }: { choice: HeldChoice; page: PageRequest },
): Promise<DomainPage> {
  const { chains, addressType, address, now } = holding;
  if (addressType === "effective_owner" && page.sortBy === "full_name") {
    return ownedPages[ownerRoleOf(holding)][choice](db, chains, { page, ...valuesOf(holding) });
  }
  const where = isChosen(roleOf(holding), choice, { of: sqlOf(chains), address, now });
  const { counts, ...listed } = await listAndCount(db, { chains, where, page, now }, {});
  return { total: page.isCounted ? counts.total : null, ...listed };
}

/** How many names an address holds: all, those registered or in grace, those that are over, those that expire within 30 days. */
export type HeldCounts = { total: number; active: number; expired: number; expiring30d: number };

/** Counts the names of an address on each chain of the scope, by one statement; chains without any are left out. */
export async function countHeld(db: Db, holding: AddressQuery): Promise<Map<number, HeldCounts>> {
  const rows = await heldCounts[roleOf(holding)](db, holding.chains, valuesOf(holding));
  return new Map(rows.map(({ chainId, ...counts }) => [chainId ?? onlyOf(holding.chains), counts]));
}

const onlyOf = ({ ids }: Scope): number => ids[0] as number;

/** A statement about the main chain alone has one row, and need not read the chain. */
const chainColumn = ({ byChains }: ScopeSql) =>
  sql<number | null>`${byChains<null | typeof domain.chainId>({ main: null, several: domain.chainId })}`;

const activeCount = (of: ScopeSql) => countIf(toSql(activeIn(of), now));
const expiredCount = (of: ScopeSql) => countIf(toSql(of.rule(of.life.expired), now));
const expiringCount = (of: ScopeSql) => countIf(toSql(of.life.expiringWithin(30), now));

const heldCounts = forEach(roles, (role) =>
  statementOf((of, db) =>
    db
      .select({
        chainId: chainColumn(of),
        total: sql<number>`count(*)::int`,
        active: activeCount(of),
        expired: expiredCount(of),
        expiring30d: expiringCount(of),
      })
      .from(domain)
      .where(isHeld(role, parametersOf(of)))
      .groupBy(...of.byChains({ main: [], several: [domain.chainId] }))
      .prepare(of.title(`held_count_${role}`)),
  ),
);

/**
 * Names in a calendar of an address. 500 names have 1,500 events, which an answer has room for whatever the names are.
 * Few people have more, and those who do see the ones that end first.
 */
export const MAX_ENDING = 500;

/**
 * The names of an owner that have an end to come: of registration, grace or premium. Anyone can give an address subnames
 * that end soon: they come after names of registrars, which cost money. One index has all that decides which names are listed.
 */
export async function listEnding(db: Db, holder: AddressAt): Promise<DomainRow[]> {
  const rows = await namesWithEnd[ownerRoleOf(holder)](db, holder.chains, valuesOf(holder));
  return rows.map(toRow);
}

/** Where there is ENSv2, a life is also over when the way to the name ends: null where it has no end. */
const endOfLife = ({ byProtocols }: ScopeSql) =>
  byProtocols({
    ensv1: sql`${domain.expiryTimestamp}`,
    both: () => sql`least(${domain.expiryTimestamp}, ${domain.pathExpiryTimestamp})`,
  });

const namesWithEnd = forEach(ownerRoles, (role) =>
  statementOf((of, db) => {
    const hasEnd = toSql(of.rule(of.life.inPhase("registered", "grace", "premium")), now);
    const isBought = toSql(of.rule(isOfRegistrar));
    const chain = of.byChains({ main: [], several: [domain.chainId] });
    const order = [endOfLife(of), domain.node, ...chain];
    const first = db
      .select({ chainId: domain.chainId, node: domain.node })
      .from(domain)
      .where(and(isHeld(role, parametersOf(of)), hasEnd))
      .orderBy(sql`${isBought} desc`, ...order)
      .limit(MAX_ENDING)
      .as("first");
    return selectDomains(db, {})
      .innerJoin(first, and(eq(domain.chainId, first.chainId), eq(domain.node, first.node)))
      .orderBy(...order)
      .prepare(of.title(`ending_${role}`));
  }),
);

/** An address, on some chains, at a time. */
export type AddressAt = Omit<AddressQuery, "addressType">;

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
      ...{ lastOwnedBlockNumber, lastOwnedBlockTimestamp },
    })),
  };
}

/**
 * The condition for names that an address held and no longer controls. One index has all names that it ever held, and
 * one all that it controls, each with all columns needed, so no row of a name is read. `not in` hashes them once,
 * whatever number PostgreSQL expects; `not exists` sometimes becomes a loop through all pairs.
 */
function wasHeld(db: Db, role: OwnerRole, of: ScopeSql): SQL | undefined {
  const isControlled = and(isHeld(role, parametersOf(of)), toSql(of.rule(not(of.life.lost)), now));
  const wasNamed = and(
    eq(holder.address, placeholder("address")),
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

const previousPages = forEach(ownerRoles, (role) =>
  inForms((form, title) => preparedPrevious(role, form, title)),
);

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
      ...[block, node],
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

/** How many names an address has, as in `HeldCounts`, and how many `listPrevious` has. */
export type Summary = { active: number; expiring30d: number; previous: number };

/** Counts the names that an address has and had, on each chain of the scope. */
export const summarise = (db: Db, at: AddressAt): Promise<Map<number, Summary>> =>
  sqlOf(at.chains).byChains({ main: summariseMain, several: summariseSeveral })(db, at);

async function summariseMain(db: Db, at: AddressAt): Promise<Map<number, Summary>> {
  const [row] = await summaries[ownerRoleOf(at)](db, at.chains, valuesOf(at));
  return new Map(row ? [[onlyOf(at.chains), row]] : []);
}

async function summariseSeveral(db: Db, at: AddressAt): Promise<Map<number, Summary>> {
  const [held, previous] = await Promise.all([
    countHeld(db, { ...at, addressType: "effective_owner" }),
    previousCounts[ownerRoleOf(at)](db, at.chains, valuesOf(at)),
  ]);
  const previousOn = new Map(previous.map(({ chainId, count }) => [chainId, count]));
  return new Map(
    at.chains.ids.map((chainId) => [
      chainId,
      { ...noneHeld, ...held.get(chainId), previous: previousOn.get(chainId) ?? 0 },
    ]),
  );
}

const noneHeld: HeldCounts = { total: 0, active: 0, expired: 0, expiring30d: 0 };

/** Of the main chain alone. */
const summaries = forEach(ownerRoles, (role) =>
  statementOf((of, db) => {
    const previous = db
      .select({ count: sql`count(*)::int` })
      .from(holder)
      .where(wasHeld(db, role, of));
    return db
      .select({
        active: activeCount(of),
        expiring30d: expiringCount(of),
        previous: sql<number>`${previous}`,
      })
      .from(domain)
      .where(isHeld(role, parametersOf(of)))
      .prepare(of.title(`summary_${role}`));
  }),
);

/** Of several chains. */
const previousCounts = forEach(ownerRoles, (role) =>
  statementOf((of, db) =>
    db
      .select({ chainId: holder.chainId, count: sql<number>`count(*)::int` })
      .from(holder)
      .where(wasHeld(db, role, of))
      .groupBy(holder.chainId)
      .prepare(of.title(`previous_count_${role}`)),
  ),
);
