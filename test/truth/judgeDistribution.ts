import { type Hex, zeroHash } from "viem";
import { ETH_NODE } from "../../devnet/acts/names.ts";
import type { Judge } from "./judge.ts";
import type { NameNow } from "./namesNow.ts";

const MAX_PARENTS = 100;

/** The distribution of names over lengths, top-level domains and parents, counted one by one. */
export async function judgeDistribution({ getFresh, same }: Judge, all: Map<Hex, NameNow>): Promise<void> {
  const names = [...all.values()].filter(({ isCounted, parent }) => isCounted && parent !== null);
  const active = names.filter(({ isActive, owner }) => isActive && owner !== null);
  const answer = await getFresh("/ens-stats/distribution");
  if (answer === null) return;
  const underEth = active.filter(({ parent }) => parent === ETH_NODE);
  same("eth_label_length", answer.eth_label_length, lengthsOf(underEth));
  same("all_label_length", answer.all_label_length, lengthsOf(active));
  const isTopLevel = (node: Hex | null) => node !== null && all.get(node)?.parent === zeroHash;
  same(
    "by_tld",
    answer.by_tld,
    topLevelsOf(
      names.filter(({ parent }) => isTopLevel(parent)),
      { active, all },
    ),
  );
  const subnames = active.filter(({ parent }) => parent !== zeroHash && !isTopLevel(parent));
  same("by_subname_parent", answer.by_subname_parent, parentsOf(subnames, all));
}

function lengthsOf(names: readonly NameNow[]) {
  const lengths = names.flatMap(({ length }) => length ?? []);
  return [...countEach(lengths)]
    .sort(([a], [b]) => a - b)
    .map(([length, count]) => {
      return { length, count, percentage: Math.round((count * 10_000) / lengths.length) / 100 };
    });
}

/** Names right under each TLD: active ones for .eth, all that ever existed for others. */
function topLevelsOf(
  children: readonly NameNow[],
  { active, all }: { active: readonly NameNow[]; all: Map<Hex, NameNow> },
) {
  return [...countEach(children.map(({ parent }) => parent as Hex))]
    .map(([node, count]) => {
      const tld = all.get(node)?.fullName ?? "";
      if (node !== ETH_NODE) return { tld, count, note: "all_time" };
      return { tld, count: active.filter(({ parent }) => parent === node).length, note: "active" };
    })
    .sort((a, b) => b.count - a.count || (a.tld < b.tld ? -1 : 1));
}

function parentsOf(subnames: readonly NameNow[], all: Map<Hex, NameNow>) {
  return [...countEach(subnames.map(({ parent }) => parent as Hex))]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, MAX_PARENTS)
    .flatMap(([node, count]) => ({ parent: all.get(node)?.fullName ?? "", count }))
    .sort((a, b) => b.count - a.count || (a.parent < b.parent ? -1 : 1));
}

function countEach<T>(items: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
