import type { Hex } from "viem";
import { codePoints, isLabelOf, MAX_NAME_BYTES, unknownLabel } from "../../../ens/name.ts";
import type { Ctx } from "../../server/http/context.ts";
import { mapYielding } from "../../server/scheduling/turns.ts";
import { listTexts } from "../query/labels.ts";
import { allChains } from "../query/scope.ts";
import { labelhashesOf, UNKNOWN_LABEL } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";
import { type IndexedNames, type Requested, withStates } from "./indexedName.ts";

/** Texts of labels, by hash. */
type Labels = ReadonlyMap<Hex, string>;

/**
 * Texts of labels that a chain's logs contain only as hashes. A caller who writes a label proves it, because its hash is part of
 * the name's node. Proven labels are stored and shown to everyone, as are labels from another chain's logs.
 */

/** Finds the known texts of labels, by hash. */
async function findTexts(
  { db, contracts, provenLabels }: Pick<Ctx, "db" | "contracts" | "provenLabels">,
  hashes: readonly Hex[],
): Promise<Labels> {
  if (hashes.length === 0) return new Map();
  const isSeveral = contracts.chainIds.length > 1;
  const [proven, logged] = await Promise.all([
    provenLabels.find(hashes),
    isSeveral ? listTexts(db, { chains: allChains(contracts), hashes }) : new Map<Hex, string>(),
  ]);
  const given = [...proven].map(([hash, { label }]) => [hash, label] as const);
  return new Map([...given, ...logged].filter(([hash, label]) => isLabelOf(hash, label)));
}

/** A label as shown in names. Texts from logs are in the tables, so other sources are read only for labels without one. */
export async function shownLabel(ctx: Ctx, hash: Hex): Promise<string> {
  const logged = await listTexts(ctx.db, { chains: allChains(ctx.contracts), hashes: [hash] });
  const texts = logged.size > 0 ? logged : await findTexts(ctx, [hash]);
  return texts.get(hash) ?? unknownLabel(hash);
}

/** Puts known labels into the names of a list. */
export async function showTexts<State extends DomainState>(
  ctx: Ctx,
  states: readonly State[],
): Promise<State[]> {
  const labels = await findTexts(ctx, [...unknownIn(states)]);
  return states.map((state) => withLabels(state, labels));
}

/**
 * Puts known labels into requested names, and stores labels that the request proves. Only labels that are indexed as a hash
 * are stored, so events limit their number.
 */
export async function showProvenLabels(
  ctx: Ctx,
  requested: readonly Requested[],
  found: IndexedNames,
): Promise<IndexedNames> {
  const unknown = unknownIn([...found.values()].map(({ state }) => state));
  if (unknown.size === 0) return found;
  const known = await findTexts(ctx, [...unknown]);
  const names = requested.flatMap((one) => ("name" in one && found.has(one.node) ? [one.name] : []));
  const written = (await mapYielding(names, labelsOf)).flat();
  const proven = new Map(written.filter(([hash]) => unknown.has(hash) && !known.has(hash)));
  if (proven.size > 0) ctx.provenLabels.remember(proven);
  const labels = new Map([...known, ...proven]);
  return withStates(found, (state) => withLabels(state, labels));
}

const unknownIn = (states: readonly DomainState[]): Set<Hex> =>
  new Set(states.flatMap(({ fullName }) => unknownLabels(fullName)));

const isUnknown = (label: string): boolean => UNKNOWN_LABEL.test(label);

const unknownLabels = (name: string): Hex[] =>
  name.includes("[") ? name.split(".").filter(isUnknown).map(hashInBrackets) : [];

const hashInBrackets = (label: string): Hex => `0x${label.slice(1, -1)}`;

/** The labels of a name that are written as text, by hash. */
function labelsOf(name: string): [hash: Hex, label: string][] {
  const hashes = labelhashesOf(name);
  return name
    .split(".")
    .flatMap((label, i): [Hex, string][] => (isUnknown(label) ? [] : [[hashes[i] as Hex, label]]));
}

/** Leaves a name unchanged if the texts would make it too long. */
function withLabels<State extends DomainState>(state: State, labels: Labels): State {
  const show = (label: string) => (isUnknown(label) ? (labels.get(hashInBrackets(label)) ?? label) : label);
  const fullName = state.fullName.split(".").map(show).join(".");
  if (fullName === state.fullName || Buffer.byteLength(fullName) > MAX_NAME_BYTES) return state;
  const label = show(state.label);
  return { ...state, fullName, label, labelLength: isUnknown(label) ? null : codePoints(label) };
}
