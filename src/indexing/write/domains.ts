import type { Context } from "ponder:registry";
import { domain, ownershipChange, resolverChange } from "ponder:schema";
import type { Hex } from "viem";
import { ETH_NODE } from "../../ens/name.ts";
import { effectiveOwner, isWrapped } from "../../ens/owner.ts";
import { addressesOf } from "./contracts.ts";
import type { LogRef } from "./logRef.ts";
import { nameNewDomain, namingBelow, namingWithoutParent } from "./names.ts";

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
export type DomainKey = { node: Hex; parentNode?: Hex; labelhash?: Hex };

/** Place of a .eth second-level name. */
export const ethName = (node: Hex, labelhash: Hex): Required<DomainKey> => ({
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
  cause: LogRef,
  place: DomainKey,
  patch: (before: Domain) => DomainPatch,
): Promise<{ before: Domain | null; after: Domain }> {
  let before = null as Domain | null;
  const blank = withParent(blankDomain(cause, place.node), place);
  let base = blank;
  let after = derive(context, { ...blank, ...patch(blank) });
  // One question to the store both finds a row and changes it.
  await context.db
    .insert(domain)
    .values(after)
    .onConflictDoUpdate((found) => {
      before = readOnce(found, blank);
      base = withParent(before, place);
      after = derive(context, { ...base, ...patch(base) });
      return changesOf(before, after);
    });
  if (base.parentNode !== (before?.parentNode ?? null)) after = await nameDomain(context, after);
  await appendOwnershipChange(context, cause, before ?? blank, after);
  if (base.resolver !== after.resolver) await noteResolverChange(context, cause, after);
  return { before, after };
}

/** Gives a domain its place in the tree, once a log tells it. */
function withParent(row: Domain, { parentNode, labelhash }: DomainKey): Domain {
  if (row.parentNode !== null || parentNode === undefined || labelhash === undefined) return row;
  return { ...row, parentNode, labelhash, ...namingBelow(parentNode, labelhash) };
}

/** Names a domain that has just got its place. Writes: domains (unless it has its name), and what naming needs. */
async function nameDomain(context: Context, row: Domain): Promise<Domain> {
  const { chainId, node, parentNode, labelhash } = row;
  if (parentNode === null || labelhash === null) return row;
  const naming = await nameNewDomain(context, node, parentNode, labelhash);
  if (naming.fullName === row.fullName) return row;
  await context.db.update(domain, { chainId, node }).set(naming);
  return { ...row, ...naming };
}

/** A plain copy. A row as found is slow to read, because Ponder watches it; any other row tells its columns as well. */
function readOnce(found: Domain, other: Domain): Domain {
  const row: Record<string, unknown> = { ...other };
  for (const column in row) row[column] = found[column as keyof Domain];
  return row as Domain;
}

/** The columns that differ. Each column that is written costs time, changed or not. */
function changesOf(before: Domain, after: Domain): Partial<Domain> {
  const changes: Record<string, unknown> = {};
  for (const column of Object.keys(after) as (keyof Domain)[]) {
    if (before[column] !== after[column]) changes[column] = after[column];
  }
  return changes;
}

const blankDomain = (cause: LogRef, node: Hex): Domain => ({
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

function derive(context: Context, row: Domain): Domain {
  const isEthSecondLevel = row.parentNode === ETH_NODE;
  const wrapped = isWrapped(row, addressesOf(context, "NameWrapper")[0], isEthSecondLevel);
  const { registryOwner, registrarOwner, wrapperOwner } = row;
  const owners = { registryOwner, registrarOwner, wrapperOwner, isWrapped: wrapped };
  return {
    ...row,
    isWrapped: wrapped,
    expiryTimestamp: isEthSecondLevel
      ? row.registrarExpiryTimestamp
      : wrapped && row.wrapperExpiryTimestamp !== 0n
        ? row.wrapperExpiryTimestamp
        : null,
    effectiveOwnerAddress: effectiveOwner(owners)?.address ?? null,
  };
}

async function appendOwnershipChange(context: Context, cause: LogRef, before: Domain, after: Domain) {
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

async function noteResolverChange(context: Context, cause: LogRef, after: Domain) {
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
