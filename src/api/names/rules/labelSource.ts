import type { Hex } from "viem";
import { unknownLabel } from "../../../ens/name.ts";
import { wellKnownLabels } from "../../../ens/wellKnownLabels.ts";

/** The source of a well-known label's text while no log has spelled it out. */
const OF_ENS = "ens";

type Labelled = { label: string; labelhash: Hex | null };

/**
 * The source of the text of a name's label, according to the index; null for a name without a label.
 *
 * @param stored `labels.source`; null if the index has no text
 * @returns undefined if the index knows only the hash: a label supplied since then may not be applied yet
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
