import type { Address, Hex } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import { mapYielding } from "../../server/scheduling/turns.ts";
import { ancestorNodes, isEthSecondLevel, type ParsedName } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";
import { readEnsv2 } from "./ensv2/readEnsv2.ts";
import type { Found, FoundByNode, Requested } from "./found.ts";
import { includable, withIncluded } from "./included.ts";
import { readLabelSources } from "./labelSources.ts";
import { showProvenLabels } from "./provenLabels.ts";
import { readAnsweringRows, readMainRows, readRowsOfRecords } from "./rows.ts";

/** Everything that the index has of a requested name or node. */
export type Known = {
  requested: Requested;
  /** What answers for it; null if the index has nothing. */
  found: Found | null;
  /** Of a name that the index does not have: the resolvers above it. */
  resolversAbove: ResolversAbove;
};

/** Resolvers on the main chain of the names above a name, nearest first; null for those without. */
export type ResolversAbove = readonly (Address | null)[];

/** Reads everything that the index has of names and nodes, in their order. */
export const readKnown = async (ctx: Ctx, requested: readonly Requested[]): Promise<Known[]> =>
  completeKnown(ctx, requested, await readFound(ctx, requested));

/** What the index has of names and nodes, each in the state of what answers for it. */
export const readFound = async (ctx: Ctx, requested: readonly Requested[]): Promise<FoundByNode> =>
  readEnsv2(ctx, requested, await readAnsweringRows(ctx, requested));

/** The same, with the details of domain records where the rows' statement reads them. `withDetails` adds the others. */
export const readFoundForRecords = async (ctx: Ctx, requested: readonly Requested[]): Promise<FoundByNode> =>
  readEnsv2(ctx, requested, await readRowsOfRecords(ctx, requested));

/** What a registry has or had of a name; null if none has. */
export async function readStored(ctx: Ctx, name: ParsedName): Promise<DomainState | null> {
  const found = (await readFound(ctx, [name])).get(name.node);
  return found?.kind === "stored" ? found.state : null;
}

/** Adds to what was found the labels that callers proved, and what is above the names that were not found. */
export async function completeKnown(
  ctx: Ctx,
  requested: readonly Requested[],
  found: FoundByNode,
): Promise<Known[]> {
  const absent = requested.flatMap((one) =>
    "name" in one && !found.has(one.node) && !isEthSecondLevel(one) ? [one] : [],
  );
  const [shown, above] = await Promise.all([
    showProvenLabels(ctx, requested, found),
    readResolversAbove(ctx, absent),
  ]);
  return requested.map((one) => ({
    requested: one,
    found: shown.get(one.node) ?? null,
    resolversAbove: above.get(one) ?? [],
  }));
}

/** Adds what domain records show besides the state of a name. */
export async function withDetails(ctx: Ctx, found: FoundByNode): Promise<FoundByNode> {
  const states = [...found.values()].map(({ state }) => state);
  const [complete, sources] = await Promise.all([
    withIncluded(ctx, states, includable),
    readLabelSources(ctx, states),
  ]);
  return new Map(
    [...found].map(([node, one], i) => {
      const state = complete[i] ?? one.state;
      const labelSource = sources[i] ?? null;
      // Batches have thousands of states, of some thirty fields each: one that says so already is not copied.
      return [node, { ...one, state: state.labelSource === labelSource ? state : { ...state, labelSource } }];
    }),
  );
}

/** Reads the resolvers above names, for all together. Hashing many long names takes a while. */
export async function readResolversAbove(
  ctx: Ctx,
  names: readonly ParsedName[],
): Promise<ReadonlyMap<Requested, ResolversAbove>> {
  const ancestors: Hex[][] = await mapYielding(names, ({ name }) => ancestorNodes(name));
  const rows = await readMainRows(ctx, ancestors.flat());
  const resolverOf = (node: Hex) => rows.get(node)?.resolver ?? null;
  return new Map(names.map((name, i) => [name, (ancestors[i] ?? []).map(resolverOf)]));
}
