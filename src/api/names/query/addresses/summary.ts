import { holder } from "ponder:schema";
import { sql } from "ponder";
import type { Db } from "../../../server/postgres/db.ts";
import { countOwned, noneHeld } from "./counts.ts";
import { type AddressAt, runForAddress } from "./ownerConditions.ts";
import { wasHeld } from "./previous.ts";

/** The number of names an address has, as in `HeldCounts`, and the number that `listPrevious` returns. */
export type Summary = { active: number; expiring30d: number; previous: number };

/** Counts the current and previous names of an address on each chain of the scope. */
export async function summarise(db: Db, at: AddressAt): Promise<Map<number, Summary>> {
  const [held, previous] = await Promise.all([
    countOwned(db, at),
    runForAddress(db, at, ["previous counts"], (all) =>
      db
        .select({ chainId: holder.chainId, count: sql<number>`count(*)::int` })
        .from(holder)
        .where(wasHeld(db, all))
        .groupBy(holder.chainId),
    ),
  ]);
  const previousOn = new Map(previous.map(({ chainId, count }) => [chainId, count]));
  return new Map(
    at.chains.ids.map((chainId) => [
      chainId,
      { ...noneHeld, ...held.get(chainId), previous: previousOn.get(chainId) ?? 0 },
    ]),
  );
}
