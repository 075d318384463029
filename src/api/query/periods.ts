import { event, ownershipChange } from "ponder:schema";
import { and, asc, eq, inArray, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "./db.ts";
import type { EventRow } from "./events.ts";
import { prepared } from "./prepared.ts";

export type OwnershipChangeRow = typeof ownershipChange.$inferSelect;

/** Every change of an owner of a name, in any layer, oldest first. */
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

/** Events by which a .eth name is registered, for the first time or anew, in any generation of contracts. */
export const registrationEvents = ["HashRegistered", "NameRegistered", "NameMigrated"];

/** Events by which a .eth name's expiry is moved. */
export const renewalEvents = ["NameRenewed", "RenewalReferred"];

/** Registrations and renewals of a name as registrars and controllers logged them, oldest first. */
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
