/**
 * The type of change that a log records. The contracts have a hundred events, and callers select from twelve types. One change
 * often has several logs: registrar and controller both log a registration. Logs without a type are about a contract itself (its
 * owner, its code, its prices), or about an auction's bids.
 */

/** Types of events. */
export const eventTypes = [
  "registration",
  "renewal",
  "release",
  "transfer",
  "authority",
  "migration",
  "resolver",
  "record",
  "primary_name",
  "permission",
  "subregistry",
  "agent",
] as const;

export type EventType = (typeof eventTypes)[number];

/** An event, by the family of its emitter and its name in the contract. */
export type LoggedAs = { family: string; eventType: string };

const registry = {
  authority: ["NewOwner", "Transfer"],
  resolver: ["NewResolver"],
  permission: ["ApprovalForAll"],
};

const registrar = {
  registration: ["NameRegistered", "NameRegisteredWithRecord"],
  renewal: ["NameRenewed"],
  migration: ["NameMigrated"],
  transfer: ["Transfer"],
  permission: ["Approval", "ApprovalForAll"],
};

const forAddress = { primary_name: ["NameForAddrChanged"] };

const tokenSale = { registration: ["NameRegistered"], renewal: ["NameRenewed"] };

/** Event names by type and family, as in `events.contract`. No log records that a name expires. */
const logs: Record<string, Partial<Record<EventType, readonly string[]>>> = {
  REGISTRY: registry,
  REGISTRY_OLD: registry,
  REGISTRAR: registrar,
  REGISTRAR_OLD: registrar,
  REGISTRAR_AUCTION: { registration: ["HashRegistered"], release: ["HashReleased", "HashInvalidated"] },
  REGISTRAR_DNS: {
    registration: ["RegistrationCreated"],
    renewal: ["RegistrationExtended"],
    release: ["RegistrationBurned"],
    transfer: ["RegistrationTransferred"],
    authority: ["NewOwner", "Transfer"],
  },
  CONTROLLER: {
    registration: ["NameRegistered", "PohNameRegistered", "OwnerNameRegistered"],
    renewal: ["NameRenewed", "NameRenewedPoh"],
  },
  RENEWAL_REFERRER: { renewal: ["RenewalReferred"] },
  NAME_WRAPPER: {
    authority: ["NameWrapped", "NameUnwrapped"],
    renewal: ["ExpiryExtended"],
    transfer: ["TransferSingle", "TransferBatch"],
    permission: ["FusesSet", "Approval", "ApprovalForAll"],
  },
  RESOLVER: {
    record: [
      "TextChanged",
      "AddrChanged",
      "AddressChanged",
      "ContenthashChanged",
      "ContentChanged",
      "MultihashChanged",
      "ABIChanged",
      "InterfaceChanged",
      "PubkeyChanged",
      "VersionChanged",
      "DNSRecordChanged",
      "DNSRecordDeleted",
      "DNSZonehashChanged",
      "DNSZoneCleared",
      "DataChanged",
    ],
    // The `name` record, which a reverse node uses to name its address. Hardly any other node has one.
    primary_name: ["NameChanged"],
    permission: ["AuthorisationChanged", "Approved", "ApprovalForAll"],
  },
  REVERSE_REGISTRAR: { primary_name: ["ReverseClaimed", "BaseReverseClaimed"] },
  DEFAULT_REVERSE_REGISTRAR: forAddress,
  L2_REVERSE_REGISTRAR: forAddress,
  ENSV2_REGISTRY: {
    registration: ["LabelRegistered", "LabelReserved"],
    renewal: ["ExpiryUpdated"],
    release: ["LabelUnregistered"],
    transfer: ["TransferSingle", "TransferBatch"],
    resolver: ["ResolverUpdated"],
    permission: ["EACRolesChanged", "TokenResource", "TokenRegenerated", "ApprovalForAll"],
    subregistry: ["SubregistryUpdated", "ParentUpdated"],
  },
  ENSV2_REGISTRAR: tokenSale,
  ENSV2_RENEWER: tokenSale,
  ENSV2_RESOLVER: {
    record: [
      "Linked",
      "Cleared",
      "TextUpdated",
      "AddressUpdated",
      "ContenthashUpdated",
      "DataUpdated",
      "ABIUpdated",
      "InterfaceUpdated",
    ],
    primary_name: ["NameUpdated"],
    permission: ["EACRolesChanged", "ResourceArgument"],
  },
  AGENT_ADAPTER: { agent: ["AgentBound"] },
  AGENT_REGISTRY: { agent: ["Registered", "URIUpdated", "Transfer"] },
};

/** The registration that moves a name from ENSv1, if its sender migrates names. */
export const MIGRATING = "LabelRegistered";

const typesByLog: ReadonlyMap<string, EventType> = new Map(
  Object.entries(logs).flatMap(([family, types]) =>
    Object.entries(types).flatMap(([type, names]) =>
      names.map((name) => [keyOf({ family, eventType: name }), type as EventType] as const),
    ),
  ),
);

/** A family and an event's name, as one text. */
export function keyOf({ family, eventType }: LoggedAs): string {
  return `${family} ${eventType}`;
}

/** The type of a log; undefined if it has none. */
export const typeOf = (logged: LoggedAs): EventType | undefined => typesByLog.get(keyOf(logged));

/** All logs of some types. The event that migrates names belongs to both registrations and migrations. */
export function loggedAs(types: readonly EventType[]): LoggedAs[] {
  return [...typesByLog].flatMap(([key, type]) => {
    const [family = "", eventType = ""] = key.split(" ");
    const isMigrating = family === "ENSV2_REGISTRY" && eventType === MIGRATING && types.includes("migration");
    return types.includes(type) || isMigrating ? [{ family, eventType }] : [];
  });
}

/** Logs without a type, by family. */
const others: Record<string, readonly string[]> = {
  REGISTRY: ["NewTTL"],
  REGISTRY_OLD: ["NewTTL"],
  REGISTRAR: ["OwnershipTransferred", "ControllerAdded", "ControllerRemoved"],
  REGISTRAR_OLD: ["OwnershipTransferred", "ControllerAdded", "ControllerRemoved"],
  REGISTRAR_AUCTION: ["AuctionStarted", "NewBid", "BidRevealed"],
  CONTROLLER: ["OwnershipTransferred", "NewPriceOracle", "ETHPaymentProcessed", "DiscountApplied"],
  PRICE_FEED: ["AnswerUpdated"],
  DNS_REGISTRAR: ["Claim"],
  SUBDOMAIN_REGISTRAR: ["NewRegistration"],
  SHORT_NAME_CLAIMS: ["ClaimSubmitted", "ClaimStatusChanged"],
  NAME_WRAPPER: ["URI", "ControllerChanged", "OwnershipTransferred"],
  REVERSE_REGISTRAR: [
    "OwnershipTransferred",
    "ControllerChanged",
    "ControllerApprovalChanged",
    "DefaultResolverChanged",
  ],
  DEFAULT_REVERSE_REGISTRAR: ["OwnershipTransferred", "ControllerChanged"],
  ENSV2_REGISTRY: ["RegistryCreated", "URIUpdated", "Upgraded"],
  ENSV2_RESOLVER: ["ResolverCreated", "Upgraded"],
  ENSV2_FACTORY: ["ProxyDeployed"],
  ENSV2_LABEL_STORE: ["Label"],
  ENSV2_UNIVERSAL_RESOLVER: ["Upgraded"],
};

/** Every indexed event. */
export const allLogs: readonly LoggedAs[] = [
  ...loggedAs(eventTypes),
  ...Object.entries(others).flatMap(([family, names]) => names.map((eventType) => ({ family, eventType }))),
];

/** The name of every indexed event. */
export const allEventNames: readonly string[] = [...new Set(allLogs.map(({ eventType }) => eventType))];

/** The logs that set records, by record family. */
const recordLogs = {
  text: ["TextChanged", "TextUpdated"],
  addr: ["AddrChanged", "AddressChanged", "AddressUpdated"],
  contenthash: ["ContenthashChanged", "ContenthashUpdated", "ContentChanged", "MultihashChanged"],
  name: ["NameChanged", "NameUpdated"],
  abi: ["ABIChanged", "ABIUpdated"],
  interface: ["InterfaceChanged", "InterfaceUpdated"],
  pubkey: ["PubkeyChanged"],
  dns: ["DNSRecordChanged", "DNSRecordDeleted", "DNSZonehashChanged", "DNSZoneCleared"],
  data: ["DataChanged", "DataUpdated"],
} as const;

export type RecordFamily = keyof typeof recordLogs;
export const recordFamilies = Object.keys(recordLogs) as [RecordFamily, ...RecordFamily[]];

/** Logs that clear all records of a name, or replace them. They name no key. */
export const resetLogs: readonly string[] = [
  "VersionChanged",
  "Cleared",
  "Linked",
  "NewResolver",
  "ResolverUpdated",
];

/** The logs that set records of some families. */
export const logsOfRecords = (families: readonly RecordFamily[]): readonly string[] =>
  families.flatMap((family) => recordLogs[family]);
