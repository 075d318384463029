import type { Hex } from "viem";
import { codePoints, isLabelOf, MAX_NAME_BYTES } from "../../ens/name.ts";
import type { Ctx } from "../http/context.ts";
import { mapYielding } from "../scheduling/turns.ts";
import { labelhashesOf, UNKNOWN_LABEL } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";
import { type FoundByNode, type Requested, withStates } from "./found.ts";

/** Texts of labels, by their hash. */
type Labels = ReadonlyMap<Hex, string>;

/**
 * Puts the text of labels into names of which the index knows only the hash. A caller who writes a label proves it: its
 * hash is in the name's node. What one caller proved is stored, and shown to all.
 *
 * Only labels that the index has, and does not know, are stored: there are never more of them than events made.
 */
export async function showProvenLabels(
  { provenLabels }: Ctx,
  requested: readonly Requested[],
  found: FoundByNode,
): Promise<FoundByNode> {
  const unknown = new Set([...found.values()].flatMap(({ state }) => unknownLabels(state.fullName)));
  if (unknown.size === 0) return found;
  const stored = [...(await provenLabels.find([...unknown]))].filter(([hash, label]) =>
    isLabelOf(hash, label),
  );
  const known = new Map(stored);
  const names = requested.flatMap((one) => ("name" in one && found.has(one.node) ? [one.name] : []));
  const written = (await mapYielding(names, labelsOf)).flat();
  const told = new Map(written.filter(([hash]) => unknown.has(hash) && !known.has(hash)));
  if (told.size > 0) provenLabels.remember(told);
  const labels = new Map([...known, ...told]);
  return withStates(found, (state) => withLabels(state, labels));
}

const isUnknown = (label: string): boolean => UNKNOWN_LABEL.test(label);

const unknownLabels = (name: string): Hex[] =>
  name.includes("[") ? name.split(".").filter(isUnknown).map(hashInBrackets) : [];

const hashInBrackets = (label: string): Hex => `0x${label.slice(1, -1)}`;

/** The labels of a name that are written as text, by their hash. */
function labelsOf(name: string): [hash: Hex, label: string][] {
  const hashes = labelhashesOf(name);
  return name
    .split(".")
    .flatMap((label, i): [Hex, string][] => (isUnknown(label) ? [] : [[hashes[i] as Hex, label]]));
}

/** A name that would be too long with the texts stays as it is. */
function withLabels(state: DomainState, labels: Labels): DomainState {
  const show = (label: string) => (isUnknown(label) ? (labels.get(hashInBrackets(label)) ?? label) : label);
  const fullName = state.fullName.split(".").map(show).join(".");
  if (fullName === state.fullName || Buffer.byteLength(fullName) > MAX_NAME_BYTES) return state;
  const label = show(state.label);
  return { ...state, fullName, label, labelLength: isUnknown(label) ? null : codePoints(label) };
}
