import type { Context } from "ponder:registry";
import { domain, ownershipChange, resolverChange } from "ponder:schema";
import type { Hex } from "viem";
import { hasTokenNames, isSecondLevel, managedNameOf, registrarNode } from "../../ens/managedNames.ts";
import { childNode } from "../../ens/name.ts";
import { effectiveOwner, isWrapped } from "../../ens/owner.ts";
import { work } from "./blockQueue.ts";
import { addressesOf } from "./contracts.ts";
import { type LogRef, placeOf } from "./logRef.ts";
import { nameNewDomain } from "./names.ts";
import { namingBelow, namingWithoutParent } from "./naming.ts";
import { childrenOf } from "./renames.ts";

/** A domain as stored. */
export type Domain = typeof domain.$inferSelect;

/** The columns of a domain that a contract's log can set; the others follow from these. */
export type DomainPatch = Partial<
  Pick<
    Domain,
    | "registryOwner"
    | "isMigrated"
    | "resolver"
    | "registrarOwner"
    | "registrarExpiryTimestamp"
    | "registeredTimestamp"
    | "registrarApproved"
    | "wrapperOwner"
    | "wrapperApproved"
    | "wrapperFuses"
    | "wrapperExpiryTimestamp"
    | "unexplainedRenewals"
  >
>;

/** The columns that an entry of ENSv2 sets while it answers for a domain; the logs of ENSv1 leave them as they are then. */
export type EntryColumns = Pick<
  Domain,
  | "registry"
  | "resolver"
  | "expiryTimestamp"
  | "pathExpiryTimestamp"
  | "effectiveOwnerAddress"
  | "registeredTimestamp"
>;

/** A node and, if the log has them, its parent and labelhash. */
export type DomainKey = { node: Hex; parentNode?: Hex; labelhash?: Hex };

/** The key of a name that the registrar of a chain registers. */
export function keyOfRegistrar(chainId: number, labelhash: Hex): Required<DomainKey> {
  const parentNode = registrarNode(chainId);
  return { node: childNode(parentNode, labelhash), parentNode, labelhash };
}

/** A domain before a log (null if new) and after it; both are null for a node that is not a name of its chain. */
type Patched = { before: Domain | null; after: Domain | null };

const noName: Patched = { before: null, after: null };

/**
 * Applies a log to its domain, which is inserted if it is new, and derives the other columns: whether it is wrapped,
 * who owns it, when it ends. Writes: domains, ownership_changes, resolver_changes, and what naming needs.
 */
export async function patchDomain(
  context: Context,
  log: LogRef,
  key: DomainKey,
  patch: (before: Domain) => DomainPatch | EntryColumns,
): Promise<Patched> {
  // Every node in logs of 3DNS is a name.
  const managed = hasTokenNames(log.chainId) ? undefined : managedNameOf(log.chainId);
  if (managed && key.parentNode !== managed.node && !(await isBelowName(context, log.chainId, key)))
    return noName;
  let before = null as Domain | null;
  const blank = withParent(blankDomain(log, key.node), key);
  let base = blank;
  let after = patched(context, blank, patch(blank));
  // One call to the store both finds the row and changes it.
  await context.db
    .insert(domain)
    .values(after)
    .onConflictDoUpdate((found) => {
      before = readOnce(found, blank);
      base = withParent(before, key);
      after = patched(context, base, patch(base));
      return changesOf(before, after);
    });
  if (base.parentNode !== (before?.parentNode ?? null)) after = await nameDomain(context, log, after);
  await appendOwnershipChange(context, log, before ?? blank, after);
  if (base.resolver !== after.resolver) await appendResolverChange(context, log, base, after);
  return { before, after };
}

/**
 * A domain after a patch. Where ENSv2 answers, the resolver in ENSv1's registry and a registration in its registrar no longer
 * count.
 */
function patched(context: Context, base: Domain, patch: DomainPatch | EntryColumns): Domain {
  if ("registry" in patch || base.registry === null) return derive(context, { ...base, ...patch });
  const { resolver, registeredTimestamp } = base;
  return derive(context, { ...base, ...patch, resolver, registeredTimestamp });
}

/**
 * Whether a node of a layer 2 is a name, or its parent is one. Others are what its registry needs above the managed name,
 * and reverse nodes, which count in the main chain's registry only.
 */
async function isBelowName(
  context: Context,
  chainId: number,
  { node, parentNode }: DomainKey,
): Promise<boolean> {
  if ((await context.db.find(domain, { chainId, node })) !== null) return true;
  return parentNode !== undefined && (await context.db.find(domain, { chainId, node: parentNode })) !== null;
}

/** Sets a domain's parent and labelhash when a log first has them. */
function withParent(row: Domain, { parentNode, labelhash }: DomainKey): Domain {
  if (row.parentNode !== null || parentNode === undefined || labelhash === undefined) return row;
  const { chainId, node } = row;
  return { ...row, parentNode, labelhash, ...namingBelow({ chainId, node, parentNode, labelhash }) };
}

/**
 * Names a domain that has just got its parent, and its children if it has any already. Writes: domains (if its name
 * changes), and what naming needs.
 */
async function nameDomain(context: Context, log: LogRef, row: Domain): Promise<Domain> {
  const { chainId, node, parentNode, labelhash } = row;
  if (parentNode === null || labelhash === null) return row;
  const naming = await nameNewDomain(context, log, { chainId, node, parentNode, labelhash });
  const isNew = naming.fullName !== row.fullName || naming.label !== row.label;
  if (isNew) await context.db.update(domain, { chainId, node }).set(naming);
  await work(context, log, await childrenOf(context, node));
  return { ...row, ...naming };
}

/** A plain copy. A row from the store is slow to read, because Ponder wraps it; `other` only gives the columns. */
function readOnce(found: Domain, other: Domain): Domain {
  const row: Record<string, unknown> = { ...other };
  for (const column in row) row[column] = found[column as keyof Domain];
  return row as Domain;
}

/** The columns that differ: each column that is written costs time, even if its value is the same. */
function changesOf(before: Domain, after: Domain): Partial<Domain> {
  const changes: Record<string, unknown> = {};
  for (const column of Object.keys(after) as (keyof Domain)[]) {
    if (before[column] !== after[column]) changes[column] = after[column];
  }
  return changes;
}

const blankDomain = (log: LogRef, node: Hex): Domain => ({
  chainId: log.chainId,
  node,
  parentNode: null,
  labelhash: null,
  ...namingWithoutParent(node),
  registryOwner: null,
  isMigrated: false,
  resolver: null,
  registrarOwner: null,
  registrarExpiryTimestamp: null,
  registrarApproved: null,
  wrapperOwner: null,
  wrapperApproved: null,
  wrapperFuses: null,
  wrapperExpiryTimestamp: null,
  unexplainedRenewals: null,
  isWrapped: false,
  expiryTimestamp: null,
  effectiveOwnerAddress: null,
  registry: null,
  pathExpiryTimestamp: null,
  registeredTimestamp: null,
  createdBlockNumber: log.blockNumber,
  createdTimestamp: log.blockTimestamp,
});

function derive(context: Context, row: Domain): Domain {
  if (row.registry !== null) return { ...row, isWrapped: false };
  const isRegistrars = isSecondLevel(row);
  const wrapped = isWrapped(row, addressesOf(context, "NameWrapper")[0], isRegistrars);
  const { registryOwner, registrarOwner, wrapperOwner } = row;
  const owners = { registryOwner, registrarOwner, wrapperOwner, isWrapped: wrapped };
  return {
    ...row,
    isWrapped: wrapped,
    expiryTimestamp:
      isRegistrars || hasTokenNames(row.chainId)
        ? row.registrarExpiryTimestamp
        : wrapped && row.wrapperExpiryTimestamp !== 0n
          ? row.wrapperExpiryTimestamp
          : null,
    effectiveOwnerAddress: effectiveOwner(owners)?.address ?? null,
  };
}

const owners = ["registryOwner", "registrarOwner", "wrapperOwner", "effectiveOwnerAddress"] as const;

/** When a token ends by time alone. These columns mean nothing while the token has no holder. */
const terms = ["wrapperFuses", "wrapperExpiryTimestamp"] as const;

/** The layer that determines the owner; null without an owner. */
function reasonOf(row: Domain) {
  if (row.registry === null) return effectiveOwner(row)?.reason ?? null;
  return row.effectiveOwnerAddress === null ? null : "token";
}

/** When time alone ends what an entry of ENSv2 says of a name. */
const ends = ["expiryTimestamp", "pathExpiryTimestamp"] as const;

/**
 * Whether the owner of a name of ENSv2 is another one though the holder is the same: ENSv1 answered before, or an end moved
 * that had passed already, or that has passed now. Between such changes the last end that was stored is the one that counts.
 */
function isOwnedOtherwise({ blockTimestamp }: LogRef, before: Domain, after: Domain): boolean {
  if (after.registry === null || after.effectiveOwnerAddress === null) return false;
  if (before.registry === null) return true;
  const isOver = (end: bigint | null) => end !== null && end <= BigInt(blockTimestamp);
  return ends.some((end) => before[end] !== after[end] && (isOver(before[end]) || isOver(after[end])));
}

async function appendOwnershipChange(context: Context, log: LogRef, before: Domain, after: Domain) {
  const columns = after.wrapperOwner === null ? owners : [...owners, ...terms];
  const isSame = columns.every((column) => before[column] === after[column]);
  if (isSame && !isOwnedOtherwise(log, before, after)) return;
  const ofEntry = before.registry === null ? null : before;
  await context.db.insert(ownershipChange).values({
    ...changeOf(log, after),
    ownerAddress: after.effectiveOwnerAddress,
    reason: reasonOf(after),
    registryOwner: after.registryOwner,
    registrarOwner: after.registrarOwner,
    wrapperOwner: after.wrapperOwner,
    wrapperFuses: after.wrapperFuses,
    wrapperExpiryTimestamp: after.wrapperExpiryTimestamp,
    previousExpiryTimestamp: ofEntry?.expiryTimestamp ?? null,
    previousPathExpiryTimestamp: ofEntry?.pathExpiryTimestamp ?? null,
    eventType: log.eventType,
  });
}

async function appendResolverChange(context: Context, log: LogRef, before: Domain, after: Domain) {
  await context.db.insert(resolverChange).values({
    ...changeOf(log, after),
    resolver: after.resolver,
    previousResolver: before.resolver,
  });
}

/** The columns that each change of a domain has. */
const changeOf = (log: LogRef, { node }: Domain) => ({
  chainId: log.chainId,
  node,
  ordinal: log.ordinal,
  ...placeOf(log),
});
