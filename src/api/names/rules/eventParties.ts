import { type EventType, typeOf } from "./eventTypes.ts";

/*
 * Which addresses a log names as those who act, give or receive. Each place where a log can name one has an index of its
 * own, by which the newest logs of an address are found, however many it has.
 */

/** One place where logs name an address. */
export type Party = {
  /** Of the index. */
  name: string;
  /** SQL of the address. */
  value: string;
  /** The events that name it there. */
  events: readonly string[];
  /** The family of those named `Transfer` there, which is an event of registries and of registrars. */
  family?: string;
  /** SQL: the rows that the index has, besides those with the events. */
  where: string;
};

const NONE = "'0x0000000000000000000000000000000000000000'";

/** An address in `details`. A quote inside a JSON text is escaped, so that no text can look like a field. */
const inDetails = (...fields: readonly string[]): string =>
  `substring(details from '"(?:${fields.join("|")})":"(0x[0-9a-f]{40})"')`;

const listOf = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(", ");

/** A column. The zero address, from which tokens are minted and to which they are burnt, is no party. */
const column = (name: string, events: readonly string[], family?: string): Party => ({
  name: `events_${name}`,
  value: name,
  events,
  where: `${name} <> ${NONE}`,
  ...(family && { family }),
});

/** A field of `details`, which logs of these events have. */
const detail = (name: string, fields: readonly string[], events: readonly string[]): Party => ({
  name: `events_detail_${name}`,
  value: inDetails(...fields),
  events,
  where: `details is not null and event_type in (${listOf(events)})`,
});

const transfers = ["Transfer", "TransferSingle", "TransferBatch"];
const registrations = ["NameRegistered", "NameRegisteredWithRecord", "NameMigrated", "PohNameRegistered"];
const byEntry = [
  "LabelReserved",
  "LabelUnregistered",
  "ExpiryUpdated",
  "SubregistryUpdated",
  "ResolverUpdated",
];

/**
 * Every place where a log names a party. Not who may change a name's records at a resolver: anyone's contract can log that of
 * any name and any address. These logs are found by the name.
 */
export const parties: readonly Party[] = [
  column(
    "from_address",
    [...transfers, "NewBid", "BidRevealed", "RegistrationBurned", "AgentBound", "URIUpdated"],
    "REGISTRAR",
  ),
  column("to_address", transfers, "REGISTRAR"),
  column("owner_address", [
    "NewOwner",
    ...registrations,
    "OwnerNameRegistered",
    "HashRegistered",
    "NameWrapped",
    "RegistrationCreated",
    "LabelRegistered",
    "Registered",
  ]),
  column("new_owner_address", ["Transfer", "NameUnwrapped", "RegistrationTransferred"], "REGISTRY"),
  detail("owner", ["owner"], ["Approval", "ApprovalForAll"]),
  detail(
    "actor",
    ["operator", "sender"],
    [
      "ApprovalForAll",
      "TransferSingle",
      "TransferBatch",
      "RegistrationTransferred",
      "ProxyDeployed",
      "LabelRegistered",
      ...byEntry,
      "ParentUpdated",
      "URIUpdated",
    ],
  ),
  detail("account", ["account", "approved"], ["EACRolesChanged", "Approval", "ApprovalForAll"]),
  {
    name: "events_reverse_address",
    value: "address",
    events: ["NameForAddrChanged", "ReverseClaimed", "BaseReverseClaimed"],
    where: "event_type in ('NameForAddrChanged', 'ReverseClaimed', 'BaseReverseClaimed')",
  },
];

/** SQL of what emits an event, in the place of an address: for events of all contracts by their kind. */
export const FAMILY = "contract || ' '";

/**
 * SQL of the hash by which an index finds the events of one name, on one chain, of an address: of 8 bytes, where the three
 * have 70. It is all that a statement compares with the index, so no other index looks as good to the planner.
 */
export const hashOf = (value: string): string => `hashtextextended(${joined(value)}, chain_id)`;

/**
 * SQL of an event's time in the indexes of places, and in what reads them. The index of all events by time has the column
 * itself and cannot serve: to the planner it seems to lead to an event of any kind soon, but of a kind that a contract never
 * emits it leads to none, past every event there is.
 */
export const TIME_OF_PLACE = "(block_timestamp + 0)";

/** SQL of what is hashed: a statement compares it, too, because two of them can have one hash. */
export const joined = (value: string): string => `${value} || event_type`;

/** Whether an event names a party in this place by a log of one of these kinds. */
const isOfType = ({ family }: Party, eventType: string, types: readonly EventType[]): boolean => {
  if (eventType !== "Transfer" || family === undefined) return true;
  const type = typeOf({ family, eventType });
  return type !== undefined && types.includes(type);
};

/** Which events are looked for: by their names, and where not all kinds are, by these. */
export type Looked = { names: readonly string[]; types?: readonly EventType[] | undefined };

/** Of these events those by which a party can be named in this place. */
export const namedBy = (party: Party, { names, types }: Looked): string[] =>
  party.events.filter(
    (name) => names.includes(name) && (types === undefined || isOfType(party, name, types)),
  );
