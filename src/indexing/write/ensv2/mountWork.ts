import type { Context } from "ponder:registry";
import { ensv2Entry, ensv2Mount } from "ponder:schema";
import type { Hex } from "viem";
import { defineWork, type WorkList } from "../blockQueue.ts";
import { dropName, putName } from "./mounts.ts";
import { isFollowed, placeBelow } from "./places.ts";
import { isToldRegistry } from "./proxies.ts";
import { closeReach, extendReach, findReach, narrowReach, nextReached } from "./reach.ts";
import { findMount, findRegistry } from "./registries.ts";

/*
 * The entries of a registry below a name, from the newest to the oldest. Each entry gets or loses its name by what is stored
 * then: so at the end each name is right, in whatever order registries were linked.
 */

/** By how much the ordinals of rows that such work writes are above that of its log: those of the log itself never get so far. */
const FIRST_ORDINAL = 1_000_000;

defineWork("entries", {
  async next(context, { owner: registry, node }, storageId) {
    const entry = await findEntry(context, registry, storageId);
    if (entry === null) return null;
    if ((await findNamed(context, registry, node)) !== null) return entry.nextEntry;
    const row = await findRegistry(context, registry);
    return row && nextReached(await findReach(context, registry, node), entry, row);
  },
  async visit(context, log, { owner: registry, node, depth }, storageId, done) {
    const entry = await findEntry(context, registry, storageId);
    if (entry === null) return [];
    const cause = { ...log, eventType: "SubregistryUpdated", ordinal: log.ordinal + FIRST_ORDINAL + done };
    const mount = await findNamed(context, registry, node);
    const isName = mount !== null && isFollowed(entry, mount.position);
    const pathExpiryTimestamp = mount?.pathExpiryTimestamp ?? null;
    const place = placeBelow({ node, depth, pathExpiryTimestamp }, entry);
    if (isName) await extendReach(context, entry, node);
    return (isName ? putName : dropName)(context, cause, entry, place);
  },
  async finish(context, { owner: registry, node }) {
    const mount = await findNamed(context, registry, node);
    if (mount === null) await closeReach(context, registry, node);
    else if (mount.position > 0) await narrowReach(context, registry, node);
  },
});

const findEntry = (context: Context, registry: Hex, storageId: Hex) =>
  context.db.find(ensv2Entry, { chainId: context.chain.id, registry, storageId });

/** The mount below which a registry's entries have names; null if they have none there, or lose them. */
async function findNamed(context: Context, registry: WorkList["owner"], node: Hex) {
  const found = await findMount(context, node);
  if (found?.registry !== registry || !(await isToldRegistry(context, registry))) return null;
  return context.db.find(ensv2Mount, { chainId: context.chain.id, registry, position: found.position });
}
