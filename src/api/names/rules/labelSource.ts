import type { Hex } from "viem";
import { unknownLabel } from "../../../ens/name.ts";
import { wellKnownLabels } from "../../../ens/wellKnownLabels.ts";

/** Where the text of a well-known label is from while no log has spelled it out. */
const OF_ENS = "ens";

type Labelled = { label: string; labelhash: Hex | null };

/**
 * Where the text of a name's label is from, as the tables of the index say; null for a name without a label.
 *
 * @param stored `labels.source`; null where the index has no text
 * @returns undefined if the index has the hash alone: a label that was given since may not be applied yet
 */
export function sourceInIndex(
  { label, labelhash }: Labelled,
  stored: string | null,
): string | null | undefined {
  if (labelhash === null) return null;
  if (stored !== null) return stored;
  if (wellKnownLabels.has(labelhash)) return OF_ENS;
  return label === unknownLabel(labelhash) ? undefined : "event";
}
