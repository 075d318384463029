import type { Contracts } from "../../../../../abis/contracts.ts";
import { type Protocol, protocolOf } from "../../rules/ensv2Protocol.ts";
import { isEthSecondLevel, type ParsedName } from "../../schemas/input.ts";
import { type DomainState, type LastHolder, noOwners } from "../domainState.ts";
import type { IndexedName, Requested } from "../indexedName.ts";
import type { RecordsSource } from "./ensv2State.ts";
import type { Walk } from "./walk.ts";
import type { Way } from "./way.ts";

/** Whose rules decide, and at which second. */
export type At = { contracts: Contracts; now: number };

/** What is known of a name: its row, and its way through ENSv2. */
export type Traced = { requested: Requested; row: DomainState | undefined; way: Way };

/** What the index has of a name where there is ENSv2; null if it has nothing. */
export function decideEnsv2({ requested, row, way }: Traced, at: At): IndexedName | null {
  const { walk } = way;
  const protocol = protocolIn(way, row);
  const records = sourceOfRecords(protocol, way, at.contracts);
  const isInRegistry = row !== undefined || walk.entry?.isRegistered === true || isReserved(requested, walk);
  const isAnswered = records.kind !== "ensv1" && records.kind !== "nowhere";
  if (!isInRegistry && (!isAnswered || asksLayer2(walk, at.contracts))) return null;
  const base = row ?? ("name" in requested ? blankOf(requested, at.contracts) : null);
  if (base === null) return null;
  const ensv2 = { protocol, walk, records };
  const state = protocol === "ensv2" ? ofEntry(base, way, at) : ofEnsv1(base, way, records);
  return { isInRegistry, state: { ...state, ensv2 } };
}

/** Whether ENSv2 keeps a .eth name that ENSv1 never had. A reservation of another name sells nothing. */
const isReserved = (requested: Requested, { entry }: Walk): boolean =>
  "name" in requested && isEthSecondLevel(requested) && (entry?.reservedBlockNumber ?? null) !== null;

/** Below a registry of unknown code, a name is ENSv2's. */
function protocolIn({ walk, isLeft }: Way, row: DomainState | undefined): Protocol {
  if (!walk.isKnown) return "ensv2";
  return protocolOf({
    entry: walk.entry,
    isBelowRegistered: walk.isBelowRegistered,
    isLeftToEnsv1: isLeft,
    wasRegistered: (row?.registry ?? null) !== null,
  });
}

/**
 * Of a name of ENSv1, its resolver in ENSv1 answers while the Universal Resolver is ENSv1's. Once it is that of ENSv2, it
 * does so where the way through ENSv2 leads to a resolver that asks ENSv1.
 */
function sourceOfRecords(protocol: Protocol, way: Way, contracts: Contracts): RecordsSource {
  const { isKnown, resolver } = way.walk;
  if (protocol === "ensv1") {
    if (!isOnlyInEnsv2(way, contracts)) return { kind: "ensv1" };
    return resolver === null ? { kind: "nowhere" } : { kind: "chain" };
  }
  if (!isKnown) return { kind: "chain" };
  if (resolver === null) return { kind: "byNode" };
  if (resolver.isKnown) return { kind: "byNumber", resolver: resolver.address, record: null };
  return contracts.isIndexedResolver(resolver.address) ? { kind: "byNode" } : { kind: "chain" };
}

/** Whether only the Universal Resolver of ENSv2 is asked for a name of ENSv1, and does not ask ENSv1 in turn. */
function isOnlyInEnsv2({ walk: { resolver }, isLeft, phases }: Way, { ensv2 }: Contracts): boolean {
  if (!phases.has("public") || isLeft) return false;
  return resolver === null || !ensv2?.ensV1Resolvers.has(resolver.address);
}

/** Whether a resolver answers from a layer 2, of whose names the rules for layer 2s tell. */
const asksLayer2 = ({ resolver }: Walk, { managed }: Contracts): boolean =>
  resolver !== null && managed.some(({ bridges }) => bridges.includes(resolver.address));

function blankOf(name: ParsedName, { chainId }: Contracts): DomainState {
  const { node, parentNode, labelhash, label, labelLength } = name;
  return {
    chainId,
    node,
    parentNode,
    labelhash,
    label,
    labelLength,
    fullName: name.name,
    ...noOwners,
    expiryTimestamp: null,
    resolver: null,
    registry: null,
    displayText: null,
    effectiveOwnerAddress: null,
  };
}

/** A name of ENSv1 is what its row says. */
function ofEnsv1(base: DomainState, { walk, phases }: Way, records: RecordsSource): DomainState {
  const isUnseen = phases.has("open") && walk.entry === null && isEthSecondLevel(base);
  return {
    ...base,
    ...(records.kind === "nowhere" && { displayText: null }),
    ...(isUnseen && { isUnseen }),
  };
}

/** A name of ENSv2 is what its entry says. Without an entry it has no owner: what ENSv1 holds is history. */
function ofEntry(base: DomainState, { walk: { entry, pathExpiry } }: Way, { now }: At): DomainState {
  const isLive = entry !== null && entry.expiry > BigInt(now);
  // The registry keeps the last holder; only a name of the registrar can be renewed by him after its expiry.
  const isHeld = isLive || isEthSecondLevel(base);
  return {
    ...base,
    ...noOwners,
    registry: entry?.registry ?? null,
    effectiveOwnerAddress: (isHeld && entry?.owner) || null,
    expiryTimestamp: entry?.expiry ?? null,
    pathExpiryTimestamp: pathExpiry,
    resolver: isLive ? entry.resolver : null,
    registeredTimestamp: entry?.registeredTimestamp ?? null,
    lastHolder: isHeld ? null : lastHolderOf(entry),
    displayText: isLive && entry.resolver === base.resolver ? base.displayText : null,
  };
}

/**
 * Who held a name until it expired. Of a name below an expired one no owner is named: his token goes on, can be moved, and the
 * name can be renewed too late. The history of its owners has him.
 */
const lastHolderOf = (entry: Walk["entry"]): LastHolder | null =>
  (entry?.owner && { address: entry.owner, until: entry.expiry }) || null;
