import type { Context } from "ponder:registry";
import { type Hex, size } from "viem";
import {
  decodeDnsName,
  isLabelOf,
  isPrintable,
  MAX_NAME_BYTES,
  nodeOfLabels,
  unknownLabel,
} from "../../ens/name.ts";
import type { DomainKey } from "./domains.ts";
import type { LogRef } from "./logRef.ts";
import { learnLabel } from "./names.ts";

/** Longest name of which the labels are learnt, in bytes of DNS wire format, which has two more than the text. */
const MAX_LEARNT_BYTES = MAX_NAME_BYTES + 2;

/**
 * Reads a name in DNS wire format and learns its labels, the leftmost last, so that each finds its parent named. Null
 * if the bytes are no name, or the name of another node. Of a name that is too long no label is learnt: one log can so
 * make at most 512 labels known. Writes: labels, domains.
 */
export async function learnDnsName(
  context: Context,
  log: LogRef,
  { node, packet }: { node: Hex; packet: Hex },
): Promise<{ name: string; key: DomainKey } | null> {
  const labels = decodeDnsName(packet);
  if (labels === null || nodeOfLabels(labels.map(({ labelhash }) => labelhash)) !== node) return null;
  const learnt = size(packet) > MAX_LEARNT_BYTES ? [] : labels.toReversed();
  for (const { labelhash, label } of learnt) {
    if (isLabelOf(labelhash, label)) await learnLabel(context, log, labelhash, label);
  }
  const shown = labels.map(({ labelhash, label }) =>
    isPrintable(label) && isLabelOf(labelhash, label) ? label : unknownLabel(labelhash),
  );
  const [own, ...parents] = labels.map(({ labelhash }) => labelhash);
  const key = own === undefined ? { node } : { node, labelhash: own, parentNode: nodeOfLabels(parents) };
  return { name: shown.join("."), key };
}
