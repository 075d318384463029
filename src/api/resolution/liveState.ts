import type { Address } from "viem";
import type { Contracts } from "../../../abis/contracts.ts";
import { isWrapped } from "../../ens/owner.ts";
import { PARENT_CANNOT_CONTROL } from "../../ens/wrapper.ts";
import type { LiveOwners } from "../live/owners.ts";
import type { LiveRecords } from "../live/records.ts";
import type { StoredOwners } from "../rules/ownership.ts";
import { isEthSecondLevel, type ParsedName } from "../schemas/input.ts";
import type { DomainState } from "./domains.ts";

/** Where a name stands in the tree; from the index if it is there, else from what the caller asked. */
export type NamePlace = Pick<
  DomainState,
  "node" | "parentNode" | "labelhash" | "label" | "labelLength" | "fullName"
>;

/** The place of a name that the index does not hold. */
export const placeOf = (asked: ParsedName): NamePlace => ({
  node: asked.node,
  parentNode: asked.parentNode,
  labelhash: asked.labelhash,
  label: asked.label,
  labelLength: asked.labelLength,
  fullName: asked.name,
});

/**
 * A name as resolvers need it, in as many labels' text as can be had: of a label that the index knows by its hash only,
 * the caller may know the text, and the other way round. Both spell the same node, so the hashes prove each text.
 */
export function spellOut(name: string, other: string): string {
  const [labels, others] = [name.split("."), other.split(".")];
  if (labels.length !== others.length) return name;
  return labels.map((label, i) => (label.startsWith("[") ? (others[i] ?? label) : label)).join(".");
}

type Chain = { owners: LiveOwners; records: LiveRecords };

/** What is known besides the chain's answer; `now` is the time of the question, in unix seconds. */
type LiveContext = { indexed: DomainState | null; contracts: Contracts; now: number };

/**
 * What the chain says of a name, in the words of the index. Null if it says that there is no such name: nobody owns it
 * and no resolver answers for it.
 */
export function toLiveState(
  place: NamePlace,
  { indexed, live, contracts, now }: LiveContext & { live: Chain },
): DomainState | null {
  const { owners, records } = live;
  if (indexed === null && owners.registryOwner === null && records.answeredBy === null) return null;
  const stored = toStoredOwners(owners, place, { indexed, contracts, now });
  return {
    ...place,
    ...stored,
    expiryTimestamp: expiryOf(stored, owners, isEthSecondLevel(place)),
    resolver: owners.resolver,
    displayText: records.texts.find(({ key }) => key === "display")?.value ?? null,
  };
}

/**
 * Owners as the contracts store them. Where a contract answers none because the name expired, the last registrant is
 * the index's to know, and a wrapper token that lapsed is told by its expiry.
 */
function toStoredOwners(
  owners: LiveOwners,
  place: NamePlace,
  { indexed, contracts, now }: LiveContext,
): StoredOwners {
  const registrarOwner = owners.registrarOwner ?? lastRegistrant(owners, indexed);
  const wrapperExpiry = BigInt(owners.wrapperExpiry);
  const layers = { registryOwner: owners.registryOwner, registrarOwner, wrapperOwner: owners.wrapperOwner };
  const isEth = isEthSecondLevel(place);
  // `getData` answers no owner for a token that lapsed, but its expiry stays; so it does of one that was burnt.
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

/** `ownerOf` reverts once a name expired; the token is still its last holder's. */
const lastRegistrant = ({ registrarExpiry }: LiveOwners, indexed: DomainState | null): Address | null =>
  registrarExpiry === null ? null : (indexed?.registrarOwner ?? null);

function expiryOf(stored: StoredOwners, { registrarExpiry }: LiveOwners, isEth: boolean): bigint | null {
  if (isEth) return registrarExpiry === null ? null : BigInt(registrarExpiry);
  return stored.isWrapped ? stored.wrapperExpiryTimestamp || null : null;
}
