import type { Hex } from "viem";
import type { Ensv2Contracts } from "../../../../../abis/contracts.ts";
import type { Ctx } from "../../../server/http/context.ts";
import { type Ensv2Entry, listMigrationOwners, listRoleHolders } from "../../query/ensv2.ts";
import { startOf } from "../../rules/ensv2Protocol.ts";
import type { DomainState } from "../domainState.ts";
import type { Ensv2Details } from "./ensv2State.ts";

/** The parts of ENSv2 names to read. */
type Wanted = { holders: boolean; migration: boolean };

/** Reads the parts of ENSv2 names that domain records show besides the state. */
export async function readDetails<State extends DomainState>(
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
