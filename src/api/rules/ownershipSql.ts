import { domain } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import type { Address } from "viem";
import { PARENT_CANNOT_CONTROL } from "../../ens/wrapper.ts";
import type { Time } from "./time.ts";

/**
 * True for names whose wrapper token lapsed at `now`: stored as wrapped, but expired with PARENT_CANNOT_CONTROL burnt.
 * SQL twin of `isLapsed` in `ens/wrapper.ts`.
 */
export const isLapsedAt = (now: Time): SQL<boolean> =>
  sql`(${domain.isWrapped} and ${domain.wrapperExpiryTimestamp} < ${now} and (${domain.wrapperFuses} & ${PARENT_CANNOT_CONTROL}) <> 0)`;

/** True for names that are wrapped at `now`. */
export const isWrappedAt = (now: Time): SQL<boolean> => sql`(${domain.isWrapped} and not ${isLapsedAt(now)})`;

/** Effective owner at `now`: a lapsed name falls to the registrar's owner, or to the registry's. */
export const ownerAt = (now: Time): SQL<Address | null> =>
  sql`case when ${isLapsedAt(now)} then coalesce(${domain.registrarOwner}, ${domain.registryOwner}) else ${domain.effectiveOwnerAddress} end`;

/**
 * True for names whose effective owner at `now` is `owner` (lower case). A lapsed name belongs to the NameWrapper, which
 * is its registry and registrar owner; so for any other owner the index on the stored column is enough.
 */
export function ownedAt({
  owner,
  isWrapper,
  now,
}: {
  owner: Address | SQLWrapper;
  /** Whether the owner is the NameWrapper. */
  isWrapper: boolean;
  now: Time;
}) {
  const stored = and(eq(domain.effectiveOwnerAddress, owner), sql`not ${isLapsedAt(now)}`);
  if (!isWrapper) return stored;
  return sql`(${stored} or (${eq(domain.registryOwner, owner)} and ${isLapsedAt(now)}))`;
}
