import { event, ownershipChange } from "ponder:schema";
import { and, asc, eq, inArray, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "./db.ts";
import type { EventRow } from "./events.ts";
import { prepared } from "./prepared.ts";

export type OwnershipChangeRow = typeof ownershipChange.$inferSelect;

/** Every change of a name's owner in any layer, oldest first. */
export const listOwnershipChanges = (db: Db, { node }: { node: Hex }): Promise<OwnershipChangeRow[]> =>
  ownershipChangesOf(db).execute({ node });

const ownershipChangesOf = prepared((db) =>
  db
    .select()
    .from(ownershipChange)
    .where(eq(ownershipChange.node, sql.placeholder("node")))
    .orderBy(asc(ownershipChange.blockNumber), asc(ownershipChange.logIndex), asc(ownershipChange.ordinal))
    .prepare("ownership_changes"),
);

/** Events that register a .eth name, for the first time or again, in any generation of contracts. */
export const registrationEvents = ["HashRegistered", "NameRegistered", "NameMigrated"];

/** Events that move the expiry of a .eth name. */
export const renewalEvents = ["NameRenewed", "RenewalReferred"];

/** Registrations and renewals of a name, as registrars and controllers log them, oldest first. */
export const listRegistrationEvents = (db: Db, { node }: { node: Hex }): Promise<EventRow[]> =>
  registrationEventsOf(db).execute({ node });

const registrationEventsOf = prepared((db) =>
  db
    .select()
    .from(event)
    .where(
      and(
        eq(event.node, sql.placeholder("node")),
        inArray(event.eventType, [...registrationEvents, ...renewalEvents]),
      ),
    )
    .orderBy(asc(event.blockNumber), asc(event.logIndex), asc(event.ordinal))
    .prepare("registration_events"),
);
