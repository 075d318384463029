import { domain, holder } from "ponder:schema";
import { sql } from "ponder";
import type { Db } from "../../../server/postgres/db.ts";
import { sqlOf, statementOf } from "../scope.ts";
import { countOwned, countsOf, noneHeld } from "./counts.ts";
import {
  type AddressAt,
  forEachOwner,
  isOwned,
  onlyOf,
  ownerRoleOf,
  parametersOf,
  valuesOf,
} from "./owners.ts";
import { wasHeld } from "./previous.ts";

/** How many names an address has, as in `HeldCounts`, and how many `listPrevious` has. */
export type Summary = { active: number; expiring30d: number; previous: number };

/** Counts the names that an address has and had, on each chain of the scope. */
export const summarise = (db: Db, at: AddressAt): Promise<Map<number, Summary>> =>
  sqlOf(at.chains).byChains({ main: summariseMain, several: summariseSeveral })(db, at);

async function summariseMain(db: Db, at: AddressAt): Promise<Map<number, Summary>> {
  const [row] = await summaries[ownerRoleOf(at)](db, at.chains, valuesOf(at));
  return new Map(row ? [[onlyOf(at.chains), row]] : []);
}

async function summariseSeveral(db: Db, at: AddressAt): Promise<Map<number, Summary>> {
  const [held, previous] = await Promise.all([
    countOwned(db, at),
    previousCounts[ownerRoleOf(at)](db, at.chains, valuesOf(at)),
  ]);
  const previousOn = new Map(previous.map(({ chainId, count }) => [chainId, count]));
  return new Map(
    at.chains.ids.map((chainId) => [
      chainId,
      { ...noneHeld, ...held.get(chainId), previous: previousOn.get(chainId) ?? 0 },
    ]),
  );
}

/** Of the main chain alone. */
const summaries = forEachOwner((role) =>
  statementOf((of, db) => {
    const previous = db
      .select({ count: sql`count(*)::int` })
      .from(holder)
      .where(wasHeld(db, role, of));
    return db
      .select({
        active: countsOf(parametersOf(of)).active,
        expiring30d: countsOf(parametersOf(of)).expiring30d,
        previous: sql<number>`${previous}`,
      })
      .from(domain)
      .where(isOwned(role, parametersOf(of)))
      .prepare(of.title(`summary_${role}`));
  }),
);

/** Of several chains. */
const previousCounts = forEachOwner((role) =>
  statementOf((of, db) =>
    db
      .select({ chainId: holder.chainId, count: sql<number>`count(*)::int` })
      .from(holder)
      .where(wasHeld(db, role, of))
      .groupBy(holder.chainId)
      .prepare(of.title(`previous_count_${role}`)),
  ),
);
