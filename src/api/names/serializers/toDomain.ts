import { type Address, type Hex, zeroAddress } from "viem";
import type { z } from "zod";
import type { Contracts } from "../../../../abis/contracts.ts";
import { holds } from "../../../ens/condition.ts";
import { nameByNode, nodeOfNameByNode } from "../../../ens/name.ts";
import type { ApiError } from "../../server/errors/errors.ts";
import type { DomainState } from "../resolution/domainState.ts";
import type { DomainResult, UnresolvedDomain } from "../resolution/resolveDomains.ts";
import { asLife, availabilityOf, neverRegistered } from "../rules/availability.ts";
import { type LifeRules, lifeOf } from "../rules/life.ts";
import { graceEndOf } from "../rules/lifeEnds.ts";
import { type OwnersNow, ownersAt } from "../rules/ownership.ts";
import { type ProtocolWord, protocolsOf } from "../rules/protocols.ts";
import type * as schemas from "../schemas/answers.ts";
import { isEthSecondLevel, type ParsedName, type ParsedNode, UNKNOWN_LABEL } from "../schemas/input.ts";
import { toAddress, toDecimal } from "./hex.ts";
import { ensv2Fields, ensv2TokenId } from "./toEnsv2.ts";
import { isEndless, ownerOf, toOwnership, toWrapper } from "./toOwnership.ts";
import { type Resolved, resolutionOf } from "./toResolution.ts";

/** The context of a record besides the state: the time of the request, and the deployment's contracts. */
export type SerializeContext = { now: number; contracts: Contracts };

export type DomainRecord = z.infer<typeof schemas.domain>;

/** The domain record of the specification's section 2.1. */
export function toDomainRecord(
  { state, source, kind, records, error }: Resolved<DomainState>,
  at: SerializeContext,
): DomainRecord {
  const owners = ownersAt(state, at.now);
  const life = lifeOf(at.contracts.ensv2);
  const owned = ownerOf(state, owners);
  const graceEnd = graceEndOf(owned, life);
  const isHeld = holds(life.held, asLife(owned), BigInt(at.now));
  const resolver = toResolver(state, at.contracts, records?.answeredBy);
  const isKnown = source === "live" || resolver.status === "indexed" || resolver.answered_by !== undefined;
  const display = isKnown ? toDisplay(state) : undefined;
  return {
    name: state.fullName,
    ...chainOf(state.chainId, at.contracts),
    ...ensv2Fields(state, owners, at),
    ...(display !== undefined && { display }),
    label: state.label,
    ...labelSourceOf(state),
    labelhash: state.labelhash,
    token_id: toTokenId(state, owners),
    namehash: state.node,
    parent_node: state.parentNode,
    parent_name: toParentName(state),
    expiry_timestamp: state.expiryTimestamp?.toString() ?? null,
    ...timesOf(state, graceEnd),
    ...protocolsIn(state, at.now),
    ownership: toOwnership(state, owners, { now: at.now, contracts: at.contracts, graceEnd, isHeld }),
    ...(owners.wrapper && { wrapper: toWrapper(owners.wrapper) }),
    resolver,
    ...(state.subnameCount !== undefined && { subname_count: state.subnameCount }),
    availability_status: toAvailability(owned, at.now, life),
    source,
    ...(kind === "resolverNotAsked" && { live: "not_asked" as const }),
    ...(error && { unresolved: unresolvedParts(partsOfRecord(state), error) }),
  };
}

/** The source of a label's text. A label that this request just proved is not stored yet. */
function labelSourceOf({ label, labelSource }: DomainState): { label_source?: string | null } {
  if (labelSource === undefined) return {};
  return { label_source: UNKNOWN_LABEL.test(label) ? null : (labelSource ?? "caller") };
}

/** When a name was first seen, when it was last registered, and when its grace ends. */
function timesOf(state: DomainState, graceEnd: bigint | null) {
  const { registeredTimestamp, createdTimestamp } = state;
  return {
    ...(graceEnd !== null && !isEndless(state) && { grace_end_timestamp: graceEnd.toString() }),
    ...(typeof registeredTimestamp === "number" && { registered_timestamp: registeredTimestamp }),
    ...(createdTimestamp !== undefined && { created_timestamp: createdTimestamp }),
  };
}

/** The contracts that control an indexed name. */
function protocolsIn(state: DomainState, now: number): { protocols?: ProtocolWord[] } {
  const { isMigrated, chainId, isWrapped, wrapperFuses, wrapperExpiryTimestamp } = state;
  if (isMigrated === undefined) return {};
  const registry = state.ensv2?.protocol === "ensv2" ? zeroAddress : state.registry;
  const row = { chainId, registry, isMigrated, isWrapped, wrapperFuses, wrapperExpiryTimestamp };
  return { protocols: protocolsOf(row, now) };
}

type Named = ParsedNode | ParsedName;

const resolutionIn = (parsed: Named, resolved: Resolved<DomainState | null>, { now }: SerializeContext) => {
  const resolution = resolutionOf(parsed, resolved, now);
  return resolution && { resolution };
};

/** A record, and whether its name resolves. */
export const toWholeRecord = (parsed: Named, resolved: Resolved<DomainState>, at: SerializeContext) => ({
  ...toDomainRecord(resolved, at),
  ...resolutionIn(parsed, resolved, at),
});

/** The record of a requested name. For an unknown name it contains only the availability. */
export function toAskedRecord(parsed: Named, resolved: Resolved<DomainState | null>, at: SerializeContext) {
  const { query } = parsed;
  const { state, source, error } = resolved;
  if (state !== null) return { ...toWholeRecord(parsed, { ...resolved, state }, at), query };
  const availability_status = availabilityOfAbsent(parsed, resolved);
  return {
    query,
    availability_status,
    ...resolutionIn(parsed, resolved, at),
    source,
    ...(error && { unresolved: unresolvedParts(["domain"], error) }),
  };
}

/** The parts of a record that only the name's resolver, or an ancestor's, knows. */
const partsOfRecord = ({ resolver }: DomainState): UnresolvedPart[] =>
  resolver === null ? ["display", "resolver.answered_by"] : ["display"];

/** The parts of a records response that only the name's resolver knows. `part`: the requested part. */
export const partsOfRecords = (
  state: Pick<DomainState, "resolver"> | null,
  part: "records" | "value",
): UnresolvedPart[] => {
  if (state === null) return ["domain"];
  return state.resolver === null ? [part, "resolver.answered_by"] : [part];
};

type Unresolved = z.infer<typeof schemas.unresolved>;
type UnresolvedPart = Unresolved[number]["part"];

/** The parts of an answer that could not be determined, with the reason. */
export const unresolvedParts = (parts: readonly UnresolvedPart[], { message }: ApiError): Unresolved =>
  parts.map((part) => ({ part, code: "LIVE_RESOLUTION_FAILED", message }));

/** An item of a list that has no answer. It does not make the others fail. */
export const toInvalidItem = (query: string, error: ApiError): z.infer<typeof schemas.invalidItem> => ({
  query,
  availability_status: "unknown",
  error: toItemError(error),
});

/** The error of an item, next to what is known of it. */
export const toItemError = ({ code, message }: ApiError): z.infer<typeof schemas.itemError> => ({
  code: code as z.infer<typeof schemas.itemError>["code"], // Parsing and resolving throw only these codes.
  message,
});

/** An item of a list. If part of it could not be determined, it includes the error, unless the caller sent `partial=true`. */
export const toItem = <Item extends object>(
  item: Item,
  outcome: DomainResult,
  { partial }: { partial: boolean },
) => (outcome.kind === "unresolved" && !partial ? { ...item, error: toItemError(outcome.error) } : item);

/** What is known of a name of which nothing else is: its hash and, as far as known, its text. */
export const toUnresolvedDomain = (
  node: Hex,
  { name, source, error }: Pick<UnresolvedDomain, "name" | "source" | "error">,
): z.infer<typeof schemas.unresolvedDomain> => ({
  name: name ?? nameByNode(node),
  namehash: node,
  availability_status: "unknown",
  source,
  unresolved: unresolvedParts(["domain"], error),
});

const availabilityOfAbsent = (
  parsed: ParsedNode | ParsedName,
  { kind }: Pick<Resolved<DomainState | null>, "kind">,
) =>
  "name" in parsed && kind === "unregistered" ? neverRegistered(parsed.labelLength) : ("unknown" as const);

/** The word for a chain, unless it is the main one. */
export const chainOf = (chainId: number, contracts: Contracts): { chain?: string } =>
  chainId === contracts.chainId ? {} : { chain: contracts.chainName(chainId) };

/** The common name of a contract in the deployment; nothing for other addresses. */
export function titleField(address: Address, chainId: number, contracts: Contracts): { title?: string } {
  const title = contracts.contractTitle(address, chainId);
  return title === undefined ? {} : { title };
}

/** A domain in a list: a subset of its record. Fields that need a query of their own are present only if the state has them. */
export function toDomainItem(state: DomainState, at: SerializeContext): z.infer<typeof schemas.domainItem> {
  const record = toDomainRecord({ kind: "known", state, source: "indexed" }, at);
  const { resolver, roles } = record;
  return {
    ...pick(record, namesOfItem),
    expiry_timestamp: record.expiry_timestamp,
    ...pick(record, timesOfItem),
    ownership: record.ownership,
    ...pick(record, moreOfItem),
    ...(roles && { role_holder_count: roles.total }),
    ...(resolver.address && { resolver: { address: resolver.address } }),
  };
}

const namesOfItem = [
  ...(["name", "chain", "protocol", "protocols", "registry", "display", "label"] as const),
  ...(["namehash", "labelhash", "availability_status"] as const),
] as const;

const timesOfItem = ["grace_end_timestamp", "registered_timestamp", "created_timestamp"] as const;

const moreOfItem = ["wrapper", "subregistry", "reservation", "migration", "subname_count"] as const;

/** The given fields of a record, without absent ones. */
const pick = <Key extends keyof DomainRecord>(record: DomainRecord, keys: readonly Key[]) =>
  Object.fromEntries(keys.flatMap((key) => (record[key] === undefined ? [] : [[key, record[key]]]))) as Pick<
    DomainRecord,
    Key
  >;

/** Availability of an indexed name, given its current owner. */
function toAvailability(state: DomainState, now: number, life: LifeRules) {
  const entry = state.ensv2?.walk.entry ?? null;
  // Only the reservation in ENSv2 mentions the name: it is not available before the registrar sells it.
  if (
    entry === null ||
    state.registry !== null ||
    state.expiryTimestamp !== null ||
    !isEthSecondLevel(state)
  ) {
    return availabilityOf(state, now, life);
  }
  const reserved = { ...state, registry: entry.registry, expiryTimestamp: entry.expiry };
  const afterwards = availabilityOf(reserved, now, life);
  return afterwards === "available" || afterwards === "premium" ? afterwards : "unknown";
}

/**
 * Whether the index may return the resolver's records: only if the deployment lists it as indexed. If the name has no resolver,
 * an ancestor's may have answered.
 */
export function toResolver(
  { resolver, chainId, ensv2 }: Pick<DomainState, "resolver" | "chainId" | "ensv2">,
  contracts: Contracts,
  answeredBy: Address | null = null,
): z.infer<typeof schemas.resolver> {
  const known = ensv2?.protocol === "ensv2" && ensv2.walk.resolver?.isKnown ? ensv2.walk.resolver : null;
  if (resolver === null) {
    const answering = answeredBy ?? known?.address;
    if (answering === undefined) return { status: "none" };
    return {
      status: "none",
      ...titleField(answering, chainId, contracts),
      answered_by: toAddress(answering),
    };
  }
  const title = titleField(resolver, chainId, contracts);
  const address = toAddress(resolver);
  const isIndexed = known?.address === resolver || contracts.isIndexedResolver(resolver, chainId);
  if (!isIndexed) return { status: "unindexed", address, ...title };
  return { status: "indexed", chain: contracts.chainName(chainId), address, ...title };
}

/** ENSIP-5: the `display` text counts only if it is the name itself with different capitals. */
function toDisplay(state: DomainState): string | undefined {
  const text = state.displayText;
  return text !== null && text.toLowerCase() === state.fullName.toLowerCase() ? text : undefined;
}

/** The wrapper's token ID is the node, the registrar's is the labelhash; an ENSv2 entry has its own. */
function toTokenId(state: DomainState, owners: OwnersNow): string | null {
  const ofEnsv2 = ensv2TokenId(state);
  if (ofEnsv2 !== undefined) return ofEnsv2.toString();
  if (owners.isWrapped) return toDecimal(state.node);
  return state.labelhash && toDecimal(state.labelhash);
}

/**
 * The parent's name: the name without its first label; empty for top-level names. If the name is written by its node, so is the
 * parent's.
 */
function toParentName({ parentNode, fullName, label }: DomainState): string | null {
  if (parentNode === null) return null;
  return nodeOfNameByNode(fullName) === null ? fullName.slice(label.length + 1) : nameByNode(parentNode);
}
