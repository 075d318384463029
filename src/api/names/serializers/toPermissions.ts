import type { z } from "zod";
import type { Contracts } from "../../../../abis/contracts.ts";
import { fusesAt } from "../../../ens/wrapper.ts";
import type { LogPlace } from "../query/ownerEvents.ts";
import type { DomainState } from "../resolution/domainState.ts";
import type { Grant } from "../resolution/permissions/ofAddress.ts";
import type { ParentPower, Permission } from "../resolution/permissions/permission.ts";
import type * as schemas from "../schemas/answers.ts";
import { type Surface, surfaces } from "../schemas/answers.ts";
import { toAddress, toHappened } from "./hex.ts";
import { titleField } from "./toDomain.ts";
import { fuseNames } from "./toFuses.ts";
import type { PeriodContext } from "./toHistory.ts";
import { roleNames } from "./toRoles.ts";

const eventFields = (event: LogPlace | null) => event && { ...toHappened(event), log_index: event.logIndex };

const stateFields = ({ inForce, reason, roles }: Pick<Permission, "inForce" | "reason" | "roles">) => ({
  in_force: inForce,
  ...(reason && { reason }),
  ...(roles !== undefined && { roles: roleNames(roles) }),
});

/** What an account may do with a name. */
export const toPermission = (
  one: Permission,
  { chainId, contracts }: PeriodContext,
): z.infer<typeof schemas.permission> => ({
  address: toAddress(one.address),
  ...titleField(one.address, chainId, contracts),
  kind: one.kind,
  layer: one.layer,
  contract_address: toAddress(one.contract),
  may: [...one.may],
  ...stateFields(one),
  ...(one.givenBy && { given_by: toAddress(one.givenBy) }),
  ...eventFields(one.event),
});

/** A permission that an address got from another, or gave to one. */
export const toGrant = (one: Grant, contracts: Contracts): z.infer<typeof schemas.grant> => ({
  kind: one.kind,
  layer: one.layer,
  chain: contracts.chainName(one.chainId),
  contract_address: toAddress(one.contract),
  address: toAddress(one.address),
  ...(one.owner && { owner: toAddress(one.owner) }),
  ...(one.name?.fullName && { name: one.name.fullName }),
  ...(one.name?.node && { namehash: one.name.node }),
  ...stateFields(one),
  ...eventFields(one.event),
});

export const toNotCovered = (found: readonly Surface[]): z.infer<typeof schemas.notCovered> =>
  found.map((surface) => ({ surface, description: surfaces[surface] }));

export const toParentPower = (parent: ParentPower | null): z.infer<typeof schemas.parentPower> =>
  parent && {
    name: parent.name,
    namehash: parent.node,
    may: [...parent.may],
    ...(parent.cannotControlUntil !== null && { cannot_control_until: parent.cannotControlUntil.toString() }),
  };

/** What each fuse forbids. Source: ens-contracts, contracts/wrapper/README.md. */
const forbidden: Readonly<Record<string, string>> = {
  CANNOT_UNWRAP: "unwrap the name",
  CANNOT_BURN_FUSES: "burn more fuses",
  CANNOT_TRANSFER: "transfer the token",
  CANNOT_SET_RESOLVER: "set the resolver",
  CANNOT_SET_TTL: "set the time to live",
  CANNOT_CREATE_SUBDOMAIN: "make subnames",
  CANNOT_APPROVE: "change who is approved for the token",
  PARENT_CANNOT_CONTROL: "take the name away, or burn its fuses, as the parent",
};

/** The fuses burnt now, and the actions they rule out; undefined if none is burnt. */
export function toBurntFuses(state: DomainState, now: number): z.infer<typeof schemas.burntFuses> {
  const { wrapperFuses, wrapperExpiryTimestamp, isWrapped } = state;
  if (!isWrapped || wrapperFuses === null || wrapperExpiryTimestamp === null) return undefined;
  const burnt = fuseNames(fusesAt({ wrapperFuses, wrapperExpiryTimestamp }, BigInt(now)));
  if (burnt.length === 0) return undefined;
  return {
    burnt,
    until: wrapperExpiryTimestamp.toString(),
    can_no_more: burnt.flatMap((fuse) => forbidden[fuse] ?? []),
  };
}
