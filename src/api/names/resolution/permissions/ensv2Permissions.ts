import type { Address } from "viem";
import type { Ctx } from "../../../server/http/context.ts";
import { findRoles, rolesFor } from "../../query/approvals.ts";
import type { Ensv2Entry } from "../../query/ensv2.ts";
import { listOwnerEvents } from "../../query/ownerEvents.ts";
import { type ListPart, mapRows } from "../../query/parts.ts";
import {
  mayAsHolder,
  mayWithOwnRoles,
  mayWithRoles,
  mayWithRootRoles,
  ROLE_SET_SUBREGISTRY,
} from "../../rules/rolePowers.ts";
import type { DomainState } from "../domainState.ts";
import { listOperators, type OperatedOwner, type Permission, type Permissions } from "./permission.ts";
import { ranks } from "./ranks.ts";

/** The resource of roles for a whole contract. */
const ROOT = 0n;

/** The accounts that may change an ENSv2 name: through its entry, its parent, and its resolver. */
export async function permissionsInEnsv2(
  ctx: Ctx,
  { state, parent }: { state: DomainState; parent: DomainState | null },
): Promise<Permissions> {
  const entry = state.ensv2?.walk.entry ?? null;
  if (entry === null) return { fixed: [], parts: await parentOf(ctx, parent) };
  const [{ fixed, parts }, ofParent] = await Promise.all([
    holderOf(ctx, state, entry),
    parentOf(ctx, parent),
  ]);
  return { fixed, parts: [...parts, ...rolesOf(ctx, entry), ...resolverOf(ctx, state), ...ofParent] };
}

const isExpiredAt = ({ now }: Ctx, { expiry }: Ensv2Entry): boolean => expiry <= BigInt(now);

/** The token's holder, and the operators that act with the holder's roles. */
async function holderOf(ctx: Ctx, { node }: DomainState, entry: Ensv2Entry): Promise<Permissions> {
  const { chainId, registry, owner } = entry;
  if (owner === null) return { fixed: [], parts: [] };
  const isExpired = isExpiredAt(ctx, entry);
  const [roles, [event = null]] = await Promise.all([
    rolesOfHolder(ctx, entry, owner),
    listOwnerEvents(ctx.db, { chainId, owners: [{ node, column: "ownerAddress", owner }] }),
  ]);
  const ofHolder = mayAsHolder(roles, { isExpired });
  const holder: Permission = {
    kind: "owner",
    layer: "token",
    address: owner,
    contract: registry,
    event,
    may: ofHolder,
    ...inForceWhile(!isExpired || ofHolder.length > 0),
  };
  const operated: OperatedOwner = {
    rank: ranks.operators.token,
    kind: "operator",
    layer: "token",
    contract: registry,
    owner,
    may: mayWithRoles(roles, { isExpired }),
    ...inForceWhile(!isExpired),
  };
  return { fixed: [holder], parts: listOperators(ctx, chainId, [operated]) };
}

const inForceWhile = (inForce: boolean) => (inForce ? { inForce } : { inForce, reason: "expired" as const });

/** The effective roles of a token's holder: roles for the entry end with it, those for the whole registry stay. */
const rolesOfHolder = (ctx: Ctx, entry: Ensv2Entry, account: Address): Promise<bigint> => {
  const { chainId, registry: contract, resource } = entry;
  const resources = resource === null || isExpiredAt(ctx, entry) ? [ROOT] : [ROOT, resource];
  return findRoles(ctx.db, { chainId, contract, account, resources });
};

/** Accounts with roles in a contract. @param toPower what the roles of one account mean */
const listRoles = (
  { db }: Ctx,
  { rank, ...of }: Parameters<typeof rolesFor>[2] & { rank: number },
  toPower: (roles: bigint) => Pick<Permission, "kind" | "layer" | "may"> & Partial<Permission>,
): ListPart<Permission> =>
  mapRows(rolesFor(db, rank, of), ({ account, contract, roles, ...event }) => ({
    address: account,
    contract,
    roles,
    event,
    inForce: true,
    ...toPower(roles),
  }));

/** Accounts with roles for the entry, and for its whole registry. */
function rolesOf(ctx: Ctx, entry: Ensv2Entry): ListPart<Permission>[] {
  const { chainId, registry: contract, resource } = entry;
  const isExpired = isExpiredAt(ctx, entry);
  const ofRegistry = listRoles(
    ctx,
    { rank: ranks.rootRoles, chainId, contract, resources: [ROOT] },
    (roles) => ({ kind: "root_role", layer: "token", may: mayWithRootRoles(roles, { isExpired }) }),
  );
  if (resource === null) return [ofRegistry];
  const ofEntry = listRoles(
    ctx,
    { rank: ranks.roles, chainId, contract, resources: [resource] },
    (roles) => ({
      kind: "role",
      layer: "token",
      may: mayWithOwnRoles(roles, { isExpired }),
      ...inForceWhile(!isExpired),
    }),
  );
  return [ofEntry, ofRegistry];
}

/** Accounts with roles for a whole ENSv2 resolver. The actions that each of its roles allows are not known here. */
function resolverOf(ctx: Ctx, { chainId, resolver, ensv2 }: DomainState): ListPart<Permission>[] {
  if (resolver === null || ensv2?.walk.resolver?.isKnown !== true) return [];
  const of = { rank: ranks.resolverRoles, chainId, contract: resolver, resources: [ROOT] };
  return [listRoles(ctx, of, () => ({ kind: "root_role", layer: "resolver", may: [] }))];
}

/** Accounts that may replace the registry that contains the name. */
async function parentOf(ctx: Ctx, parent: DomainState | null): Promise<ListPart<Permission>[]> {
  const entry = parent?.ensv2?.walk.entry ?? null;
  if (entry === null || isExpiredAt(ctx, entry)) return [];
  const { chainId, registry: contract, resource } = entry;
  const resources = resource === null ? [ROOT] : [ROOT, resource];
  const of = { rank: ranks.parentRoles, chainId, contract, resources, bit: ROLE_SET_SUBREGISTRY };
  const roles = listRoles(ctx, of, () => ({ kind: "parent_role", layer: "token", may: ["replace"] }));
  return [...(await parentOperatorsOf(ctx, entry)), roles];
}

/** Operators of the entry's holder, if the holder may set its registry. */
async function parentOperatorsOf(ctx: Ctx, entry: Ensv2Entry): Promise<ListPart<Permission>[]> {
  const { chainId, registry: contract, owner } = entry;
  if (owner === null) return [];
  const may = mayWithRoles(await rolesOfHolder(ctx, entry, owner), { isExpired: false });
  if (!may.includes("set_subregistry")) return [];
  const operated: OperatedOwner = {
    rank: ranks.parentOperators.token,
    kind: "parent_operator",
    layer: "token",
    contract,
    owner,
    may: ["replace"],
    inForce: true,
  };
  return listOperators(ctx, chainId, [operated]);
}
