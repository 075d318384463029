import type { Ctx } from "../../server/http/context.ts";
import { pending } from "../counts/searchTotals.ts";
import { allChains } from "../query/scope.ts";
import { readHealed } from "../query/waiting.ts";
import { cachedFor } from "./cachedFor.ts";

/** How many labels have no text, and how many have theirs from others than the chains' logs. */
export type Healing = {
  /** Names with a label known only by its hash. */
  pending: number;
  /** Labels of names that a caller, a table or a service gave, each on each chain. */
  healed: number;
  /** Labels that were given, and that some chain has not applied yet. */
  waiting: number;
};

/** There may be a million. */
const takeGiven = cachedFor(60, async ({ db, provenLabels }: Ctx): Promise<Omit<Healing, "pending">> => {
  const { labels, position } = await readHealed(db);
  return { healed: labels, waiting: await provenLabels.countAfter(position) };
});

/** `pending` is as of now, the others were counted within two minutes. */
export async function readHealing(ctx: Ctx): Promise<Healing> {
  const [count, { statistics }] = await Promise.all([
    pending.read(ctx.db, allChains(ctx.contracts)),
    takeGiven(ctx),
  ]);
  return { pending: count, ...statistics };
}
