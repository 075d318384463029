import type { Address, Hex } from "viem";
import type { Contracts } from "../../../abis/contracts.ts";
import { effectiveOwner, isWrapped } from "../../ens/owner.ts";
import { PARENT_CANNOT_CONTROL } from "../../ens/wrapper.ts";
import type { LiveEntry } from "../live/entries.ts";
import type { LiveName } from "../live/live.ts";
import type { LiveOwners } from "../live/owners.ts";
import type { LiveRecords } from "../live/records.ts";
import type { StoredOwners } from "../rules/ownership.ts";
import { isEthSecondLevel, type ParsedName } from "../schemas/input.ts";
import type { Ensv2State } from "./ensv2.ts";

/** What is known of a domain, from the index or from the chain. */
export type DomainState = StoredOwners & {
  /** Chain of the registry. */
  chainId: number;
  node: Hex;
  parentNode: Hex | null;
  labelhash: Hex | null;
  label: string;
  labelLength: number | null;
  fullName: string;
  expiryTimestamp: bigint | null;
  resolver: Address | null;
  /** The registry of ENSv2 whose entry answers for the name; null where ENSv1 does. */
  registry: Address | null;
  /** The owner as stored: of a name of ENSv2 the holder of its token. */
  effectiveOwnerAddress: Address | null;
  /** What ENSv2 says of the name; absent where the deployment has no ENSv2, and for names of a layer 2. */
  ensv2?: Ensv2State;
  /** A .eth name of ENSv1 that ENSv2 never saw, while its registrar is open: it has no premium. */
  isUnseen?: boolean;
  /** The name's `display` text record. */
  displayText: string | null;
};

/** What is known besides the chain's answer; `now` is the time of the request, in unix seconds. */
type Known = {
  indexed: DomainState | null;
  contracts: Contracts;
  now: number;
  /** What the index has of the name's way through ENSv2. */
  ensv2?: Ensv2State | undefined;
};

/**
 * The state of a name by the chain. Null if the chain knows no such name: it has no owner, and no resolver answers for
 * it.
 *
 * @param name as the index has it; as the caller wrote it if the index does not have it
 */
export function toLiveState(
  name: DomainState | ParsedName,
  answer: LiveName,
  known: Known,
): DomainState | null {
  if (answer.entry !== undefined) return toLiveStateOfEnsv2(name, { ...answer, entry: answer.entry }, known);
  const { owners, records } = answer;
  if (known.indexed === null && owners.registryOwner === null && records.answeredBy === null) return null;
  const { node, parentNode, labelhash, label, labelLength } = name;
  const isEth = isEthSecondLevel(name);
  const stored = toStoredOwners(owners, isEth, known);
  return {
    ...{ chainId: known.contracts.chainId, node, parentNode, labelhash, label, labelLength, ...stored },
    fullName: "fullName" in name ? name.fullName : name.name,
    expiryTimestamp: expiryOf(stored, owners, isEth),
    resolver: owners.resolver,
    registry: null,
    effectiveOwnerAddress: effectiveOwner(stored)?.address ?? null,
    ...(known.indexed?.isUnseen && { isUnseen: true }),
    ...(known.ensv2 && { ensv2: known.ensv2 }),
    ...(known.indexed?.isUnseen && { isUnseen: true }),
    displayText: displayOf(records),
  };
}

/**
 * The state of a name of ENSv2 by its registry. Null if no registry has an entry of it, the index has nothing, and no
 * resolver answers for it. After the expiry only a name of the registrar keeps its last holder.
 */
function toLiveStateOfEnsv2(
  name: DomainState | ParsedName,
  { entry, records }: LiveName & { entry: LiveEntry | null },
  { indexed, contracts, now, ensv2 }: Known,
): DomainState | null {
  if (indexed === null && entry === null && records.answeredBy === null) return null;
  const { node, parentNode, labelhash, label, labelLength } = name;
  const expiry = entry && BigInt(entry.expiry);
  const isLive = expiry !== null && expiry > BigInt(now);
  return {
    ...{ chainId: contracts.chainId, node, parentNode, labelhash, label, labelLength },
    ...{ registryOwner: null, registrarOwner: null, wrapperOwner: null, isWrapped: false },
    ...{ wrapperFuses: null, wrapperExpiryTimestamp: null },
    fullName: "fullName" in name ? name.fullName : name.name,
    expiryTimestamp: expiry,
    resolver: isLive ? (entry?.resolver ?? null) : null,
    registry: entry?.registry ?? null,
    effectiveOwnerAddress: (isLive || isEthSecondLevel(name)) && entry ? entry.latestOwner : null,
    ...(ensv2 && { ensv2: withTokenOf(ensv2, entry) }),
    displayText: displayOf(records),
  };
}

/** The token as the registry tells it, which a registry of unknown code alone knows. */
const withTokenOf = (ensv2: Ensv2State, entry: LiveEntry | null): Ensv2State =>
  entry === null
    ? ensv2
    : { ...ensv2, liveTokenId: entry.latestOwner === null ? null : BigInt(entry.tokenId) };

/** The `display` text by the chain. */
export const displayOf = ({ texts }: LiveRecords): string | null =>
  texts.find(({ key }) => key === "display")?.value ?? null;

/**
 * Owners as the contracts store them. Where a contract answers no owner because the name expired, the index knows the
 * last registrant, and the expiry of a wrapper token tells that it lapsed.
 */
function toStoredOwners(
  owners: LiveOwners,
  isEth: boolean,
  { indexed, contracts, now }: Known,
): StoredOwners {
  const registrarOwner = owners.registrarOwner ?? lastRegistrant(owners, indexed);
  const wrapperExpiry = BigInt(owners.wrapperExpiry);
  const layers = { registryOwner: owners.registryOwner, registrarOwner, wrapperOwner: owners.wrapperOwner };
  // For a token that lapsed, `getData` answers no owner but keeps the expiry. For a burnt token it does so, too.
  const hasLapsed =
    layers.wrapperOwner === null &&
    wrapperExpiry > 0n &&
    wrapperExpiry < BigInt(now) &&
    indexed?.wrapperOwner !== null &&
    isWrapped({ ...layers, wrapperOwner: contracts.wrapper ?? null }, contracts.wrapper, isEth);
  return {
    ...layers,
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
