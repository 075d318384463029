import { domain } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import type { Address } from "viem";
import { all, not } from "../../../ens/condition.ts";
import { toSql } from "./conditionSql.ts";
import { lapsed, unexplained } from "./ownership.ts";
import type { Time } from "./time.ts";

/**
 * Effective owner at `now`. A lapsed name falls to the registrar's owner, or to the registry's. Null if it is unknown whether the
 * name lapsed.
 */
export const ownerAt = (now: Time): SQL<Address | null> =>
  sql`case when not ${toSql(lapsed, now)} then ${domain.effectiveOwnerAddress}
    when not ${toSql(unexplained)} then coalesce(${domain.registrarOwner}, ${domain.registryOwner}) end`;

/**
 * True for names whose effective owner at `now` is `owner` (lower case). A lapsed name belongs to the NameWrapper, which is its
 * owner in registry and registrar. So for any other owner, the index on the stored column is enough.
 */
export function ownedAt({
  owner,
  isWrapper,
  now,
}: {
  owner: Address | SQLWrapper;
  /** True if the owner is the NameWrapper. */
  isWrapper: boolean;
  now: Time;
}) {
  const stored = and(eq(domain.effectiveOwnerAddress, owner), toSql(not(lapsed), now));
  if (!isWrapper) return stored;
  return sql`(${stored} or (${eq(domain.registryOwner, owner)} and ${toSql(all(lapsed, not(unexplained)), now)}))`;
}
