import { domain, holder } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { alias, and, eq, ne, notInArray, sql } from "ponder";
import type { Address } from "viem";
import { not } from "../../ens/condition.ts";
import { ROOT_NODE } from "../../ens/name.ts";
import type { Db } from "../postgres/db.ts";
import { prepared } from "../postgres/prepared.ts";
import { toSql } from "../rules/conditionSql.ts";
import { isCounted, isOfRegistrar } from "../rules/nameRules.ts";
import { wrapped } from "../rules/ownership.ts";
import { ownedAt } from "../rules/ownershipSql.ts";
import type { Time } from "../rules/time.ts";
import {
  type Chains,
  chainValues,
  type Form,
  forEachForm,
  isOfAskedChains,
  isOfChains,
  lifeIn,
  type Reach,
  ruleFor,
  titleOf,
} from "./chains.ts";
import { countIf } from "./countIf.ts";
import { type DomainPage, preparedPages } from "./domainPages.ts";
import { type DomainRow, listAndCount, selectDomains, toRow } from "./domains.ts";
import { offsetOf, PAGE_SIZE, type PageRequest, type SortDirection } from "./page.ts";

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
  chains: Chains;
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
type AddressParameters = { isOfChains: SQL; form: Form; address: Address | SQLWrapper; now: Time };

const { placeholder } = sql;
const now = placeholder("now");
const askedOf = (form: Form): AddressParameters => ({
  ...{ isOfChains: isOfAskedChains(domain.chainId, form.reach), form, now },
  address: placeholder("address"),
});

const valuesOf = ({ chains, address, now }: AddressAt) => ({ ...chainValues(chains), address, now });

/** The condition for names for which an address has a role. */
function isHeld(role: Role, { isOfChains, address, now }: AddressParameters): SQL | undefined {
  const conditions: Record<Role, SQL | undefined> = {
    effective_owner: ownedAt({ owner: address, isWrapper: false, now }),
    effective_owner_as_wrapper: ownedAt({ owner: address, isWrapper: true, now }),
    registry_owner: eq(domain.registryOwner, address),
    registrar_owner: eq(domain.registrarOwner, address),
    wrapper_owner: and(eq(domain.wrapperOwner, address), toSql(wrapped, now)),
    resolver: eq(domain.resolver, address),
  };
  return and(isOfChains, conditions[role], toSql(isCounted));
}

/** Which names of an address: all, or only the active ones. */
export type HeldChoice = "all" | "active";

const isChosen = (role: Role, choice: HeldChoice, of: AddressParameters): SQL | undefined =>
  and(isHeld(role, of), choice === "active" ? toSql(activeIn(of.form), of.now) : undefined);

const activeIn = (form: Form) => ruleFor(lifeIn(form).active, form.reach);

const ownedPages = forEachForm((form) =>
  forEach(ownerRoles, (role) => {
    const pagesOf = (choice: HeldChoice) =>
      preparedPages({
        name: titleOf(`${role}_${choice}`, form),
        where: isChosen(role, choice, askedOf(form)),
        reach: form.reach,
      });
    return { all: pagesOf("all"), active: pagesOf("active") };
  }),
);

/** A page of the names of an address, with the total. One index has an owner's names in the order of names. */
export async function listHeld(
  db: Db,
  holding: AddressQuery,
  { choice, page }: { choice: HeldChoice; page: PageRequest },
): Promise<DomainPage> {
  const { chains, addressType, address, now } = holding;
  if (addressType === "effective_owner" && page.sortBy === "full_name") {
    return ownedPages(chains)[ownerRoleOf(holding)][choice](db, page, valuesOf(holding));
  }
  const of = { isOfChains: isOfChains(domain.chainId, chains), form: chains, address, now };
  const where = isChosen(roleOf(holding), choice, of);
  const { counts, rows } = await listAndCount(db, { chains, where, page, now }, {});
  return { total: counts.total, rows };
}

/** How many names an address holds: all, those registered or in grace, those that expire within 30 days. */
export type HeldCounts = { total: number; active: number; expiring30d: number };

/** Counts the names of an address on each chain that is asked, by one statement; chains without any are left out. */
export async function countHeld(db: Db, holding: AddressQuery): Promise<Map<number, HeldCounts>> {
  const rows = await heldCounts(holding.chains)[roleOf(holding)](db).execute(valuesOf(holding));
  return new Map(rows.map(({ chainId, ...counts }) => [chainId ?? onlyOf(holding.chains), counts]));
}

const onlyOf = ({ ids }: Chains): number => ids[0] as number;

/** A statement about the main chain alone has one row, and need not read the chain. */
const chainColumn = (reach: Reach) => sql<number | null>`${reach === "main" ? null : domain.chainId}`;

const activeCount = (form: Form) => countIf(toSql(activeIn(form), now));
const expiringCount = (form: Form) => countIf(toSql(lifeIn(form).expiringWithin(30), now));

const heldCounts = forEachForm((form) =>
  forEach(roles, (role) =>
    prepared((db) => {
      const counts = {
        total: sql<number>`count(*)::int`,
        active: activeCount(form),
        expiring30d: expiringCount(form),
      };
      const counted = db
        .select({ chainId: chainColumn(form.reach), ...counts })
        .from(domain)
        .where(isHeld(role, askedOf(form)));
      return (form.reach === "main" ? counted : counted.groupBy(domain.chainId)).prepare(
        titleOf(`held_count_${role}`, form),
      );
    }),
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
  const rows = await namesWithEnd(holder.chains)[ownerRoleOf(holder)](db).execute(valuesOf(holder));
  return rows.map(toRow);
}

/** Where there is ENSv2, a life is also over when the way to the name ends: null where it has no end. */
const endOfLife = ({ ensv2 }: Form) =>
  ensv2 === undefined
    ? domain.expiryTimestamp
    : sql`least(${domain.expiryTimestamp}, ${domain.pathExpiryTimestamp})`;

const namesWithEnd = forEachForm((form) =>
  forEach(ownerRoles, (role) =>
    prepared((db) => {
      const { reach } = form;
      const hasEnd = toSql(ruleFor(lifeIn(form).inPhase("registered", "grace", "premium"), reach), now);
      const isBought = toSql(ruleFor(isOfRegistrar, reach));
      const order = [endOfLife(form), domain.node, ...(reach === "main" ? [] : [domain.chainId])];
      const first = db
        .select({ chainId: domain.chainId, node: domain.node })
        .from(domain)
        .where(and(isHeld(role, askedOf(form)), hasEnd))
        .orderBy(sql`${isBought} desc`, ...order)
        .limit(MAX_ENDING)
        .as("first");
      return selectDomains(db, {})
        .innerJoin(first, and(eq(domain.chainId, first.chainId), eq(domain.node, first.node)))
        .orderBy(...order)
        .prepare(titleOf(`ending_${role}`, form));
    }),
  ),
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
  { page, sortDir }: { page: number; sortDir: SortDirection },
): Promise<{ total: number; rows: PreviousRow[] }> {
  const statement = previousPages(at.chains)[ownerRoleOf(at)][sortDir];
  const listed = await statement(db).execute({ ...valuesOf(at), offset: offsetOf(page) });
  // After the last page no row has the total.
  const total = listed[0]?.total ?? (page === 1 ? 0 : sumOfPrevious(await summarise(db, at)));
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
function wasHeld(db: Db, role: OwnerRole, form: Form): SQL | undefined {
  const { reach } = form;
  const asked = askedOf(form);
  const isControlled = and(isHeld(role, asked), toSql(ruleFor(not(lifeIn(form).lost), reach), now));
  const wasNamed = and(
    eq(holder.address, asked.address),
    isOfAskedChains(holder.chainId, reach),
    ne(holder.node, ROOT_NODE),
  );
  if (reach === "main") {
    const controlled = db.select({ node: domain.node }).from(domain).where(isControlled);
    return and(wasNamed, notInArray(holder.node, controlled));
  }
  // A layer 2 logs owners of nodes that are no names there (`eth`, reverse nodes): these have no row.
  const named = alias(domain, "named");
  const isName = sql`exists (select from ${domain} as named
    where ${eq(named.chainId, holder.chainId)} and ${eq(named.node, holder.node)})`;
  const controlled = db
    .select({ chainId: domain.chainId, node: domain.node })
    .from(domain)
    .where(isControlled);
  return and(wasNamed, sql`(${holder.chainId}, ${holder.node}) not in ${controlled}`, isName);
}

const previousPages = forEachForm((form) =>
  forEach(ownerRoles, (role) => ({
    asc: preparedPrevious({ role, form }, "asc"),
    desc: preparedPrevious({ role, form }, "desc"),
  })),
);

type Former = { role: OwnerRole; form: Form };

/**
 * The newest first. Blocks of several chains do not compare, so with several the time decides; on one chain the block
 * does, which an index has.
 */
function preparedPrevious({ role, form }: Former, sortDir: SortDirection) {
  const { reach } = form;
  const direction = sql.raw(sortDir);
  const { chainId, node, lastOwnedBlockNumber, lastOwnedBlockTimestamp } = holder;
  const orderOf = (
    of: Pick<typeof holder, "chainId" | "node" | "lastOwnedBlockNumber" | "lastOwnedBlockTimestamp">,
  ) =>
    (reach === "main"
      ? [of.lastOwnedBlockNumber, of.node]
      : [of.lastOwnedBlockTimestamp, of.chainId, of.lastOwnedBlockNumber, of.node]
    ).map((column) => sql`${column} ${direction}`);
  return prepared((db) => {
    const page = db
      .select({
        ...{ chainId, node, lastOwnedBlockNumber, lastOwnedBlockTimestamp },
        total: sql<number>`(count(*) over ())::int`.as("total"),
      })
      .from(holder)
      .where(wasHeld(db, role, form))
      .orderBy(...orderOf(holder))
      .limit(PAGE_SIZE)
      .offset(placeholder("offset"))
      .as("page");
    const last = {
      lastOwnedBlockNumber: page.lastOwnedBlockNumber,
      lastOwnedBlockTimestamp: page.lastOwnedBlockTimestamp,
    };
    return selectDomains(db, { ...last, total: page.total })
      .innerJoin(page, and(eq(domain.chainId, page.chainId), eq(domain.node, page.node)))
      .orderBy(...orderOf(page as unknown as typeof holder))
      .prepare(titleOf(`previous_${role}_${sortDir}`, form));
  });
}

/** How many names an address has, as in `HeldCounts`, and how many `listPrevious` has. */
export type Summary = { active: number; expiring30d: number; previous: number };

/** Counts the names that an address has and had, on each chain that is asked. */
export async function summarise(db: Db, at: AddressAt): Promise<Map<number, Summary>> {
  if (at.chains.reach === "main") {
    const [row] = await summaries(at.chains)[ownerRoleOf(at)](db).execute(valuesOf(at));
    return new Map(row ? [[onlyOf(at.chains), row]] : []);
  }
  const [held, previous] = await Promise.all([
    countHeld(db, { ...at, addressType: "effective_owner" }),
    previousCounts(at.chains)[ownerRoleOf(at)](db).execute(valuesOf(at)),
  ]);
  const previousOn = new Map(previous.map(({ chainId, count }) => [chainId, count]));
  return new Map(
    at.chains.ids.map((chainId) => [
      chainId,
      { ...noneHeld, ...held.get(chainId), previous: previousOn.get(chainId) ?? 0 },
    ]),
  );
}

const noneHeld: HeldCounts = { total: 0, active: 0, expiring30d: 0 };

const sumOfPrevious = (byChain: Map<number, Summary>): number =>
  [...byChain.values()].reduce((sum, { previous }) => sum + previous, 0);

/** Of the main chain alone. */
const summaries = forEachForm((form) =>
  forEach(ownerRoles, (role) =>
    prepared((db) => {
      const previous = db
        .select({ count: sql`count(*)::int` })
        .from(holder)
        .where(wasHeld(db, role, form));
      return db
        .select({
          active: activeCount(form),
          expiring30d: expiringCount(form),
          previous: sql<number>`${previous}`,
        })
        .from(domain)
        .where(isHeld(role, askedOf(form)))
        .prepare(titleOf(`summary_${role}`, form));
    }),
  ),
);

/** Of several chains. */
const previousCounts = forEachForm((form) =>
  forEach(ownerRoles, (role) =>
    prepared((db) =>
      db
        .select({ chainId: holder.chainId, count: sql<number>`count(*)::int` })
        .from(holder)
        .where(wasHeld(db, role, form))
        .groupBy(holder.chainId)
        .prepare(titleOf(`previous_count_${role}`, form)),
    ),
  ),
);
