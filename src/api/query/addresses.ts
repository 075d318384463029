import { domain, holder } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { and, eq, ne, notInArray, sql } from "ponder";
import type { Address } from "viem";
import { not } from "../../ens/condition.ts";
import { ROOT_NODE } from "../../ens/name.ts";
import { toSql } from "../rules/conditionSql.ts";
import { active, counted, ethName, expiringWithin, inPhase, lost } from "../rules/lifetime.ts";
import { wrapped } from "../rules/ownership.ts";
import { ownedAt } from "../rules/ownershipSql.ts";
import type { Time } from "../rules/time.ts";
import { countIf } from "./countIf.ts";
import type { Db } from "./db.ts";
import { type DomainPage, preparedPages } from "./domainPages.ts";
import { type DomainRow, listAndCount, selectDomains, toRow } from "./domains.ts";
import { offsetOf, PAGE_SIZE, type PageRequest, type SortDirection } from "./page.ts";
import { prepared } from "./prepared.ts";

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
 * An address and its role, at a time: `address` and `wrapper` (the NameWrapper) in lower case, `now` in unix seconds.
 */
export type AddressQuery = {
  chainId: number;
  address: Address;
  addressType: AddressType;
  wrapper: Address | undefined;
  now: number;
};

/** The role of an address in a statement. The NameWrapper needs another condition than other owners. */
type Role = AddressType | OwnerRole;
type OwnerRole = "effective_owner" | "effective_owner_as_wrapper";

const ownerRoles: readonly OwnerRole[] = ["effective_owner", "effective_owner_as_wrapper"];
const roles: readonly Role[] = [...new Set([...addressTypes, ...ownerRoles])];

const ownerRoleOf = ({ address, wrapper }: FormerHolder): OwnerRole =>
  address === wrapper ? "effective_owner_as_wrapper" : "effective_owner";

const roleOf = (holding: AddressQuery): Role =>
  holding.addressType === "effective_owner" ? ownerRoleOf(holding) : holding.addressType;

/** Makes one value for each role. */
const forEach = <Of extends Role, Made>(all: readonly Of[], make: (role: Of) => Made): Record<Of, Made> =>
  Object.fromEntries(all.map((role) => [role, make(role)])) as Record<Of, Made>;

/** What a condition compares with: values, or the placeholders of a prepared statement. */
type AddressParameters = { chainId: number | SQLWrapper; address: Address | SQLWrapper; now: Time };

const { placeholder } = sql;
const asked: AddressParameters = {
  chainId: placeholder("chainId"),
  address: placeholder("address"),
  now: placeholder("now"),
};

const valuesOf = ({ chainId, address, now }: FormerHolder) => ({ chainId, address, now });

/** The condition for names for which an address has a role. */
function isHeld(role: Role, { chainId, address, now }: AddressParameters): SQL | undefined {
  const conditions: Record<Role, SQL | undefined> = {
    effective_owner: ownedAt({ owner: address, isWrapper: false, now }),
    effective_owner_as_wrapper: ownedAt({ owner: address, isWrapper: true, now }),
    registry_owner: eq(domain.registryOwner, address),
    registrar_owner: eq(domain.registrarOwner, address),
    wrapper_owner: and(eq(domain.wrapperOwner, address), toSql(wrapped, now)),
    resolver: eq(domain.resolver, address),
  };
  return and(eq(domain.chainId, chainId), conditions[role], toSql(counted));
}

/** Which names of an address: all, or only the active ones. */
export type HeldChoice = "all" | "active";

const isChosen = (role: Role, choice: HeldChoice, of: AddressParameters): SQL | undefined =>
  and(isHeld(role, of), choice === "active" ? toSql(active, of.now) : undefined);

const ownedPages = forEach(ownerRoles, (role) => ({
  all: preparedPages({ name: `${role}_all`, where: isChosen(role, "all", asked) }),
  active: preparedPages({ name: `${role}_active`, where: isChosen(role, "active", asked) }),
}));

/** A page of the names of an address, with the total. One index has an owner's names in the order of names. */
export async function listHeld(
  db: Db,
  holding: AddressQuery,
  { choice, page }: { choice: HeldChoice; page: PageRequest },
): Promise<DomainPage> {
  const { chainId, addressType, now } = holding;
  if (addressType === "effective_owner" && page.sortBy === "full_name") {
    return ownedPages[ownerRoleOf(holding)][choice](db, page, valuesOf(holding));
  }
  const where = isChosen(roleOf(holding), choice, holding);
  const { counts, rows } = await listAndCount(db, { chainId, where, page, now }, {});
  return { total: counts.total, rows };
}

/** How many names an address holds: all, those registered or in grace, those that expire within 30 days. */
export type HeldCounts = { total: number; active: number; expiring30d: number };

/** Counts the names of an address by one statement. */
export async function countHeld(db: Db, holding: AddressQuery): Promise<HeldCounts> {
  const [row] = await heldCounts[roleOf(holding)](db).execute(valuesOf(holding));
  return row ?? { total: 0, active: 0, expiring30d: 0 };
}

const activeCount = countIf(toSql(active, asked.now));
const expiring30d = countIf(toSql(expiringWithin(30), asked.now));

const heldCounts = forEach(roles, (role) =>
  prepared((db) =>
    db
      .select({ total: sql<number>`count(*)::int`, active: activeCount, expiring30d })
      .from(domain)
      .where(isHeld(role, asked))
      .prepare(`held_count_${role}`),
  ),
);

/**
 * Names in a calendar of an address. 500 names have 1,500 events, which an answer has room for whatever the names are.
 * Few people have more, and those who do see the ones that end first.
 */
export const MAX_ENDING = 500;

/**
 * The names of an owner that have an end to come: of registration, grace or premium. Anyone can give an address subnames
 * that end soon: they come after .eth names, which cost money. One index has all that decides which names are listed.
 */
export async function listEnding(db: Db, holder: FormerHolder): Promise<DomainRow[]> {
  const rows = await endingNames[ownerRoleOf(holder)](db).execute(valuesOf(holder));
  return rows.map(toRow);
}

const endingNames = forEach(ownerRoles, (role) =>
  prepared((db) => {
    const hasEnd = toSql(inPhase("registered", "grace", "premium"), asked.now);
    const first = db
      .select({ chainId: domain.chainId, node: domain.node })
      .from(domain)
      .where(and(isHeld(role, asked), hasEnd))
      .orderBy(sql`${toSql(ethName)} desc`, domain.expiryTimestamp, domain.node)
      .limit(MAX_ENDING)
      .as("first");
    return selectDomains(db, {})
      .innerJoin(first, and(eq(domain.chainId, first.chainId), eq(domain.node, first.node)))
      .orderBy(domain.expiryTimestamp, domain.node)
      .prepare(`ending_${role}`);
  }),
);

/** An address whose earlier names are asked for. */
export type FormerHolder = Omit<AddressQuery, "addressType">;

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
  former: FormerHolder,
  { page, sortDir }: { page: number; sortDir: SortDirection },
): Promise<{ total: number; rows: PreviousRow[] }> {
  const statement = previousPages[ownerRoleOf(former)][sortDir];
  const listed = await statement(db).execute({ ...valuesOf(former), offset: offsetOf(page) });
  // After the last page no row has the total.
  const total = listed[0]?.total ?? (page === 1 ? 0 : (await summarise(db, former)).previous);
  const rows = listed.map(({ domain, displayText, total: _total, ...last }) => ({
    domain: { ...domain, displayText },
    ...last,
  }));
  return { total, rows };
}

/**
 * The condition for names that an address held and no longer controls. One index has all names that it ever held, and
 * one all that it controls, each with all columns needed, so no row of a name is read. `not in` hashes them once,
 * whatever number PostgreSQL expects; `not exists` sometimes becomes a loop through all pairs.
 */
function wasHeld(db: Db, role: OwnerRole): SQL | undefined {
  const isControlled = and(isHeld(role, asked), toSql(not(lost), asked.now));
  return and(
    eq(holder.address, asked.address),
    eq(holder.chainId, asked.chainId),
    ne(holder.node, ROOT_NODE),
    notInArray(holder.node, db.select({ node: domain.node }).from(domain).where(isControlled)),
  );
}

const previousPages = forEach(ownerRoles, (role) => ({
  asc: preparedPrevious(role, "asc"),
  desc: preparedPrevious(role, "desc"),
}));

function preparedPrevious(role: OwnerRole, sortDir: SortDirection) {
  const direction = sql.raw(sortDir);
  const { chainId, node, lastOwnedBlockNumber, lastOwnedBlockTimestamp } = holder;
  return prepared((db) => {
    const page = db
      .select({
        ...{ chainId, node, lastOwnedBlockNumber, lastOwnedBlockTimestamp },
        total: sql<number>`(count(*) over ())::int`.as("total"),
      })
      .from(holder)
      .where(wasHeld(db, role))
      .orderBy(sql`${lastOwnedBlockNumber} ${direction}`, sql`${node} ${direction}`)
      .limit(PAGE_SIZE)
      .offset(placeholder("offset"))
      .as("page");
    const last = {
      lastOwnedBlockNumber: page.lastOwnedBlockNumber,
      lastOwnedBlockTimestamp: page.lastOwnedBlockTimestamp,
    };
    return selectDomains(db, { ...last, total: page.total })
      .innerJoin(page, and(eq(domain.chainId, page.chainId), eq(domain.node, page.node)))
      .orderBy(sql`${page.lastOwnedBlockNumber} ${direction}`, sql`${page.node} ${direction}`)
      .prepare(`previous_${role}_${sortDir}`);
  });
}

/** How many names an address has, as in `HeldCounts`, and how many `listPrevious` has. */
export type Summary = { active: number; expiring30d: number; previous: number };

/** Counts the names that an address has and had. */
export async function summarise(db: Db, former: FormerHolder): Promise<Summary> {
  const [row] = await summaries[ownerRoleOf(former)](db).execute(valuesOf(former));
  return row ?? { active: 0, expiring30d: 0, previous: 0 };
}

const summaries = forEach(ownerRoles, (role) =>
  prepared((db) => {
    const previous = db.select({ count: sql`count(*)::int` }).from(holder).where(wasHeld(db, role));
    return db
      .select({ active: activeCount, expiring30d, previous: sql<number>`${previous}` })
      .from(domain)
      .where(isHeld(role, asked))
      .prepare(`summary_${role}`);
  }),
);
