import type { Ctx } from "../../http/context.ts";
import { findRoles, type OperatorRow, operatorsIn, type RoleRow, rolesFor } from "../../query/approvals.ts";
import type { Ensv2Entry } from "../../query/ensv2.ts";
import { listOwnerEvents } from "../../query/ownerEvents.ts";
import { type ListPart, mapPart } from "../../query/sections.ts";
import {
  mayAsHolder,
  mayWithOwnRoles,
  mayWithRoles,
  mayWithRootRoles,
  ROLE_SET_SUBREGISTRY,
} from "../../rules/rolePowers.ts";
import type { DomainState } from "../domainState.ts";
import type { Permission, Permissions } from "./permission.ts";
import { ranks } from "./ranks.ts";

/** Roles for all of a contract. */
const ROOT = 0n;

/** Who may change a name of ENSv2: by its entry, by the one above, and by its resolver. */
export async function permissionsInEnsv2(
  ctx: Ctx,
  { state, parent }: { state: DomainState; parent: DomainState | null },
): Promise<Permissions> {
  const entry = state.ensv2?.walk.entry ?? null;
  if (entry === null) return { fixed: [], parts: parentOf(ctx, parent) };
  const { fixed, parts } = await holderOf(ctx, state, entry);
  const others = [...rolesOf(ctx, entry), ...resolverOf(ctx, state), ...parentOf(ctx, parent)];
  return { fixed, parts: [...parts, ...others] };
}

const isExpiredAt = ({ now }: Ctx, { expiry }: Ensv2Entry): boolean => expiry <= BigInt(now);

/** The holder of the token, and the operators that act with the holder's roles. */
async function holderOf(ctx: Ctx, { node }: DomainState, entry: Ensv2Entry): Promise<Permissions> {
  const { chainId, registry, owner, resource } = entry;
  if (owner === null) return { fixed: [], parts: [] };
  const isExpired = isExpiredAt(ctx, entry);
  const [roles, [event = null]] = await Promise.all([
    findRoles(ctx.db, { chainId, contract: registry, account: owner, resources: [ROOT, resource ?? ROOT] }),
    listOwnerEvents(ctx.db, { chainId, owners: [{ node, column: "ownerAddress", owner }] }),
  ]);
  const inForce = { inForce: !isExpired, ...(isExpired && { reason: "expired" as const }) };
  const holder: Permission = {
    ...{ kind: "owner", layer: "token", address: owner, contract: registry, event },
    ...{ may: mayAsHolder(roles, { isExpired }), ...inForce },
  };
  const operators = operatorsIn(ctx.db, chainId, [
    { rank: ranks.operators.token, contract: registry, owner },
  ]);
  const may = mayWithRoles(roles, { isExpired });
  const toPermission = (one: OperatorRow): Permission => ({
    ...{ kind: "operator", layer: "token", contract: registry, address: one.operator, givenBy: owner },
    ...{ event: one, may, ...inForce },
  });
  return { fixed: [holder], parts: operators.map((part) => mapPart(part, (rows) => rows.map(toPermission))) };
}

const roleOf = (
  { account, contract, roles, ...event }: RoleRow,
  what: Pick<Permission, "kind" | "layer" | "may">,
): Permission => ({ ...what, address: account, contract, roles, event, inForce: true });

/** Who has roles for the entry, and for all of its registry. */
function rolesOf(ctx: Ctx, entry: Ensv2Entry): ListPart<Permission>[] {
  const { chainId, registry: contract, resource } = entry;
  const isExpired = isExpiredAt(ctx, entry);
  const ofEntry =
    resource === null ? [] : [rolesFor(ctx.db, ranks.roles, { chainId, contract, resources: [resource] })];
  const ofRegistry = rolesFor(ctx.db, ranks.rootRoles, { chainId, contract, resources: [ROOT] });
  return [
    ...ofEntry.map((part) =>
      mapPart(part, (rows) =>
        rows.map((one): Permission => {
          const may = mayWithOwnRoles(one.roles, { isExpired });
          const role = roleOf(one, { kind: "role", layer: "token", may });
          return isExpired ? { ...role, inForce: false, reason: "expired" } : role;
        }),
      ),
    ),
    mapPart(ofRegistry, (rows) =>
      rows.map((one) => {
        const may = mayWithRootRoles(one.roles, { isExpired });
        return roleOf(one, { kind: "root_role", layer: "token", may });
      }),
    ),
  ];
}

/** Who has roles for all of a resolver of ENSv2. What each of its roles lets do is not known here. */
function resolverOf(ctx: Ctx, { chainId, resolver, ensv2 }: DomainState): ListPart<Permission>[] {
  if (resolver === null || ensv2?.walk.resolver?.isKnown !== true) return [];
  const found = rolesFor(ctx.db, ranks.resolverRoles, { chainId, contract: resolver, resources: [ROOT] });
  return [
    mapPart(found, (rows) =>
      rows.map((one) => roleOf(one, { kind: "root_role", layer: "resolver", may: [] })),
    ),
  ];
}

/** Who may put another registry in the place of the one that has the name. */
function parentOf(ctx: Ctx, parent: DomainState | null): ListPart<Permission>[] {
  const entry = parent?.ensv2?.walk.entry ?? null;
  if (entry === null || isExpiredAt(ctx, entry)) return [];
  const { chainId, registry: contract, resource } = entry;
  const resources = resource === null ? [ROOT] : [ROOT, resource];
  const found = rolesFor(ctx.db, ranks.parentRoles, {
    ...{ chainId, contract, resources, bit: ROLE_SET_SUBREGISTRY },
  });
  return [
    mapPart(found, (rows) =>
      rows.map((one) => roleOf(one, { kind: "parent_role", layer: "token", may: ["replace"] })),
    ),
  ];
}
