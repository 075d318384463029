import type { Ctx } from "../../server/http/context.ts";
import { pending } from "../counts/searchTotals.ts";
import { allChains } from "../query/scope.ts";
import { readHealed } from "../query/waiting.ts";
import { cachedFor } from "./cachedFor.ts";

/** The number of labels without a text, and of those whose text comes from other sources than the chains' logs. */
export type Healing = {
  /** Names with a label known only by its hash. */
  pending: number;
  /** Labels of names that came from a caller, a table or a service, counted on each chain. */
  healed: number;
  /** Supplied labels that some chain has not applied yet. */
  waiting: number;
};

/** There may be a million of them. */
const takeGiven = cachedFor(60, async ({ db, provenLabels }: Ctx): Promise<Omit<Healing, "pending">> => {
  const { labels, position } = await readHealed(db);
  return { healed: labels, waiting: await provenLabels.countAfter(position) };
});

/** `pending` is current; the others were counted within the last two minutes. */
export async function readHealing(ctx: Ctx): Promise<Healing> {
  const [count, { statistics }] = await Promise.all([
    pending.read(ctx.db, allChains(ctx.contracts)),
    takeGiven(ctx),
  ]);
  return { pending: count, ...statistics };
}
