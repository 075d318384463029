import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, sql } from "ponder";
import type { Address } from "viem";
import type { Db } from "../../../server/postgres/db.ts";
import { toSql } from "../../rules/conditionSql.ts";
import { isCounted } from "../../rules/nameRules.ts";
import { ownedAt } from "../../rules/ownershipSql.ts";
import type { Time } from "../../rules/time.ts";
import { runOfShape, type Scope, sqlOf, type Value } from "../scope.ts";

/** A lowercase address, on some chains, at a time in Unix seconds. */
export type AddressAt = {
  chains: Scope;
  address: Address;
  /** True if the address is a NameWrapper, which becomes the owner of names whose wrapped tokens lapsed. */
  isWrapper: boolean;
  now: number;
};

/** The same for a condition in which the address and the time can be placeholders. */
export type AnyAddressAt = Omit<AddressAt, "address" | "now"> & { address: Value<Address>; now: Time };

/** The condition for names that an address effectively owns. */
export const isOwned = ({ chains, address, isWrapper, now }: AnyAddressAt): SQL | undefined =>
  and(sqlOf(chains).holds(domain.chainId), ownedAt({ owner: address, isWrapper, now }), toSql(isCounted));

type Build<Rows> = (at: AnyAddressAt) => ReturnType<Parameters<typeof runOfShape<Rows>>[3]>;

/** Runs a statement that is the same for all addresses and times. See `runOfShape`. */
export const runForAddress = <Rows>(
  db: Db,
  { chains, isWrapper, address, now }: AddressAt,
  shape: readonly unknown[],
  build: Build<Rows>,
  values: Record<string, unknown> = {},
): Promise<Rows> => {
  const all = { chains, isWrapper, address: sql.placeholder("address"), now: sql.placeholder("now") };
  return runOfShape(db, chains, [...shape, isWrapper], () => build(all), { ...values, address, now });
};
