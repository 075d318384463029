import type { Context } from "ponder:registry";
import type { Address, Hex } from "viem";
import { managedNameOf } from "../ens/managedNames.ts";
import { ADDR_REVERSE_NODE, childNode, isLabelOf, ROOT_NODE } from "../ens/name.ts";
import { type ArgsOf, on } from "./on.ts";
import { rowsOfChild, rowsOfName } from "./rowsAhead.ts";
import { onOperator } from "./write/approvals.ts";
import { addressesOf, startBlockOf } from "./write/contracts.ts";
import { type Domain, type DomainKey, type DomainPatch, patchDomain } from "./write/domains.ts";
import { appendEventAndHolders } from "./write/events.ts";
import { type LogRef, nullIfZero } from "./write/logRef.ts";
import { awaitAddress } from "./write/missingTransactions.ts";
import { learnLabel } from "./write/names.ts";
import { refreshClaim } from "./write/primaryNames.ts";
import { setReverseResolver } from "./write/reverseNodes.ts";

const registries = ["Registry", "RegistryOld"] as const;

on(registries, "NewOwner", onNewOwner, ({ args: { node, label, owner } }, chainId) =>
  rowsOfChild(chainId, childNode(node, label), owner),
);
on(registries, "Transfer", onTransfer, ({ args: { node, owner } }, chainId) =>
  rowsOfName(chainId, node, owner),
);
on(registries, "NewResolver", onNewResolver, ({ args }, chainId) => rowsOfName(chainId, args.node));
on(registries, "NewTTL", onNewTtl);
on("Registry", "ApprovalForAll", onOperator);

type Args<Name extends "NewOwner" | "Transfer" | "NewResolver" | "NewTTL"> = ArgsOf<
  (typeof registries)[number],
  Name
>;

/** A parent made a child, or gave it another owner. Writes: events, domains and their changes, primary names. */
async function onNewOwner({ event, context, log, transaction }: Args<"NewOwner">) {
  const { node: parentNode, label: labelhash, owner } = event.args; // on chain `label` is the labelhash
  const node = childNode(parentNode, labelhash);
  if (parentNode === ADDR_REVERSE_NODE && managedNameOf(log.chainId) === undefined) {
    const candidates = transaction ? [transaction.from, owner] : [owner];
    await learnAddress(context, log, { labelhash, candidates });
    if (transaction === null) await awaitAddress(context, log, { node, labelhash });
  }
  const after = await patchRegistry(context, log, { node, parentNode, labelhash }, () => ({
    registryOwner: ownerOf(context, log, owner),
  }));
  await appendEventAndHolders(context, log, { node, ownerAddress: owner }, after);
}

/** An owner gave the node to another. Writes: events, domains and their changes, primary names. */
async function onTransfer({ event, context, log }: Args<"Transfer">) {
  const { node, owner } = event.args;
  const registryOwner = ownerOf(context, log, owner);
  const after = await patchRegistry(context, log, { node }, () => ({ registryOwner }));
  await appendEventAndHolders(context, log, { node, newOwnerAddress: owner }, after);
}

/**
 * The node's resolver was set; the zero address means none. Writes: events, domains and their changes, primary names,
 * reverse_nodes.
 */
async function onNewResolver({ event, context, log }: Args<"NewResolver">) {
  const { node, resolver } = event.args;
  await appendEventAndHolders(context, log, { node, resolverAddress: resolver });
  const after = await patchRegistry(context, log, { node }, () => ({ resolver: nullIfZero(resolver) }));
  if (after === null) await setReverseResolver(context, log, { node, resolver: nullIfZero(resolver) });
}

/** Writes: events. The time to live is not part of a domain's record. */
function onNewTtl({ event, context, log }: Args<"NewTTL">) {
  const { node, ttl } = event.args;
  return appendEventAndHolders(context, log, { node, details: { ttl } });
}

/**
 * Applies a registry's log. For a node without a record of its own, the registry of 2020 asks the old one. The node's
 * first record ends that: the old resolver no longer counts, nor do the old registry's logs. Null for nodes that are no
 * names.
 * Source: ens-contracts, contracts/registry/ENSRegistryWithFallback.sol.
 */
async function patchRegistry(
  context: Context,
  log: LogRef,
  key: DomainKey,
  patch: () => DomainPatch,
): Promise<Domain | null> {
  const isOld = log.contract === "REGISTRY_OLD";
  const { before, after } = await patchDomain(context, log, key, (domain) => {
    const isMigrated = domain.isMigrated || isBornMigrated(context, log, domain);
    if (isOld) return isMigrated ? { isMigrated } : patch();
    return { ...(isMigrated ? {} : { resolver: null }), isMigrated: true, ...patch() };
  });
  if (after !== null && (before?.resolver ?? null) !== after.resolver)
    await refreshClaim(context, log, after);
  return after;
}

/** The constructor of the registry of 2020 gives the root a record and emits no event. */
function isBornMigrated(context: Context, log: LogRef, domain: Domain): boolean {
  const start = startBlockOf(context, "Registry");
  return domain.node === ROOT_NODE && start !== undefined && log.blockNumber >= start;
}

/**
 * The owner of a node, by the owner in the log. The registry of 2020 stores its own address in place of zero, so that
 * a deleted node keeps its record, and answers no owner for both, as a layer 2's registry does. Source:
 * ENSRegistryWithFallback `_setOwner`, ENSRegistry `owner`; base/basenames, src/L2/Registry.sol, `owner`.
 */
const ownerOf = (context: Context, log: LogRef, owner: Address): Address | null =>
  log.contract === "REGISTRY" && addressesOf(context, "Registry").includes(owner) ? null : nullIfZero(owner);

/**
 * Reverse registrars before 2023 emit no event that tells the address whose node they make. Most often it is the
 * sender or the owner, and the labelhash proves it.
 */
async function learnAddress(
  context: Context,
  log: LogRef,
  { labelhash, candidates }: { labelhash: Hex; candidates: Address[] },
) {
  const address = candidates
    .map((candidate) => candidate.slice(2))
    .find((text) => isLabelOf(labelhash, text));
  if (address !== undefined) await learnLabel(context, log, labelhash, address);
}
