import type { Hex } from "viem";
import { isLabelOf } from "../../ens/name.ts";
import { wellKnownLabels } from "../../ens/wellKnownLabels.ts";
import type { Ctx } from "../http/context.ts";
import { listSources } from "../query/labels.ts";
import { allChains } from "../query/scope.ts";
import { UNKNOWN_LABEL } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";

/** Where the text of a label of ENS itself is from. */
const OF_ENS = "ens";

/** Where the text of the own label of each name of the index is from, in their order; null where the index does not know it. */
export async function readLabelSources(
  ctx: Pick<Ctx, "db" | "contracts" | "provenLabels">,
  states: readonly DomainState[],
): Promise<(string | null)[]> {
  const known = await readSources(ctx, states);
  return states.map(({ label, labelhash }) => {
    if (labelhash === null) return null;
    if (wellKnownLabels.has(labelhash)) return OF_ENS;
    return known.get(labelhash) ?? (UNKNOWN_LABEL.test(label) ? null : "event");
  });
}

/** Sources that the index has, and those of labels that it is still to apply. */
async function readSources(
  { db, contracts, provenLabels }: Pick<Ctx, "db" | "contracts" | "provenLabels">,
  states: readonly DomainState[],
): Promise<ReadonlyMap<Hex, string>> {
  const unread = states.filter(({ labelSource }) => labelSource === undefined);
  const known = await listSources(db, { chains: allChains(contracts), hashes: hashesOf(unread) });
  for (const { labelhash, labelSource } of states)
    if (labelhash && labelSource) known.set(labelhash, labelSource);
  const unknown = states.filter(
    ({ label, labelhash }) => UNKNOWN_LABEL.test(label) && labelhash !== null && !known.has(labelhash),
  );
  const given = unknown.length === 0 ? [] : await provenLabels.find(hashesOf(unknown));
  for (const [hash, { label, source }] of given) if (isLabelOf(hash, label)) known.set(hash, source);
  return known;
}

const hashesOf = (states: readonly DomainState[]): Hex[] => [
  ...new Set(states.flatMap(({ labelhash }) => labelhash ?? [])),
];
