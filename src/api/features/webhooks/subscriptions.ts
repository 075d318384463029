import { type ChangeFilters, isWanted } from "../feed/filters.ts";
import type { ChangeRow } from "../feed/rows.ts";

/** What a webhook wants. */
export type Subscription = {
  id: number;
  keyId: number;
  /** `final`: a change comes when its block is final. */
  timing: "instant" | "final";
  filters: ChangeFilters;
};

/** Finds the webhooks that want a change. */
export type Subscriptions = {
  /** Whether there are any, and any that wait for final blocks. */
  size: number;
  hasFinal: boolean;
  wanting: (row: ChangeRow, timing: Subscription["timing"]) => Subscription[];
};

/**
 * Each subscription stands under the narrowest of its filters. A change is looked up by each value that it has, so what it
 * costs grows with those that want it, not with all there are.
 */
export function indexSubscriptions(all: readonly Subscription[]): Subscriptions {
  const byKey = new Map<string, Subscription[]>();
  for (const one of all) {
    for (const key of keysOf(one.filters)) {
      const list = byKey.get(key);
      if (list) list.push(one);
      else byKey.set(key, [one]);
    }
  }
  return {
    size: all.length,
    hasFinal: all.some(({ timing }) => timing === "final"),
    wanting: (row, timing) =>
      lookupKeysOf(row).flatMap((key) =>
        (byKey.get(key) ?? []).filter((one) => one.timing === timing && isWanted(row, one.filters)),
      ),
  };
}

const ALL = "all";

/** Where a subscription stands: in one place, or under each of its types. */
function keysOf({ node, subtree, address, resolver, types }: ChangeFilters): string[] {
  if (node !== undefined) return [`node ${node}`];
  if (address !== undefined) return [`address ${address}`];
  if (subtree !== undefined) return [`subtree ${subtree}`];
  if (resolver !== undefined) return [`resolver ${resolver}`];
  return types === undefined ? [ALL] : [...new Set(types)].map((type) => `type ${type}`);
}

/** Where those stand that may want a change; each of them once. */
function lookupKeysOf({ node, name, addresses, resolver, type }: ChangeRow): string[] {
  return [
    ...(node === null ? [] : [`node ${node}`]),
    ...[...new Set(addresses)].map((address) => `address ${address}`),
    ...(name === null ? [] : suffixesOf(name).map((suffix) => `subtree ${suffix}`)),
    ...(resolver === null ? [] : [`resolver ${resolver}`]),
    `type ${type}`,
    ALL,
  ];
}

/** The name and all above it: `pay.alice.eth`, `alice.eth`, `eth`. */
function suffixesOf(name: string): string[] {
  const suffixes = [name];
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1))
    suffixes.push(name.slice(dot + 1));
  return suffixes;
}
