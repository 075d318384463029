import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and } from "ponder";
import type { Address } from "viem";
import { toSql } from "../../rules/conditionSql.ts";
import { isCounted } from "../../rules/nameRules.ts";
import { ownedAt } from "../../rules/ownershipSql.ts";
import { type Scope, sqlOf } from "../scope.ts";

/** An address, on some chains, at a time: `address` and `wrappers` (the NameWrappers) in lower case, `now` in unix seconds. */
export type AddressAt = {
  chains: Scope;
  address: Address;
  wrappers: readonly Address[];
  now: number;
};

/** Whether the address is a NameWrapper, to which names fall whose tokens lapsed. */
export const isWrapperOf = ({ address, wrappers }: Pick<AddressAt, "address" | "wrappers">): boolean =>
  wrappers.includes(address);

/** The condition for names that an address effectively owns. */
export const isOwned = ({ chains, address, wrappers, now }: AddressAt): SQL | undefined =>
  and(
    sqlOf(chains).holds(domain.chainId),
    ownedAt({ owner: address, isWrapper: isWrapperOf({ address, wrappers }), now }),
    toSql(isCounted),
  );
