import type { z } from "zod";
import type { Contracts } from "../../../abis/contracts.ts";
import type { DomainState } from "../resolution/domains.ts";
import { availabilityOf, neverRegistered } from "../rules/lifetime.ts";
import { type OwnersNow, ownersAt } from "../rules/ownership.ts";
import type * as shapes from "../schemas/answers.ts";
import { isEthSecondLevel, type ParsedName, type ParsedNode } from "../schemas/input.ts";
import { fuseNames } from "./fuses.ts";
import { toAddress, toDecimal } from "./hex.ts";

/** When and where a record is made: the time of the question, and the deployment's contracts. */
export type SerializeContext = { now: number; contracts: Contracts };

export type DomainRecord = z.infer<typeof shapes.domain>;

/** The domain record of the specification's section 2.1. */
export function toDomainRecord(
  { facts, source }: { facts: DomainState; source: DomainRecord["source"] },
  at: SerializeContext,
): DomainRecord {
  const owners = ownersAt(facts, at.now);
  const resolver = toResolver(facts.resolver, at.contracts);
  const isKnown = source === "live" || resolver.status === "indexed";
  const display = isKnown ? toDisplay(facts) : undefined;
  return {
    name: facts.fullName,
    ...(display !== undefined && { display }),
    label: facts.label,
    labelhash: facts.labelhash,
    token_id: toTokenId(facts, owners),
    namehash: facts.node,
    parent_node: facts.parentNode,
    parent_name: toParentName(facts),
    expiry_timestamp: facts.expiryTimestamp?.toString() ?? null,
    ownership: toOwnership(facts, owners),
    ...(owners.wrapper && { wrapper: toWrapper(owners.wrapper) }),
    resolver,
    availability_status: toAvailability(facts, owners, at.now),
    source,
  };
}

type DomainAnswer = {
  asked: ParsedNode | ParsedName;
  facts: DomainState | null;
  source: DomainRecord["source"];
};

/** The record of a name that was asked for; a name of which nothing is known has a state alone. */
export function toAskedRecord({ asked, facts, source }: DomainAnswer, at: SerializeContext) {
  const { query } = asked;
  if (facts === null) return { query, availability_status: stateOfAbsent(asked), source };
  // Who asks by name tells the label, though no event did.
  const labelLength = facts.labelLength ?? ("name" in asked ? asked.labelLength : null);
  return { ...toDomainRecord({ facts: { ...facts, labelLength }, source }, at), query };
}

/** Of .eth names that the index does not hold we know that nobody ever registered them. */
const stateOfAbsent = (asked: ParsedNode | ParsedName) =>
  "name" in asked && isEthSecondLevel(asked) ? neverRegistered(asked.labelLength) : ("unknown" as const);

/** A domain in a list: a part of its record. */
export function toDomainItem(facts: DomainState, at: SerializeContext): z.infer<typeof shapes.domainItem> {
  const { name, label, display, expiry_timestamp, ownership, resolver } = toDomainRecord(
    { facts, source: "indexed" },
    at,
  );
  return {
    name,
    ...(display !== undefined && { display }),
    label,
    expiry_timestamp,
    ownership,
    ...(resolver.address && { resolver: { address: resolver.address } }),
  };
}

/** State of a name that is in the index. */
export function toAvailability(facts: DomainState, owners: OwnersNow, now: number) {
  return availabilityOf({ ...facts, effectiveOwnerAddress: owners.owner?.address ?? null }, now);
}

/** Owners by layer; those that a layer does not have are left out. */
export function toOwnership(facts: DomainState, owners: OwnersNow): z.infer<typeof shapes.ownership> {
  return {
    is_wrapped: owners.isWrapped,
    ...(owners.owner && { owner: toAddress(owners.owner.address) }),
    ...(facts.registryOwner && { registry: toAddress(facts.registryOwner) }),
    ...(facts.registrarOwner && { registrar: toAddress(facts.registrarOwner) }),
    ...(owners.isWrapped && facts.wrapperOwner && { wrapper: toAddress(facts.wrapperOwner) }),
  };
}

function toWrapper(token: NonNullable<OwnersNow["wrapper"]>): z.infer<typeof shapes.wrapper> {
  return {
    fuses: token.fuses,
    expiry_timestamp: token.expiry.toString(),
    fuse_names: fuseNames(token.fuses),
    ...(token.isExpired && { expired: true as const }),
  };
}

/** Whether the index may answer for the resolver: only if it is on the deployment's list of static ones. */
export function toResolver(
  resolver: DomainState["resolver"],
  contracts: Contracts,
): z.infer<typeof shapes.resolver> {
  if (resolver === null) return { status: "none" };
  const address = toAddress(resolver);
  if (!contracts.isIndexedResolver(resolver)) return { status: "unindexed", address };
  return { status: "indexed", chain: contracts.chainName(contracts.chainId), address };
}

/** ENSIP-5: the `display` text counts only where it is the name itself in other capitals. */
function toDisplay(facts: DomainState): string | undefined {
  const text = facts.displayText;
  return text !== null && text.toLowerCase() === facts.fullName.toLowerCase() ? text : undefined;
}

/** The wrapper counts tokens by node, the registrar by labelhash. */
function toTokenId(facts: DomainState, owners: OwnersNow): string | null {
  if (owners.isWrapped) return toDecimal(facts.node);
  return facts.labelhash && toDecimal(facts.labelhash);
}

/** Name of the parent: the name without its first label; empty for top-level names. */
function toParentName({ parentNode, fullName, label }: DomainState): string | null {
  return parentNode === null ? null : fullName.slice(label.length + 1);
}
