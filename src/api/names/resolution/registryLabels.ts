import type { Hex } from "viem";
import { childNode } from "../../../ens/name.ts";
import type { Ctx } from "../../server/http/context.ts";
import type { Ensv2Entry } from "../query/ensv2.ts";
import type { DomainState } from "./domainState.ts";
import { readIndexed } from "./nameFacts.ts";

/**
 * What the names of entries are now, below a name at which their registry is. An entry to whose name the way from the root
 * leads no more is left out: it says nothing of the name.
 */
export async function readLabelStates(
  ctx: Ctx,
  parentNode: Hex | null,
  entries: readonly Ensv2Entry[],
): Promise<ReadonlyMap<Ensv2Entry, DomainState>> {
  if (parentNode === null) return new Map();
  const nodes = entries.map(({ labelhash }) => childNode(parentNode, labelhash));
  const found = await readIndexed(
    ctx,
    nodes.map((node) => ({ query: node, node })),
  );
  return new Map(
    entries.flatMap((entry, i) => {
      const state = found.get(nodes[i] as Hex)?.state;
      const own = state?.ensv2?.walk.entry;
      const isOwn = own?.registry === entry.registry && own.labelhash === entry.labelhash;
      return state && isOwn ? [[entry, state] as const] : [];
    }),
  );
}
