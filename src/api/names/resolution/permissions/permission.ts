import type { Address, Hex } from "viem";
import type { Ctx } from "../../../server/http/context.ts";
import { type OperatorsOf, operatorsIn } from "../../query/approvals.ts";
import type { LogPlace } from "../../query/ownerEvents.ts";
import { type ListPart, mapRows } from "../../query/parts.ts";
import type { Action, Layer, Reason } from "../../rules/powers.ts";
import type { permissionKinds } from "../../schemas/answers.ts";

export type PermissionKind = (typeof permissionKinds)[number];

/** The actions that an account may take on a name in one contract, and the account that allowed them. */
export type Permission = {
  kind: PermissionKind;
  layer: Layer;
  address: Address;
  contract: Address;
  may: readonly Action[];
  /** Null if unknown. */
  inForce: boolean | null;
  reason?: Reason | undefined;
  /** ENSv2: the roles of the account. */
  roles?: bigint;
  /** The account that gave the permission; absent for owners and roles. */
  givenBy?: Address;
  /** The log that gave it; null if none did. */
  event: LogPlace | null;
};

/** All permissions over a name: the few fixed ones, and those of which strangers can create any number. */
export type Permissions = { fixed: readonly Permission[]; parts: readonly ListPart<Permission>[] };

/** The parent, and what its owners may do with the name. */
export type ParentPower = {
  name: string;
  node: Hex;
  may: readonly Action[];
  /** Until when the parent gave up control of the name, in Unix seconds; null if it has not. */
  cannotControlUntil: bigint | null;
};

/** An owner in a contract, and what the owner's operators may do there. */
export type OperatedOwner = OperatorsOf & Pick<Permission, "kind" | "layer" | "may" | "inForce" | "reason">;

/** The operators of owners, one part for each owner. */
export const listOperators = (
  { db }: Ctx,
  chainId: number,
  owners: readonly OperatedOwner[],
): ListPart<Permission>[] =>
  operatorsIn(db, chainId, owners).map((part, i) => {
    const { rank: _, owner: givenBy, ...power } = owners[i] as OperatedOwner;
    return mapRows(part, (row) => ({ ...power, address: row.operator, givenBy, event: row }));
  });
