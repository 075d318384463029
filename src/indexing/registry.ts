import { type Context, type Event, ponder } from "ponder:registry";
import type { Address, Hex } from "viem";
import { ADDR_REVERSE_NODE, childNode, labelhash, ROOT_NODE } from "../ens/name.ts";
import { addressesOf, startBlockOf } from "./write/contracts.ts";
import { type Domain, type DomainKey, type DomainPatch, patchDomain } from "./write/domains.ts";
import { appendEvent } from "./write/events.ts";
import { type LogRef, logRefOf, nullIfZero } from "./write/logRef.ts";
import { learnLabel } from "./write/names.ts";
import { refreshClaim } from "./write/primaryNames.ts";

ponder.on("Registry:NewOwner", (args) => onNewOwner(args, REGISTRY));
ponder.on("RegistryOld:NewOwner", (args) => onNewOwner(args, REGISTRY_OLD));

ponder.on("Registry:Transfer", (args) => onTransfer(args, REGISTRY));
ponder.on("RegistryOld:Transfer", (args) => onTransfer(args, REGISTRY_OLD));

ponder.on("Registry:NewResolver", (args) => onNewResolver(args, REGISTRY));
ponder.on("RegistryOld:NewResolver", (args) => onNewResolver(args, REGISTRY_OLD));

ponder.on("Registry:NewTTL", (args) => onNewTtl(args, REGISTRY));
ponder.on("RegistryOld:NewTTL", (args) => onNewTtl(args, REGISTRY_OLD));

ponder.on("Registry:ApprovalForAll", async ({ event, context }) => {
  await appendEvent(context, logRefOf(context, event, REGISTRY, "ApprovalForAll"), { details: event.args });
});

const REGISTRY = "REGISTRY";
const REGISTRY_OLD = "REGISTRY_OLD";

type Args<Name extends "NewOwner" | "Transfer" | "NewResolver" | "NewTTL"> = {
  event: Event<`Registry:${Name}`>;
  context: Context;
};

/** A parent made a child or gave it another owner. Writes: events, domains and their changes, primary names. */
async function onNewOwner({ event, context }: Args<"NewOwner">, contract: string) {
  const { node: parentNode, label: hash, owner } = event.args; // `label` on chain is the labelhash
  const node = childNode(parentNode, hash);
  if (parentNode === ADDR_REVERSE_NODE) await learnAddress(context, hash, [event.transaction.from, owner]);
  const cause = logRefOf(context, event, contract, "NewOwner");
  await appendEvent(context, cause, { node, ownerAddress: owner }, { parentNode });
  await patchRegistry(context, cause, { node, parentNode, labelhash: hash }, () => ({
    registryOwner: ownerOf(context, cause, owner),
  }));
}

/** An owner gave the node to another. Writes: events, domains and their changes, primary names. */
async function onTransfer({ event, context }: Args<"Transfer">, contract: string) {
  const { node, owner } = event.args;
  const cause = logRefOf(context, event, contract, "Transfer");
  const registryOwner = ownerOf(context, cause, owner);
  const after = await patchRegistry(context, cause, { node }, () => ({ registryOwner }));
  await appendEvent(context, cause, { node, newOwnerAddress: owner }, after);
}

/** The node's resolver was set; the zero address is none. Writes: events, domains and their changes, primary names. */
async function onNewResolver({ event, context }: Args<"NewResolver">, contract: string) {
  const { node, resolver } = event.args;
  const cause = logRefOf(context, event, contract, "NewResolver");
  await appendEvent(context, cause, { node, resolverAddress: resolver });
  await patchRegistry(context, cause, { node }, () => ({ resolver: nullIfZero(resolver) }));
}

/** Writes: events. The time to live is not part of a domain's record. */
async function onNewTtl({ event, context }: Args<"NewTTL">, contract: string) {
  const { node, ttl } = event.args;
  await appendEvent(context, logRefOf(context, event, contract, "NewTTL"), { node, details: { ttl } });
}

/**
 * Applies a registry's log. The registry of 2020 asks the old one for nodes without a record of their own, node by
 * node: the first record ends that for the node, with its old resolver, and the old registry's logs no longer count.
 * Source: ens-contracts, contracts/registry/ENSRegistryWithFallback.sol.
 */
async function patchRegistry(
  context: Context,
  cause: LogRef,
  place: DomainKey,
  patch: () => DomainPatch,
): Promise<Domain> {
  const isOld = cause.contract === REGISTRY_OLD;
  const { before, after } = await patchDomain(context, cause, place, (domain) => {
    const isMigrated = domain.isMigrated || isBornMigrated(context, cause, domain);
    if (isOld) return isMigrated ? { isMigrated } : patch();
    return { ...(isMigrated ? {} : { resolver: null }), isMigrated: true, ...patch() };
  });
  if ((before?.resolver ?? null) !== after.resolver) await refreshClaim(context, cause, after);
  return after;
}

/** The root has a record in the registry of 2020 from its constructor on, which emits no event. */
function isBornMigrated(context: Context, cause: LogRef, domain: Domain): boolean {
  const start = startBlockOf(context, "Registry");
  return domain.node === ROOT_NODE && start !== undefined && cause.blockNumber >= start;
}

/**
 * Who owns a node by what was logged. The registry of 2020 stores its own address in place of zero, so that a deleted
 * node keeps its record, and answers both as no owner. Source: ENSRegistryWithFallback `_setOwner`, ENSRegistry `owner`.
 */
const ownerOf = (context: Context, cause: LogRef, owner: Address): Address | null =>
  cause.contract === REGISTRY && addressesOf(context, "Registry").includes(owner) ? null : nullIfZero(owner);

/**
 * Reverse registrars before 2023 emit nothing that spells out the address whose node they make; most often it is the
 * sender or the owner. The labelhash proves it.
 */
async function learnAddress(context: Context, hash: Hex, candidates: Address[]) {
  const address = candidates.map((candidate) => candidate.slice(2)).find((text) => labelhash(text) === hash);
  if (address !== undefined) await learnLabel(context, hash, address);
}
