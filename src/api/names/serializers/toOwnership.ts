import type { Address } from "viem";
import type { z } from "zod";
import type { Contracts } from "../../../../abis/contracts.ts";
import { holds } from "../../../ens/condition.ts";
import type { DomainState } from "../resolution/domainState.ts";
import { type Ending, endOf, endOfDnsToken } from "../rules/ends.ts";
import { isTokenUnknown, lapsed, type OwnersNow } from "../rules/ownership.ts";
import type * as schemas from "../schemas/answers.ts";
import { toAddress } from "./hex.ts";
import { fuseNames } from "./toFuses.ts";

/** An ENSv2 entry with the largest time that its registry can store never ends. */
const NO_EXPIRY = 2n ** 64n - 1n;

/**
 * Owners by layer, without layers that have none. After the grace of a registrar's name, `owner` remains the last holder, with
 * `is_owner_current` false.
 */
export function toOwnership(
  state: DomainState,
  owners: OwnersNow,
  { now, contracts, graceEnd: end, isHeld }: OwnedAt,
): z.infer<typeof schemas.ownership> {
  // A lapsed name fell to the NameWrapper itself, so no account can use it.
  const dnsEnd = endOfDnsToken(state);
  const isDnsOver = dnsEnd !== null && dnsEnd <= now;
  const isCurrent = isHeld && !isDnsOver && !holds(lapsed, state, BigInt(now));
  const isOver = owners.owner !== null && end !== null && end <= now;
  // No log has the end of a grant by an earlier registrar, such as the auction registrar.
  const isUnregistered = owners.owner !== null && !isHeld && state.expiryTimestamp === null;
  // If the wrapper's token ends at the same second, the wrapper's contract decides, as in the history of owners.
  const isEndedByToken = state.isWrapped && endOf("wrapper_expiry", state) === end;
  const title = owners.owner && contracts.contractTitle(owners.owner.address, state.chainId);
  return {
    is_wrapped: owners.isWrapped,
    ...(owners.owner && { owner: toAddress(owners.owner.address), is_owner_current: isCurrent }),
    ...(title && { owner_title: title }),
    ...(state.registryOwner && { registry: toAddress(state.registryOwner) }),
    ...(state.registrarOwner && { registrar: toAddress(state.registrarOwner) }),
    ...(owners.isWrapped && state.wrapperOwner && { wrapper: toAddress(state.wrapperOwner) }),
    ...(isOver && {
      to_timestamp: Number(end),
      ended_by: isEndedByToken ? ("wrapper_expiry" as const) : ("grace_end" as const),
    }),
    ...(isUnregistered && { ended_by: "no_registration" as const }),
    ...(isUnregistered && owners.owner
      ? lastOwner(owners.owner.address, null, "no_registration")
      : lastOwnerOf(state, owners, { graceEnd: isOver ? end : null, dnsEnd: isDnsOver ? dnsEnd : null })),
  };
}

type OwnedAt = { now: number; contracts: Contracts; graceEnd: bigint | null; isHeld: boolean };

type Ownership = z.infer<typeof schemas.ownership>;

/** The last owner of a name that time alone took from every account, the second from which that holds, and its cause. */
function lastOwnerOf(
  state: DomainState,
  owners: OwnersNow,
  { graceEnd, dnsEnd }: Readonly<Record<"graceEnd" | "dnsEnd", bigint | null>>,
): Pick<Ownership, "last_owner"> {
  // No account can use a name that fell to the NameWrapper itself.
  const tokenEnd = state.wrapperOwner && !owners.isWrapped ? endOf("wrapper_expiry", state) : null;
  if (state.isWrapped && !isTokenUnknown(state) && state.wrapperOwner && tokenEnd !== null)
    return lastOwner(state.wrapperOwner, tokenEnd, "wrapper_expiry");
  if (graceEnd !== null && owners.owner) return lastOwner(owners.owner.address, graceEnd, "grace_end");
  if (dnsEnd !== null && owners.owner) return lastOwner(owners.owner.address, dnsEnd, "expiry");
  const { lastHolder } = state;
  return owners.owner === null && lastHolder ? lastOwner(lastHolder.address, lastHolder.until, "expiry") : {};
}

const lastOwner = (address: Address, until: bigint | null, ended_by: Ending) => ({
  last_owner: {
    address: toAddress(address),
    ...(until !== null && { to_timestamp: Number(until) }),
    ended_by,
  },
});

/** A state with its current owner. */
export function ownerOf(state: DomainState, { owner }: OwnersNow): DomainState {
  const effectiveOwnerAddress = owner?.address ?? null;
  return state.effectiveOwnerAddress === effectiveOwnerAddress ? state : { ...state, effectiveOwnerAddress };
}

/** True if an ENSv2 entry never ends. */
export const isEndless = ({ expiryTimestamp }: Pick<DomainState, "expiryTimestamp">): boolean =>
  expiryTimestamp !== null && expiryTimestamp >= NO_EXPIRY;

export function toWrapper(token: NonNullable<OwnersNow["wrapper"]>): z.infer<typeof schemas.wrapper> {
  return {
    fuses: token.fuses,
    expiry_timestamp: token.expiry.toString(),
    fuse_names: fuseNames(token.fuses),
    ...(token.isExpired && { expired: true as const }),
  };
}
