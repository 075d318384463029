import type { Context } from "ponder:registry";
import { domain, ownershipChange, resolverChange } from "ponder:schema";
import type { Hex } from "viem";
import { ETH_NODE } from "../../ens/name.ts";
import { effectiveOwner, isWrapped } from "../../ens/owner.ts";
import type { Cause } from "./cause.ts";
import { addressesOf } from "./contracts.ts";
import { nameNewDomain, namingWithoutParent } from "./names.ts";

/** A domain as stored. */
export type Domain = typeof domain.$inferSelect;

/** What a contract's log can say of a domain; all else follows from it. */
export type DomainPatch = Partial<
  Pick<
    Domain,
    | "registryOwner"
    | "isMigrated"
    | "resolver"
    | "registrarOwner"
    | "registrarExpiryTimestamp"
    | "wrapperOwner"
    | "wrapperFuses"
    | "wrapperExpiryTimestamp"
  >
>;

/** Where a node stands in the tree, as far as the log tells. */
export type Place = { node: Hex; parentNode?: Hex; labelhash?: Hex };

/** Place of a .eth second-level name. */
export const ethName = (node: Hex, labelhash: Hex): Required<Place> => ({
  node,
  parentNode: ETH_NODE,
  labelhash,
});

/**
 * Applies what a log says to its domain, which is made if it is new, and derives the rest: whether it is wrapped, who
 * owns it, when it ends. Writes: domains, ownership_changes, resolver_changes, and what naming needs.
 *
 * @returns the domain before (null if new) and after
 */
export async function patchDomain(
  context: Context,
  cause: Cause,
  place: Place,
  patch: (before: Domain) => DomainPatch,
): Promise<{ before: Domain | null; after: Domain }> {
  const { chainId } = cause;
  const before = await context.db.find(domain, { chainId, node: place.node });
  const base = await placed(context, before ?? blankDomain(cause, place.node), place);
  const after = derive(context, { ...base, ...patch(base) });
  if (before === null) await context.db.insert(domain).values(after);
  else {
    const { chainId: _chain, node: _node, ...columns } = after;
    await context.db.update(domain, { chainId, node: place.node }).set(columns);
  }
  await noteOwnershipChange(context, cause, base, after);
  if (base.resolver !== after.resolver) await noteResolverChange(context, cause, after);
  return { before, after };
}

const blankDomain = (cause: Cause, node: Hex): Domain => ({
  chainId: cause.chainId,
  node,
  parentNode: null,
  labelhash: null,
  ...namingWithoutParent(node),
  registryOwner: null,
  isMigrated: false,
  resolver: null,
  registrarOwner: null,
  registrarExpiryTimestamp: null,
  wrapperOwner: null,
  wrapperFuses: null,
  wrapperExpiryTimestamp: null,
  isWrapped: false,
  expiryTimestamp: null,
  effectiveOwnerAddress: null,
  createdBlockNumber: cause.blockNumber,
  createdTimestamp: cause.blockTimestamp,
});

/** Gives a domain its place and name, once a log tells them. */
async function placed(context: Context, row: Domain, place: Place): Promise<Domain> {
  const { node, parentNode, labelhash } = place;
  if (row.parentNode !== null || parentNode === undefined || labelhash === undefined) return row;
  return { ...row, parentNode, labelhash, ...(await nameNewDomain(context, node, parentNode, labelhash)) };
}

function derive(context: Context, row: Domain): Domain {
  const isEthSecondLevel = row.parentNode === ETH_NODE;
  const wrapped = isWrapped(row, addressesOf(context, "NameWrapper")[0], isEthSecondLevel);
  return {
    ...row,
    isWrapped: wrapped,
    expiryTimestamp: isEthSecondLevel
      ? row.registrarExpiryTimestamp
      : wrapped && row.wrapperExpiryTimestamp !== 0n
        ? row.wrapperExpiryTimestamp
        : null,
    effectiveOwnerAddress: effectiveOwner({ ...row, isWrapped: wrapped })?.address ?? null,
  };
}

async function noteOwnershipChange(context: Context, cause: Cause, before: Domain, after: Domain) {
  const owners = ["registryOwner", "registrarOwner", "wrapperOwner", "effectiveOwnerAddress"] as const;
  if (owners.every((owner) => before[owner] === after[owner])) return;
  await context.db.insert(ownershipChange).values({
    chainId: cause.chainId,
    blockNumber: cause.blockNumber,
    logIndex: cause.logIndex,
    ordinal: cause.ordinal,
    node: after.node,
    ownerAddress: after.effectiveOwnerAddress,
    reason: effectiveOwner(after)?.reason ?? null,
    registryOwner: after.registryOwner,
    registrarOwner: after.registrarOwner,
    wrapperOwner: after.wrapperOwner,
    eventType: cause.eventType,
    transactionHash: cause.transactionHash,
    blockTimestamp: cause.blockTimestamp,
  });
}

async function noteResolverChange(context: Context, cause: Cause, after: Domain) {
  await context.db.insert(resolverChange).values({
    chainId: cause.chainId,
    blockNumber: cause.blockNumber,
    logIndex: cause.logIndex,
    node: after.node,
    resolver: after.resolver,
    transactionHash: cause.transactionHash,
    blockTimestamp: cause.blockTimestamp,
  });
}
