import type { Hex } from "viem";
import type { Ensv2Contracts } from "../../../../abis/contracts.ts";
import type { Ctx } from "../../server/http/context.ts";
import { childCounts } from "../counts/childCounts.ts";
import { type Ensv2Entry, listMigrationOwners, listRoleHolders } from "../query/ensv2.ts";
import { startOf } from "../rules/ensv2Protocol.ts";
import type { DomainState } from "./domainState.ts";
import type { Ensv2Details } from "./ensv2/ensv2State.ts";
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

/** The parts of ENSv2 names to read. */
type Wanted = { holders: boolean; migration: boolean };

/** Reads the parts of ENSv2 names that domain records show besides the state. */
async function readDetails<State extends DomainState>(
  { db, contracts }: Ctx,
  states: readonly State[],
  wanted: Wanted,
): Promise<ReadonlyMap<State, Ensv2Details>> {
  const { ensv2, chainId } = contracts;
  if (ensv2 === undefined || !(wanted.holders || wanted.migration)) return new Map();
  const named = states.flatMap((state) => {
    const entry = state.ensv2?.protocol === "ensv2" ? state.ensv2.walk.entry : null;
    return entry
      ? [{ state, entry, migrated: wanted.migration ? migratedOf(state.node, entry, ensv2) : null }]
      : [];
  });
  const [holders, owners] = await Promise.all([
    wanted.holders ? listRoleHolders(db, { chainId, entries: withoutDoubles(named) }) : [],
    listMigrationOwners(db, {
      chainId,
      nonOwners: ensv2.nonOwners,
      names: named.flatMap(({ migrated }) => migrated ?? []),
    }),
  ]);
  const ownersOf = new Map(owners.map((one) => [one.node, one]));
  return new Map(
    named.map(({ state, entry, migrated }) => {
      const between = ownersOf.get(state.node);
      const isOfEntry = (one: Pick<Ensv2Entry, "registry" | "resource">) =>
        one.registry === entry.registry && one.resource === entry.resource;
      const migration = migrated && between ? { ...between, ...migrated } : null;
      return [state, { ...(wanted.holders && { holders: holders.filter(isOfEntry) }), migration }];
    }),
  );
}

/** A registry mounted at several names returns each entry several times; this keeps one. */
const withoutDoubles = (named: readonly { entry: Ensv2Entry }[]): Ensv2Entry[] => [
  ...new Map(named.map(({ entry }) => [`${entry.registry} ${entry.resource}`, entry])).values(),
];

/** When, and in which transaction, a name was migrated from ENSv1; null if it was not. */
function migratedOf(node: Hex, entry: Ensv2Entry, ensv2: Ensv2Contracts) {
  const start = isFromEnsv1(entry, ensv2) ? startOf(entry, "registered") : null;
  return start && { node, ...start };
}

/** A name was migrated from ENSv1 if a migration controller or its own wrapper registry registered it. */
const isFromEnsv1 = ({ registeredBy, registry }: Ensv2Entry, ensv2: Ensv2Contracts): boolean =>
  registeredBy !== null && (ensv2.migrationControllers.has(registeredBy) || registeredBy === registry);
