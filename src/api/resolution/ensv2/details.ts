import type { Hex } from "viem";
import type { Ensv2Contracts } from "../../../../abis/contracts.ts";
import type { Ctx } from "../../http/context.ts";
import { type Ensv2Entry, listMigrationOwners, listRoleHolders } from "../../query/ensv2.ts";
import type { FoundByNode } from "../found.ts";
import type { Ensv2Details } from "./state.ts";

/** Reads what domain records show of names of ENSv2 besides their state, by node. */
export async function readDetails(
  { db, contracts }: Ctx,
  found: FoundByNode,
): Promise<ReadonlyMap<Hex, Ensv2Details>> {
  const { ensv2, chainId } = contracts;
  if (ensv2 === undefined) return new Map();
  const named = [...found].flatMap(([node, { state }]) => {
    const entry = state.ensv2?.protocol === "ensv2" ? state.ensv2.walk.entry : null;
    return entry ? [{ node, entry, migrated: migratedOf(node, entry, ensv2) }] : [];
  });
  const [holders, owners] = await Promise.all([
    listRoleHolders(db, { chainId, entries: named.map(({ entry }) => entry) }),
    listMigrationOwners(db, {
      ...{ chainId, nonOwners: ensv2.nonOwners },
      names: named.flatMap(({ migrated }) => migrated ?? []),
    }),
  ]);
  const ownersOf = new Map(owners.map((one) => [one.node, one]));
  return new Map(
    named.map(({ node, entry, migrated }) => {
      const between = ownersOf.get(node);
      const isOfEntry = (one: Pick<Ensv2Entry, "registry" | "resource">) =>
        one.registry === entry.registry && one.resource === entry.resource;
      const migration = migrated && between ? { ...between, ...migrated } : null;
      return [node, { holders: holders.filter(isOfEntry), migration }];
    }),
  );
}

/** When and in which transaction a name came from ENSv1; null if it did not. */
function migratedOf(node: Hex, entry: Ensv2Entry, ensv2: Ensv2Contracts) {
  const { registeredBlockNumber, registeredTimestamp, registeredTransactionHash } = entry;
  if (!isFromEnsv1(entry, ensv2) || registeredBlockNumber === null || registeredTransactionHash === null)
    return null;
  return {
    ...{ node, blockNumber: registeredBlockNumber, timestamp: registeredTimestamp ?? 0 },
    transactionHash: registeredTransactionHash,
  };
}

/** A name came from ENSv1 if a migration controller registered it, or its wrapper registry itself. */
const isFromEnsv1 = ({ registeredBy, registry }: Ensv2Entry, ensv2: Ensv2Contracts): boolean =>
  registeredBy !== null && (ensv2.migrationControllers.has(registeredBy) || registeredBy === registry);
