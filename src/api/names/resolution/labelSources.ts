import type { Hex } from "viem";
import { isLabelOf } from "../../../ens/name.ts";
import type { Ctx } from "../../server/http/context.ts";
import { listSources } from "../query/labels.ts";
import { allChains } from "../query/scope.ts";
import { sourceInIndex } from "../rules/labelSource.ts";
import type { DomainState } from "./domainState.ts";

type Sources = ReadonlyMap<Hex, string>;

/** The sources of names' own label texts, in order; null for a label without a text. */
export async function readLabelSources(
  ctx: Pick<Ctx, "db" | "contracts" | "provenLabels">,
  states: readonly DomainState[],
): Promise<(string | null)[]> {
  const unread = states.filter(({ labelSource }) => labelSource === undefined);
  const chains = allChains(ctx.contracts);
  const stored = await listSources(ctx.db, { chains, hashes: hashesOf(unread) });
  const known = states.map((state) =>
    state.labelSource === undefined ? sourceInIndex(state, sourceOf(stored, state)) : state.labelSource,
  );
  const given = await readGiven(ctx, hashesOf(states.filter((_, i) => known[i] === undefined)));
  return states.map((state, i) => (known[i] === undefined ? sourceOf(given, state) : known[i]));
}

/** Sources of labels that are not yet applied to the index. */
async function readGiven(
  { provenLabels }: Pick<Ctx, "provenLabels">,
  hashes: readonly Hex[],
): Promise<Sources> {
  const given = hashes.length === 0 ? [] : await provenLabels.find(hashes);
  return new Map(
    [...given].flatMap(([hash, { label, source }]) =>
      isLabelOf(hash, label) ? [[hash, source] as const] : [],
    ),
  );
}

const sourceOf = (sources: Sources, { labelhash }: Pick<DomainState, "labelhash">): string | null =>
  (labelhash && sources.get(labelhash)) ?? null;

const hashesOf = (states: readonly DomainState[]): Hex[] => [
  ...new Set(states.flatMap(({ labelhash }) => labelhash ?? [])),
];
