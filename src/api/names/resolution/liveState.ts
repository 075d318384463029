import type { Address } from "viem";
import type { Contracts } from "../../../../abis/contracts.ts";
import { effectiveOwner, isWrapped } from "../../../ens/owner.ts";
import { PARENT_CANNOT_CONTROL } from "../../../ens/wrapper.ts";
import type { LiveEntry } from "../live/entries.ts";
import type { LiveName } from "../live/live.ts";
import type { LiveOwners } from "../live/liveOwners.ts";
import type { LiveRecords } from "../live/liveRecords.ts";
import type { StoredOwners } from "../rules/ownership.ts";
import { isEthSecondLevel, type ParsedName } from "../schemas/input.ts";
import { type DomainState, indexOnlyFields, nameFields, noOwners } from "./domainState.ts";
import type { Ensv2State } from "./ensv2/ensv2State.ts";
import type { IndexedName } from "./indexedName.ts";

/** A name for which the chain answered, and its indexed state. */
type RequestedName = { name: DomainState | ParsedName; indexed: IndexedName | null };

/** The facts that complete an answer of the chain. `now` is the time of the request, in Unix seconds. */
type Besides = {
  indexed: DomainState | null;
  /** The indexed ENSv2 walk of the name. */
  ensv2: Ensv2State | undefined;
  contracts: Contracts;
  now: number;
};

/** The state of a layer 2 name. Owners and expiry are in its registry, which the index follows. */
export const stateOfLayer2 = (state: DomainState, records: LiveRecords): DomainState => ({
  ...state,
  displayText: displayOf(records),
});

/** The state of a name on the main chain. Null if the chain has no such name: it has no owner, and no resolver answers for it. */
export function stateOfMain(
  { name, indexed: indexedName }: RequestedName,
  answer: LiveName,
  { contracts, now }: Pick<Besides, "contracts" | "now">,
): DomainState | null {
  const indexed = indexedName?.isInRegistry ? indexedName.state : null;
  const besides = { indexed, ensv2: indexedName?.state.ensv2, contracts, now };
  const { entry } = answer;
  return entry === undefined ? ofEnsv1(name, answer, besides) : ofEnsv2(name, { ...answer, entry }, besides);
}

function ofEnsv1(
  name: DomainState | ParsedName,
  { owners, records }: LiveName,
  besides: Besides,
): DomainState | null {
  const { indexed, ensv2, contracts } = besides;
  if (indexed === null && owners.registryOwner === null && records.answeredBy === null) return null;
  const isEth = isEthSecondLevel(name);
  const stored = toStoredOwners(owners, isEth, besides);
  return {
    chainId: contracts.chainId,
    ...nameFields(name),
    ...stored,
    expiryTimestamp: expiryOf(stored, owners, isEth),
    resolver: owners.resolver,
    registry: null,
    effectiveOwnerAddress: effectiveOwner(stored)?.address ?? null,
    ...(indexed?.isUnseen && { isUnseen: true }),
    ...indexOnlyFields(indexed),
    ...(ensv2 && { ensv2 }),
    displayText: displayOf(records),
  };
}

/**
 * The state of an ENSv2 name according to its registry. Null if no registry has an entry for it, the index has nothing, and no
 * resolver answers for it. After the expiry, only a name of the registrar keeps its last holder.
 */
function ofEnsv2(
  name: DomainState | ParsedName,
  { entry, records }: LiveName & { entry: LiveEntry | null },
  { indexed, contracts, now, ensv2 }: Besides,
): DomainState | null {
  if (indexed === null && entry === null && records.answeredBy === null) return null;
  const expiry = entry && BigInt(entry.expiry);
  const isLive = expiry !== null && expiry > BigInt(now);
  return {
    chainId: contracts.chainId,
    ...nameFields(name),
    ...noOwners,
    expiryTimestamp: expiry,
    pathExpiryTimestamp: ensv2?.walk.pathExpiry ?? null,
    resolver: isLive ? (entry?.resolver ?? null) : null,
    registry: entry?.registry ?? null,
    effectiveOwnerAddress: (isLive || isEthSecondLevel(name)) && entry ? entry.latestOwner : null,
    ...(ensv2 && { ensv2: withTokenOf(ensv2, entry) }),
    ...indexOnlyFields(indexed),
    displayText: displayOf(records),
  };
}

/** Adds the token from the registry: a registry with an unknown implementation is not in the index. */
const withTokenOf = (ensv2: Ensv2State, entry: LiveEntry | null): Ensv2State =>
  entry === null
    ? ensv2
    : { ...ensv2, liveTokenId: entry.latestOwner === null ? null : BigInt(entry.tokenId) };

/** The `display` text on chain. */
const displayOf = ({ texts }: LiveRecords): string | null =>
  texts.find(({ key }) => key === "display")?.value ?? null;

/**
 * Owners as the contracts store them. If a contract returns no owner because the name expired, the index has the last registrant,
 * and the expiry of a wrapper token shows that it lapsed.
 */
function toStoredOwners(
  owners: LiveOwners,
  isEth: boolean,
  { indexed, contracts, now }: Besides,
): StoredOwners {
  const registrarOwner = owners.registrarOwner ?? lastRegistrant(owners, indexed);
  const wrapperExpiry = BigInt(owners.wrapperExpiry);
  const layers = { registryOwner: owners.registryOwner, registrarOwner, wrapperOwner: owners.wrapperOwner };
  // For a lapsed token, `getData` returns no owner but keeps the expiry. It does the same for a burnt token.
  const hasLapsed =
    layers.wrapperOwner === null &&
    wrapperExpiry > 0n &&
    wrapperExpiry < BigInt(now) &&
    indexed?.wrapperOwner !== null &&
    isWrapped({ ...layers, wrapperOwner: contracts.wrapper ?? null }, contracts.wrapper, isEth);
  return {
    ...layers,
    // Like `lastRegistrant`: the token still belongs to its last holder, whom only the index knows.
    ...(hasLapsed && { wrapperOwner: indexed?.wrapperOwner ?? null }),
    isWrapped: hasLapsed || isWrapped(layers, contracts.wrapper, isEth),
    wrapperFuses: hasLapsed ? PARENT_CANNOT_CONTROL : owners.wrapperFuses,
    wrapperExpiryTimestamp: wrapperExpiry,
  };
}

/** `ownerOf` reverts once a name has expired; the token still belongs to its last holder. */
const lastRegistrant = ({ registrarExpiry }: LiveOwners, indexed: DomainState | null): Address | null =>
  registrarExpiry === null ? null : (indexed?.registrarOwner ?? null);

function expiryOf(stored: StoredOwners, { registrarExpiry }: LiveOwners, isEth: boolean): bigint | null {
  if (isEth) return registrarExpiry === null ? null : BigInt(registrarExpiry);
  return stored.isWrapped ? stored.wrapperExpiryTimestamp || null : null;
}
