import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { ETH_NODE, ROOT_NODE } from "../../ens/name.ts";
import { type Availability, expiryBounds, GRACE_SECONDS, SHORTEST_LABEL } from "./availability.ts";
import { shifted, type Time } from "./time.ts";

/*
 * Conditions on a domain's place in its life. Each is true or false for every row, never null, so that `not` and
 * `count(*) filter` hold.
 */

/** True for names right under .eth, whose lifetime the registrar keeps. */
export const isEthName = sql<boolean>`(${domain.parentNode} is not distinct from ${ETH_NODE})`;

/** True for every row but the root, which is no name. Told by the node, which more indexes have than the name. */
export const isName = sql<boolean>`(${domain.node} <> ${ROOT_NODE})`;

/** True for names that ended for good at `now`: .eth names 90 days after their expiry, others at it. */
export const isExpiredAt = (now: Time): SQL<boolean> =>
  sql`(${domain.expiryTimestamp} is not null and ${domain.expiryTimestamp} <= ${now}
    and (not ${isEthName} or ${domain.expiryTimestamp} < ${graceBegan(now)}))`;

/** The expiry of the .eth names whose grace ends at `now`. */
export const graceBegan = (now: Time): Time => shifted(now, -Number(GRACE_SECONDS));

/** True for names that are registered at `now` and expire within so many days. */
export const isExpiringWithin = (days: number, now: Time): SQL<boolean> =>
  sql`(${domain.expiryTimestamp} is not null and ${domain.expiryTimestamp} > ${now}
    and ${domain.expiryTimestamp} <= ${shifted(now, days * 86_400)})`;

/** True for names of a state at `now`. SQL twin of `availabilityOf` in `availability.ts`. */
export function hasAvailability(status: Exclude<Availability, "unknown">, now: number): SQL {
  const eth = sql`(${isEthName} and ${isWithin(expiryBounds(status, now))})`;
  if (status === "registered") {
    return sql`(${eth} or (not ${isEthName} and ${domain.effectiveOwnerAddress} is not null
      and (${domain.expiryTimestamp} is null or ${domain.expiryTimestamp} > ${now})))`;
  }
  if (status === "available") {
    return sql`(${eth} or (${isEthName} and ${domain.expiryTimestamp} is null
      and ${domain.labelLength} >= ${SHORTEST_LABEL}))`;
  }
  return eth;
}

function isWithin({ from, to }: { from: bigint | null; to: bigint | null }): SQL {
  const after = from === null ? sql`true` : sql`${domain.expiryTimestamp} >= ${from}`;
  const before = to === null ? sql`true` : sql`${domain.expiryTimestamp} <= ${to}`;
  return sql`(${domain.expiryTimestamp} is not null and ${after} and ${before})`;
}
