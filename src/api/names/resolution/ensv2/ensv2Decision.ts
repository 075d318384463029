import type { Contracts } from "../../../../../abis/contracts.ts";
import { type Protocol, protocolOf } from "../../rules/ensv2Protocol.ts";
import { isEthSecondLevel, type ParsedName } from "../../schemas/input.ts";
import { type DomainState, type LastHolder, nameFields, noOwners } from "../domainState.ts";
import type { IndexedName, Requested } from "../indexedName.ts";
import type { RecordsSource } from "./ensv2State.ts";
import type { Walk, Way } from "./walk.ts";

/** The deployment whose rules decide, and the time in seconds. */
export type At = { contracts: Contracts; now: number };

/** The known facts about a name: its row, and its path through ENSv2. */
export type Traced = { requested: Requested; row: DomainState | undefined; way: Way };

/** The indexed state of a name where ENSv2 is deployed; null if the index has nothing. */
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

/** True if ENSv2 reserves a .eth name that ENSv1 never had. Reservations of other names do not make them available. */
const isReserved = (requested: Requested, { entry }: Walk): boolean =>
  "name" in requested && isEthSecondLevel(requested) && (entry?.reservedBlockNumber ?? null) !== null;

/** A name below a registry with an unknown implementation belongs to ENSv2. */
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
 * An ENSv1 name's resolver in ENSv1 answers while the Universal Resolver is ENSv1's. Once it is ENSv2's, the ENSv1 resolver
 * answers only if the path through ENSv2 leads to a resolver that forwards to ENSv1.
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

/** True if only ENSv2's Universal Resolver is used for an ENSv1 name, and does not forward to ENSv1. */
function isOnlyInEnsv2({ walk: { resolver }, isLeft, phases }: Way, { ensv2 }: Contracts): boolean {
  if (!phases.has("public") || isLeft) return false;
  return resolver === null || !ensv2?.ensV1Resolvers.has(resolver.address);
}

/** True if a resolver answers from a layer 2, whose names follow the rules for layer 2s. */
const asksLayer2 = ({ resolver }: Walk, { managed }: Contracts): boolean =>
  resolver !== null && managed.some(({ bridges }) => bridges.includes(resolver.address));

const blankOf = (name: ParsedName, { chainId }: Contracts): DomainState => ({
  chainId,
  ...nameFields(name),
  ...noOwners,
  expiryTimestamp: null,
  resolver: null,
  registry: null,
  displayText: null,
  effectiveOwnerAddress: null,
});

/** The state of an ENSv1 name comes from its row. */
function ofEnsv1(base: DomainState, { walk, phases }: Way, records: RecordsSource): DomainState {
  const isUnseen = phases.has("open") && walk.entry === null && isEthSecondLevel(base);
  return {
    ...base,
    ...(records.kind === "nowhere" && { displayText: null }),
    ...(isUnseen && { isUnseen }),
  };
}

/** The state of an ENSv2 name comes from its entry. Without an entry it has no owner: the state in ENSv1 is history. */
function ofEntry(base: DomainState, { walk: { entry, pathExpiry } }: Way, { now }: At): DomainState {
  const isLive = entry !== null && entry.expiry > BigInt(now);
  // The registry keeps the last holder, but only a name of the registrar can be renewed by that holder after its expiry.
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
 * The account that held a name until it expired. No last holder is given for a name below an expired one: its token still exists,
 * can be transferred, and the name can be renewed too late. The history of its owners includes the holder.
 */
const lastHolderOf = (entry: Walk["entry"]): LastHolder | null =>
  (entry?.owner && { address: entry.owner, until: entry.expiry }) || null;
