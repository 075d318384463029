import { type EventType, typeOf } from "./eventTypes.ts";

/**
 * The addresses that a log names as actor, sender or receiver. Each place where a log can name one has its own index, which finds
 * the newest logs of an address, however many it has.
 */

/** A place where logs name an address. */
export type Party = {
  /** Name of the index. */
  name: string;
  /** SQL of the address. */
  value: string;
  /** The events that name the address in this place. */
  events: readonly string[];
  /** The contract family whose `Transfer` names it. Both registries and registrars emit an event of that name. */
  family?: string;
  /** SQL of the index's predicate, apart from the events. */
  where: string;
};

const NONE = "'0x0000000000000000000000000000000000000000'";

/** An address in `details`. JSON escapes quotes within texts, so no text can look like a field. */
const inDetails = (...fields: readonly string[]): string =>
  `substring(details from '"(?:${fields.join("|")})":"(0x[0-9a-f]{40})"')`;

const listOf = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(", ");

/** A column. The zero address, which tokens are minted from and burnt to, is not a party. */
const column = (name: string, events: readonly string[], family?: string): Party => ({
  name: `events_${name}`,
  value: name,
  events,
  where: `${name} <> ${NONE}`,
  ...(family && { family }),
});

/** A field of `details` that logs of these events have. */
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
 * Every place where a log names a party. Approvals to change a name's records at a resolver are left out: anyone's contract can
 * log them for any name and any address. These logs are found by name.
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

/** SQL of an event's emitter in place of an address, for events of all contracts of a kind. */
export const FAMILY = "contract || ' '";

/**
 * SQL of the hash by which an index finds the events of one type, on one chain, of an address. It has 8 bytes, while the three
 * values have 70. A statement compares nothing else with the index, so no other index looks as good to the planner.
 */
export const hashOf = (value: string): string => `hashtextextended(${joined(value)}, chain_id)`;

/**
 * SQL of an event's time in the indexes of places, and in statements that read them. The index of all events by time contains the
 * bare column, so it does not match. The planner would expect it to lead to an event of any type soon; for a type that a contract
 * never emits, it reads every event and finds none.
 */
export const TIME_OF_PLACE = "(block_timestamp + 0)";

/** SQL of the hashed text. Statements compare it, too, because two texts can have the same hash. */
export const joined = (value: string): string => `${value} || event_type`;

/** True if an event, as one of these types, names a party in this place. */
const isOfType = ({ family }: Party, eventType: string, types: readonly EventType[]): boolean => {
  if (eventType !== "Transfer" || family === undefined) return true;
  const type = typeOf({ family, eventType });
  return type !== undefined && types.includes(type);
};

/** The events to find: their names and, unless all types are wanted, their types. */
export type Looked = { names: readonly string[]; types?: readonly EventType[] | undefined };

/** The given events that can name a party in this place. */
export const namedBy = (party: Party, { names, types }: Looked): string[] =>
  party.events.filter(
    (name) => names.includes(name) && (types === undefined || isOfType(party, name, types)),
  );
