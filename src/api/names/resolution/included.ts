import type { Hex } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import { childCounts } from "../counts/childCounts.ts";
import type { DomainState } from "./domainState.ts";
import { readDetails } from "./ensv2/details.ts";
import { chainsOfChildren } from "./nameChains.ts";

/** Fields of list items that callers request by name, because each costs additional queries. */
export const includable = ["migration", "role_holder_count", "subname_count"] as const;

export type Includable = (typeof includable)[number];

/** Adds the requested fields to the names of a page, in their order. */
export async function withIncluded<State extends DomainState>(
  ctx: Ctx,
  states: readonly State[],
  include: readonly Includable[],
): Promise<State[]> {
  const isAsked = (word: Includable) => include.includes(word);
  const [details, counts] = await Promise.all([
    readDetails(ctx, states, { holders: isAsked("role_holder_count"), migration: isAsked("migration") }),
    isAsked("subname_count") ? readSubnameCounts(ctx, states.filter(isUncounted)) : undefined,
  ]);
  return states.map((state) => {
    const ofEnsv2 = details.get(state);
    const subnameCount = counts?.get(state);
    if (ofEnsv2 === undefined && subnameCount === undefined) return state;
    return {
      ...state,
      ...(ofEnsv2 && state.ensv2 && { ensv2: { ...state.ensv2, details: ofEnsv2 } }),
      ...(subnameCount !== undefined && { subnameCount }),
    };
  });
}

const isUncounted = ({ subnameCount }: DomainState): boolean => subnameCount === undefined;

/** Counts direct subnames, with the same totals as the lists of subnames. */
async function readSubnameCounts<State extends DomainState>(
  ctx: Ctx,
  states: readonly State[],
): Promise<ReadonlyMap<State, number>> {
  const parents = await Promise.all(
    states.map(async (state) => ({
      state,
      chains: await chainsOfChildren(ctx, { name: state.fullName, node: state.node }),
    })),
  );
  const byChains = [...Map.groupBy(parents, ({ chains }) => chains.ids.join()).values()];
  const counted = await Promise.all(
    byChains.map(async (some) => {
      const [{ chains }] = some as [(typeof some)[number]];
      const nodes = [...new Set<Hex>(some.map(({ state }) => state.node))];
      const counts = await childCounts.read(ctx.db, { chains, nodes });
      return some.map(({ state }) => [state, counts.get(state.node) ?? 0] as const);
    }),
  );
  return new Map(counted.flat());
}
