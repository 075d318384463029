import { domain } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { and, sql } from "ponder";
import type { Address } from "viem";
import { toSql } from "../../rules/conditionSql.ts";
import { isCounted } from "../../rules/nameRules.ts";
import { ownedAt } from "../../rules/ownershipSql.ts";
import type { Time } from "../../rules/time.ts";
import type { Scope, ScopeSql } from "../scope.ts";

/** An address, on some chains, at a time: `address` and `wrappers` (the NameWrappers) in lower case, `now` in unix seconds. */
export type AddressAt = {
  chains: Scope;
  address: Address;
  wrappers: readonly Address[];
  now: number;
};

/** Whether the owner is a NameWrapper, to which names fall whose tokens lapsed. It needs another condition than other owners. */
export type OwnerRole = "effective_owner" | "effective_owner_as_wrapper";

const ownerRoles: readonly OwnerRole[] = ["effective_owner", "effective_owner_as_wrapper"];

export const ownerRoleOf = ({ address, wrappers }: Pick<AddressAt, "address" | "wrappers">): OwnerRole =>
  wrappers.includes(address) ? "effective_owner_as_wrapper" : "effective_owner";

/** Makes one value for each role. */
export const forEachOwner = <Made>(make: (role: OwnerRole) => Made): Record<OwnerRole, Made> =>
  Object.fromEntries(ownerRoles.map((role) => [role, make(role)])) as Record<OwnerRole, Made>;

/** What a condition compares with: values, or the placeholders of a prepared statement. */
export type AddressParameters = { of: ScopeSql; address: Address | SQLWrapper; now: Time };

const { placeholder } = sql;

export const parametersOf = (of: ScopeSql): AddressParameters => ({
  of,
  address: placeholder("address"),
  now: placeholder("now"),
});

/** Values of the placeholders. */
export const valuesOf = ({ address, now }: AddressAt) => ({ address, now });

/** The condition for names that an address effectively owns. */
export const isOwned = (role: OwnerRole, { of, address, now }: AddressParameters): SQL | undefined =>
  and(
    of.holds(domain.chainId),
    ownedAt({ owner: address, isWrapper: role === "effective_owner_as_wrapper", now }),
    toSql(isCounted),
  );

/** The condition for active names. */
export const isActive = ({ of: { rule, life }, now }: Pick<AddressParameters, "of" | "now">): SQL =>
  toSql(rule(life.active), now);

/** A statement about one chain need not read it. */
export const onlyOf = ({ ids }: Scope): number => ids[0] as number;
