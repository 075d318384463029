import { event } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { alias, and, desc, eq, inArray, sql } from "ponder";

/**
 * Names migrated from the auction registrar to the registrar of 2019, and from both to the registrar of 2020. The registrar that
 * receives a name logs a registration, but this is not a purchase: the name keeps its owner and expiry.
 */

const REGISTRARS = ["REGISTRAR", "REGISTRAR_OLD"];
const EARLIER_REGISTRARS = ["REGISTRAR_OLD", "REGISTRAR_AUCTION"];

const older = alias(event, "older");
const moved = alias(event, "moved");

/** Auctioned names had no expiry. All migrated ones got the same expiry, the end of the migration period. */
const endOfTransfers = sql`(select ${moved.expiryTimestamp} from ${event} as moved
  where ${eq(moved.eventType, "NameMigrated")} and ${eq(moved.contract, "REGISTRAR_OLD")} limit 1)`;

/** A registration: its name, its block, and the expiry it set. */
type Registration = Record<"chainId" | "node" | "blockNumber" | "expiryTimestamp", SQLWrapper>;

/** True if a registrar registered a name with the expiry it had at an earlier registrar. Never null. */
export const keepsExpiry = ({ chainId, node, blockNumber, expiryTimestamp }: Registration): SQL<boolean> =>
  sql`coalesce((
    select coalesce(${older.expiryTimestamp}, ${endOfTransfers}) = ${expiryTimestamp} from ${event} as older
    where ${eq(older.node, node)} and ${eq(older.chainId, chainId)} and ${older.blockNumber} < ${blockNumber}
      and ${inArray(older.contract, EARLIER_REGISTRARS)}
      and ${inArray(older.eventType, ["HashRegistered", "NameRegistered", "NameMigrated", "NameRenewed"])}
    order by ${desc(older.blockNumber)}, ${desc(older.logIndex)} limit 1), false)`;

/** Rule: the log records a name's migration to this registrar. Never null. */
export const isMigration: SQL = sql`case
  when ${eq(event.eventType, "NameMigrated")} then true
  when ${and(eq(event.eventType, "NameRegistered"), inArray(event.contract, REGISTRARS))} then ${keepsExpiry(event)}
  else false end`;
