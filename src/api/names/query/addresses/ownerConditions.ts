import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and } from "ponder";
import type { Address } from "viem";
import { toSql } from "../../rules/conditionSql.ts";
import { isCounted } from "../../rules/nameRules.ts";
import { ownedAt } from "../../rules/ownershipSql.ts";
import { type Scope, sqlOf } from "../scope.ts";

/** A lowercase address, on some chains, at a time in Unix seconds. */
export type AddressAt = {
  chains: Scope;
  address: Address;
  /** True if the address is a NameWrapper, which becomes the owner of names whose wrapped tokens lapsed. */
  isWrapper: boolean;
  now: number;
};

/** The condition for names that an address effectively owns. */
export const isOwned = ({ chains, address, isWrapper, now }: AddressAt): SQL | undefined =>
  and(sqlOf(chains).holds(domain.chainId), ownedAt({ owner: address, isWrapper, now }), toSql(isCounted));
