import type { Layer } from "../../rules/powers.ts";
import type { PermissionKind } from "./permission.ts";

/** Ranks of the parts that exist once per layer. */
const byLayer = (first: number): Record<Layer, number> => ({
  registry: first,
  registry_old: first + 1,
  registrar: first + 2,
  wrapper: first + 3,
  token: first + 4,
  resolver: first + 5,
});

/** The rank of each part in the list of a name's permissions. Cursors contain these numbers, so they must not change. */
export const ranks = {
  fixed: 0,
  operators: byLayer(10),
  delegates: 20,
  roles: 30,
  rootRoles: 31,
  resolverRoles: 32,
  parentOperators: byLayer(40),
  parentRoles: 50,
};

const kinds = new Map<number, PermissionKind>([
  ...Object.values(ranks.operators).map((rank) => [rank, "operator"] as const),
  [ranks.delegates, "record_delegate"],
  [ranks.roles, "role"],
  [ranks.rootRoles, "root_role"],
  [ranks.resolverRoles, "root_role"],
  ...Object.values(ranks.parentOperators).map((rank) => [rank, "parent_operator"] as const),
  [ranks.parentRoles, "parent_role"],
]);

/** The kind of all permissions in a part; undefined for the fixed part, which is read at once. */
export const kindOfPart = (rank: number): PermissionKind | undefined => kinds.get(rank);
