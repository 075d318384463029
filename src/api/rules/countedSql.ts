import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { ADDR_REVERSE_NODE } from "../../ens/name.ts";
import { graceBegan, isEthName, isExpiredAt, isName } from "./lifetimeSql.ts";
import type { Time } from "./time.ts";

/*
 * Which rows of `domains` count where names are counted. As in `lifetime.ts`, never null.
 */

/**
 * True for names that people hold: not the root, and not `<address>.addr.reverse`, which an address gets for having a
 * primary name and which nobody would call one of his domains.
 */
export const isCounted: SQL<boolean> = sql`(${isName} and ${domain.parentNode} is distinct from ${ADDR_REVERSE_NODE})`;

/**
 * True for names that are registered or in grace at `now`: .eth names until 90 days after their expiry, others until
 * it, names without expiry always. A .eth name that is in no registrar (any more) is not active, whoever its registry
 * owner is: everybody may register it.
 */
export const isActiveAt = (now: Time): SQL<boolean> =>
  sql`(not ${isExpiredAt(now)} and not (${isEthName} and ${domain.expiryTimestamp} is null))`;

/**
 * True for .eth names whose last holder lost the right to renew at `now`. Names of other kinds go on being their
 * owner's after an expiry, or pass to the NameWrapper, which the effective owner then tells.
 */
export const isLostAt = (now: Time): SQL<boolean> =>
  sql`(${isEthName} and coalesce(${domain.expiryTimestamp} < ${graceBegan(now)}, true))`;
