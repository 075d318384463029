import type { Address, Hex } from "viem";
import type { LogPlace } from "../../query/ownerEvents.ts";
import type { ListPart } from "../../query/parts.ts";
import type { Action, Layer, Reason } from "../../rules/powers.ts";
import type { permissionKinds } from "../../schemas/answers.ts";

export type PermissionKind = (typeof permissionKinds)[number];

/** What one account may do with a name in one contract, and who gave it. */
export type Permission = {
  kind: PermissionKind;
  layer: Layer;
  address: Address;
  contract: Address;
  may: readonly Action[];
  /** Null: not known. */
  inForce: boolean | null;
  reason?: Reason | undefined;
  /** ENSv2: the roles of the account. */
  roles?: bigint;
  /** Who let the account act; absent for owners and roles. */
  givenBy?: Address;
  /** The log that gave it; null where none did. */
  event: LogPlace | null;
};

/** All permissions over a name: those that are few, and those that can be as many as strangers like. */
export type Permissions = { fixed: readonly Permission[]; parts: readonly ListPart<Permission>[] };

/** The name above, and what its owners may do with the name. */
export type ParentPower = {
  name: string;
  node: Hex;
  may: readonly Action[];
  /** Until when the parent gave up control of the name, in unix seconds; null if it has not. */
  cannotControlUntil: bigint | null;
};
