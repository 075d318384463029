import { type Address, zeroAddress } from "viem";
import { holds } from "../../../ens/condition.ts";
import { storageIdOf } from "../../../ens/ensv2.ts";
import type { Ctx } from "../../server/http/context.ts";
import {
  type AccountOfEntry,
  type AddressOfName,
  listNamedOn,
  listRolesHeld,
} from "../query/addresses/addressesNamed.ts";
import type { DomainRow } from "../query/domains.ts";
import { asLife } from "../rules/availability.ts";
import { lifeOf } from "../rules/life.ts";
import { isTokenUnknown, ownersAt } from "../rules/ownership.ts";
import { type Relation, relations } from "../rules/relations.ts";
import type { DomainState } from "./domainState.ts";

/** A name in an address's list: its row, and its current state. */
export type ListedName = { address: Address; row: DomainRow; state: DomainState };

/**
 * Reads the relations of addresses to the names in their lists, by the rules that select the lists: an ENSv2 name by its entry,
 * even after the expiry, any other name by its row.
 */
export async function readRelations(
  { db, contracts, now }: Ctx,
  names: readonly ListedName[],
): Promise<Map<ListedName, Relation[]>> {
  const { chainId } = contracts;
  const pairs = names.flatMap((name) => pairOf(name) ?? []);
  const [roles, named] = await Promise.all([
    listRolesHeld(db, { chainId, pairs }),
    listNamedOn(
      db,
      names.map(({ address, row }) => ({ address, chainId: row.chainId, node: row.node })),
    ),
  ]);
  const withRoles = new Set(roles.map(keyOfEntry));
  const withName = new Set(named.map(keyOfName));
  const rules = lifeOf(contracts.ensv2);
  return new Map(
    names.map((name): [ListedName, Relation[]] => {
      const { address, row, state } = name;
      const owner = ownerIn(name, now);
      const life = entryOf(state) === null ? row : state;
      const isLost = holds(rules.lost, { ...asLife(life), isUnseen: state.isUnseen ?? false }, BigInt(now));
      const pair = pairOf(name);
      const wasNamed = withName.has(keyOfName({ address, chainId: row.chainId, node: row.node }));
      const is: Record<Relation, boolean> = {
        ...ofRow(name, now),
        effective_owner: owner === address,
        role_holder: pair !== null && withRoles.has(keyOfEntry(pair)),
        former_owner: wasNamed && (owner !== address || isLost),
      };
      return [name, relations.filter((relation) => is[relation])];
    }),
  );
}

const keyOfEntry = ({ account, registry, storageId }: AccountOfEntry) =>
  `${account} ${registry} ${storageId}`;
const keyOfName = ({ address, chainId, node }: AddressOfName) => `${address} ${chainId} ${node}`;

/** The entry that controls an ENSv2 name. */
const entryOf = ({ ensv2 }: DomainState) => (ensv2?.protocol === "ensv2" ? ensv2.walk.entry : null);

/** An address, and the entry that controls a name, or that did so until the path to it expired. */
function pairOf({ address: account, row, state }: ListedName): AccountOfEntry | null {
  const entry = entryOf(state);
  if (entry !== null) return { account, registry: entry.registry, storageId: entry.storageId };
  const { registry, labelhash } = row;
  return registry && labelhash ? { account, registry, storageId: storageIdOf(labelhash) } : null;
}

/** The owner by whom lists find a name: in ENSv2 the holder in its entry, or in its row if the path to it expired. */
function ownerIn({ row, state }: ListedName, now: number): Address | null {
  const entry = entryOf(state);
  if (entry !== null) return entry.owner;
  if (state.ensv2?.protocol !== "ensv2") return ownersAt(row, now).owner?.address ?? null;
  return row.registry !== null && row.registry !== zeroAddress ? row.effectiveOwnerAddress : null;
}

/** Relations by the row's ENSv1 columns, which are history if ENSv2 controls the name. */
function ofRow({ address, row, state }: ListedName, now: number) {
  const { isWrapped } = ownersAt(row, now);
  const isEnsv2 = state.ensv2?.protocol === "ensv2" || row.registry !== null;
  const holder = isWrapped ? row.wrapperOwner : isTokenUnknown(row) ? null : row.registryOwner;
  const resolver = entryOf(state) === null ? row.resolver : (entryOf(state)?.resolver ?? null);
  return {
    registry_owner: row.registryOwner === address,
    registrar_owner: row.registrarOwner === address,
    wrapper_owner: isWrapped && row.wrapperOwner === address,
    resolver: resolver === address,
    manager: !isEnsv2 && holder === address,
  };
}
