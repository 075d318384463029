import { everyOne, type Judge } from "./judge.ts";
import { pathOf } from "./ledger.ts";
import type { NameNow } from "./namesNow.ts";
import { plain, type Row } from "./oracle.ts";
import { availabilityOf } from "./present.ts";

/** The state of each name, its owner, whether that owner is current, and whether a former one is called the last owner. */
export async function judgeStates(judge: Judge, names: readonly NameNow[]): Promise<void> {
  const { get, same, now, ledgers } = judge;
  await everyOne(names, async (name) => {
    const path = pathOf(name.node, ledgers);
    if (path === null || path === "") return;
    const { availability_status, ownership } = await get(`/whois/${path}?partial=true`);
    const { owner, is_owner_current, last_owner } = (ownership ?? {}) as Row;
    same(`state of ${path}`, availability_status, availabilityOf(name, { length: name.length, now }));
    same(`owner of ${path}`, plain(owner), name.owner);
    if (name.owner === null) return;
    same(`${path} is its owner's now`, is_owner_current, name.isOwnerCurrent);
    same(`${path} has a last owner`, last_owner !== undefined, !name.isOwnerCurrent);
  });
}
