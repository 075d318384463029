import type { Address, Hex } from "viem";
import { childNode } from "../../../ens/name.ts";
import type { Ctx } from "../../server/http/context.ts";
import { mapYielding } from "../../server/scheduling/turns.ts";
import type { Ensv2Entry } from "../query/ensv2.ts";
import { ancestorNodes, isEthSecondLevel, type ParsedName } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";
import { readEnsv2 } from "./ensv2/readEnsv2.ts";
import { includable, withIncluded } from "./included.ts";
import type { IndexedName, IndexedNames, Requested } from "./indexedName.ts";
import { readAnsweringRows, readMainRows, readRowsOfRecords } from "./indexedRows.ts";
import { readLabelSources } from "./labelSources.ts";
import { showProvenLabels } from "./shownTexts.ts";

/** Everything in the index about a requested name or node. */
export type NameFacts = {
  requested: Requested;
  /** Null if the index has nothing. */
  indexed: IndexedName | null;
  /** For a name that is not indexed: the resolvers above it. */
  resolversAbove: ResolversAbove;
};

/** Resolvers of a name's ancestors on the main chain, nearest first; null for those without. */
export type ResolversAbove = readonly (Address | null)[];

/** `details`: also reads the parts that a domain record shows besides the state. */
export type FactsOptions = { details?: boolean };

/** Reads names and nodes from the index. */
export async function readIndexed(
  ctx: Ctx,
  requested: readonly Requested[],
  { details = false }: FactsOptions = {},
): Promise<IndexedNames> {
  const rows = await (details ? readRowsOfRecords : readAnsweringRows)(ctx, requested);
  const names = await readEnsv2(ctx, requested, rows);
  return details ? addDetails(ctx, names) : names;
}

/** Reads all facts about names and nodes, in their order. */
export const readFacts = async (
  ctx: Ctx,
  requested: readonly Requested[],
  options?: FactsOptions,
): Promise<NameFacts[]> => completeFacts(ctx, requested, await readIndexed(ctx, requested, options));

/** Adds labels proven by callers, and the resolvers above names that are not indexed. */
export async function completeFacts(
  ctx: Ctx,
  requested: readonly Requested[],
  names: IndexedNames,
): Promise<NameFacts[]> {
  const absent = requested.flatMap((one) =>
    "name" in one && !names.has(one.node) && !isEthSecondLevel(one) ? [one] : [],
  );
  const [shown, above] = await Promise.all([
    showProvenLabels(ctx, requested, names),
    readResolversAbove(ctx, absent),
  ]);
  return requested.map((one) => ({
    requested: one,
    indexed: shown.get(one.node) ?? null,
    resolversAbove: above.get(one) ?? [],
  }));
}

/** Adds the parts that domain records show besides a name's state. */
export async function addDetails(ctx: Ctx, names: IndexedNames): Promise<IndexedNames> {
  const states = [...names.values()].map(({ state }) => state);
  const [complete, sources] = await Promise.all([
    withIncluded(ctx, states, includable),
    readLabelSources(ctx, states),
  ]);
  return new Map(
    [...names].map(([node, name], i) => {
      const state = { ...(complete[i] ?? name.state), labelSource: sources[i] ?? null };
      return [node, { ...name, state }];
    }),
  );
}

/** Reads the resolvers above names. Hashing many long names takes a while. */
export async function readResolversAbove(
  ctx: Ctx,
  names: readonly ParsedName[],
): Promise<ReadonlyMap<Requested, ResolversAbove>> {
  const ancestors: Hex[][] = await mapYielding(names, ({ name }) => ancestorNodes(name));
  const rows = await readMainRows(ctx, ancestors.flat());
  const resolverOf = (node: Hex) => rows.get(node)?.resolver ?? null;
  return new Map(names.map((name, i) => [name, (ancestors[i] ?? []).map(resolverOf)]));
}

/**
 * The current states of entries' names, below a name at which their registry is mounted. If the path from the root no longer
 * leads to an entry, it is left out: it says nothing about the name.
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
