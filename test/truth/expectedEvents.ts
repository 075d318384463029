import type { Hex } from "viem";
import type { Argument, Log, TextBytes } from "./chainLogs.ts";
import { exactText, shownText } from "./chainLogs.ts";
import {
  ethNodeOf,
  hashOfId,
  hashOfPurchase,
  hashOfText,
  isShowable,
  labelOfPurchase,
  nodeBelowHash,
  shownDnsName,
} from "./names.ts";

/** Columns of `events` that a log determines; all others must be null. Integers are decimal strings. */
export type Columns = Record<string, string | null>;

/** Expected content of a row of `events`: its columns, and the values that `details` must contain. */
export type ExpectedRow = { columns: Columns; details: string[] };

/** Facts about a log from other logs and the chain's state. */
export type Surroundings = {
  /** Seconds added by a renewal at the registrar. */
  addedSeconds: (log: Log) => bigint | null;
  /** Price in wei of a renewal by the controller of 2023, if the index can know it. */
  exactCost: (log: Log) => bigint | null;
  /** Seconds for the label of a renewal by the controller of 2023. */
  renewedSeconds: (log: Log) => bigint | null;
  /** Coin type of the L2 reverse registrar's chain. */
  layer2CoinType: bigint;
  /** The name that the token belongs to; null for another token. */
  nodeOfToken: (tokenContract: Hex, tokenId: bigint) => Hex | null;
};

/** The name of each role in `events.contract`. */
const contractWords: Record<string, string> = {
  "registry 1": "REGISTRY_OLD",
  "registry 2": "REGISTRY",
  "registrar 0": "REGISTRAR_AUCTION",
  "registrar 1": "REGISTRAR_OLD",
  "registrar 2": "REGISTRAR",
  wrapper: "NAME_WRAPPER",
  controller: "CONTROLLER",
  "price-feed": "PRICE_FEED",
  "renewal-referrer": "RENEWAL_REFERRER",
  resolver: "RESOLVER",
  "reverse-resolver": "RESOLVER",
  "reverse-registrar": "REVERSE_REGISTRAR",
  "default-reverse-registrar": "DEFAULT_REVERSE_REGISTRAR",
  "l2-reverse-registrar": "L2_REVERSE_REGISTRAR",
  "agent-adapter": "AGENT_ADAPTER",
  "agent-registry": "AGENT_REGISTRY",
};

const registry = "NewOwner Transfer NewResolver NewTTL ApprovalForAll";
const registrar = `Transfer NameRegistered NameMigrated NameRenewed Approval ApprovalForAll ControllerAdded ControllerRemoved
  OwnershipTransferred`;
const record = `TextChanged AddrChanged AddressChanged ContenthashChanged NameChanged VersionChanged ContentChanged
  MultihashChanged ABIChanged InterfaceChanged PubkeyChanged DNSRecordChanged DNSRecordDeleted DNSZonehashChanged
  DNSZoneCleared AuthorisationChanged Approved ApprovalForAll DataChanged`;
const claim = "NameForAddrChanged ControllerChanged OwnershipTransferred";

/** The events that this file covers, by `events.contract`: those of the main chain's contracts of ENSv1. */
export const knownEvents: Readonly<Record<string, string>> = {
  REGISTRY: registry,
  REGISTRY_OLD: registry,
  REGISTRAR_AUCTION: "AuctionStarted NewBid BidRevealed HashRegistered HashReleased HashInvalidated",
  REGISTRAR_OLD: registrar,
  REGISTRAR: registrar,
  CONTROLLER: "NameRegistered NameRenewed NewPriceOracle OwnershipTransferred",
  PRICE_FEED: "AnswerUpdated",
  RENEWAL_REFERRER: "RenewalReferred",
  NAME_WRAPPER: `NameWrapped NameUnwrapped FusesSet ExpiryExtended TransferSingle TransferBatch Approval URI ApprovalForAll
    ControllerChanged OwnershipTransferred`,
  RESOLVER: record,
  REVERSE_REGISTRAR: "ReverseClaimed DefaultResolverChanged ControllerChanged OwnershipTransferred",
  DEFAULT_REVERSE_REGISTRAR: claim,
  L2_REVERSE_REGISTRAR: claim,
  AGENT_ADAPTER: "AgentBound",
  AGENT_REGISTRY: "Registered URIUpdated Transfer",
};

/** The expected rows of the log in `events`, one per name that it concerns. */
export function expectedRows(log: Log, around: Surroundings): ExpectedRow[] {
  const word = contractWords[`${log.role} ${log.entry?.generation}`] ?? contractWords[log.role] ?? log.role;
  const common = {
    contract: word,
    contract_address: log.address,
    event_type: log.eventName,
    block_timestamp: String(log.blockTimestamp),
    transaction_hash: log.transactionHash,
  };
  return meaningsOf(log, around).map(({ columns, details }) => ({
    columns: { ...common, ...columns },
    details,
  }));
}

type Meaning = { columns: Columns; used: string[]; texts?: string[] };

function meaningsOf(log: Log, around: Surroundings): ExpectedRow[] {
  if (log.eventName === "TransferBatch") return batchOf(log);
  const { columns, used, texts = [] } = meaningOf(log, around);
  const rest = Object.entries(log.args).filter(([name]) => !used.includes(name));
  // A text with NUL cannot be in a column: it is in the details, where JSON escapes it.
  const hidden = Object.entries(columns).filter(([, value]) => value?.includes("\0"));
  return [
    {
      columns: { ...columns, ...Object.fromEntries(hidden.map(([column]) => [column, null])) },
      details: [
        ...rest.map(([, value]) => shown(value)),
        ...texts,
        ...hidden.flatMap(([, value]) => (value === null ? [] : [value])),
      ],
    },
  ];
}

function batchOf({ args }: Log): ExpectedRow[] {
  const ends = { from_address: shown(args.from), to_address: shown(args.to) };
  const ids = args.ids as readonly bigint[];
  const details = usedOfMove(args).length > 0 ? [] : [shown(args.operator)];
  if (ids.length === 0) return [{ columns: ends, details }];
  return ids.map((id) => ({ columns: { ...ends, node: hashOfId(id) }, details }));
}

/** The operator is in the details, unless the owner moved the token. */
const usedOfMove = (args: Log["args"]): string[] => (args.operator === args.from ? ["operator"] : []);

function meaningOf(log: Log, around: Surroundings): Meaning {
  switch (log.role) {
    case "registry":
      return registryMeaning(log);
    case "registrar":
      return log.entry?.generation === 0 ? auctionMeaning(log) : registrarMeaning(log, around);
    case "controller":
      return log.eventName === "NameRegistered" || log.eventName === "NameRenewed"
        ? purchaseMeaning(log, around)
        : { columns: {}, used: [] };
    case "price-feed":
      return { columns: {}, used: [] };
    case "renewal-referrer":
      return referralMeaning(log);
    case "wrapper":
      return wrapperMeaning(log);
    case "resolver":
    case "reverse-resolver":
      return recordMeaning(log);
    case "agent-adapter":
    case "agent-registry":
      return agentMeaning(log, around);
    default:
      return reverseMeaning(log, around);
  }
}

function registryMeaning({ eventName, args }: Log): Meaning {
  const node = shown(args.node);
  switch (eventName) {
    case "NewOwner":
      return {
        columns: {
          node: nodeBelowHash(args.node as Hex, args.label as Hex),
          owner_address: shown(args.owner),
        },
        used: ["node", "label", "owner"],
      };
    case "Transfer":
      return { columns: { node, new_owner_address: shown(args.owner) }, used: ["node", "owner"] };
    case "NewResolver":
      return { columns: { node, resolver_address: shown(args.resolver) }, used: ["node", "resolver"] };
    case "NewTTL":
      return { columns: { node }, used: ["node"] };
    default:
      return { columns: {}, used: [] };
  }
}

function registrarMeaning(log: Log, around: Surroundings): Meaning {
  const { args, entry, blockTimestamp } = log;
  const id = (args.tokenId ?? args.id) as bigint | undefined;
  const node = id === undefined ? null : ethNodeOf(hashOfId(id));
  const used = ["tokenId", "id"];
  const isCurrent = entry?.generation === 2;
  switch (log.eventName) {
    case "Transfer":
      return {
        columns: { node, from_address: shown(args.from), to_address: shown(args.to) },
        used: [...used, "from", "to"],
      };
    case "NameRegistered":
    case "NameMigrated":
      return {
        columns: {
          node,
          owner_address: shown(args.owner),
          expiry_timestamp: shown(args.expires),
          duration_seconds: isCurrent ? String((args.expires as bigint) - BigInt(blockTimestamp)) : null,
        },
        used: [...used, "owner", "expires"],
      };
    case "NameRenewed":
      return {
        columns: {
          node,
          expiry_timestamp: shown(args.expires),
          duration_seconds: orNull(isCurrent ? around.addedSeconds(log) : null),
        },
        used: [...used, "expires"],
      };
    default:
      return { columns: { node }, used };
  }
}

function auctionMeaning({ eventName, args }: Log): Meaning {
  const node = ethNodeOf(args.hash as Hex);
  switch (eventName) {
    case "NewBid":
      return {
        columns: { from_address: shown(args.bidder), cost_wei: shown(args.deposit) },
        used: ["bidder", "deposit"],
      };
    case "BidRevealed":
      return {
        columns: { node, from_address: shown(args.owner), cost_wei: shown(args.value) },
        used: ["hash", "owner", "value"],
      };
    case "HashRegistered":
      return {
        columns: { node, owner_address: shown(args.owner), cost_wei: shown(args.value) },
        used: ["hash", "owner", "value"],
      };
    default:
      return { columns: { node }, used: ["hash"] };
  }
}

function purchaseMeaning(log: Log, around: Surroundings): Meaning {
  const { args, entry, eventName, blockTimestamp } = log;
  const isRegistration = eventName === "NameRegistered";
  const cost = (args.cost ?? (args.baseCost as bigint) + (args.premium as bigint)) as bigint;
  const expires = args.expires as bigint;
  const isUpperBound = entry?.generation === 4 && !isRegistration;
  const seconds = isRegistration
    ? expires - BigInt(blockTimestamp)
    : isUpperBound
      ? around.renewedSeconds(log)
      : null;
  return {
    ...labelMeaning(labelOfPurchase(args), hashOfPurchase(args), {
      owner_address: args.owner === undefined ? null : shown(args.owner),
      cost_wei: String(cost),
      base_cost_wei: args.baseCost === undefined ? null : shown(args.baseCost),
      premium_wei: args.premium === undefined ? null : shown(args.premium),
      referrer: args.referrer === undefined ? null : shown(args.referrer),
      expiry_timestamp: String(expires),
      duration_seconds: orNull(seconds),
      exact_cost_wei: orNull(isUpperBound ? around.exactCost(log) : null),
      cost_is_upper_bound: isUpperBound ? "true" : null,
    }),
    used: Object.keys(args),
  };
}

function referralMeaning({ args }: Log): Meaning {
  const columns = {
    cost_wei: shown(args.cost),
    duration_seconds: shown(args.duration),
    referrer: shown(args.referrer),
  };
  return {
    ...labelMeaning(args.label as TextBytes, args.labelHash as Hex, columns),
    used: Object.keys(args),
  };
}

/** A label spelled out by a log: a name if it can be shown, otherwise a detail; bytes that are not UTF-8 are odd. */
function labelMeaning(label: TextBytes, hash: Hex, columns: Columns): Omit<Meaning, "used"> {
  const text = exactText(label);
  const isTrue = text !== null && hashOfText(label) === hash;
  return {
    columns: {
      ...columns,
      node: ethNodeOf(hash),
      name: isTrue && isShowable(text) ? `${text}.eth` : null,
      anomaly: isTrue ? null : ANY,
    },
    texts: isTrue && isShowable(text) ? [] : [shownText(label)],
  };
}

/** Stands for any text. */
export const ANY = "(any text)";

function wrapperMeaning({ eventName, args }: Log): Meaning {
  const node = args.node === undefined ? null : shown(args.node);
  switch (eventName) {
    case "NameWrapped": {
      const name = shownDnsName(args.name as Hex, args.node as Hex);
      return {
        columns: {
          node,
          name,
          owner_address: shown(args.owner),
          fuses: shown(args.fuses),
          expiry_timestamp: shown(args.expiry),
          anomaly: name === null ? ANY : null,
        },
        used: ["node", "owner", "fuses", "expiry", ...(name === null ? [] : ["name"])],
      };
    }
    case "NameUnwrapped":
      return { columns: { node, new_owner_address: shown(args.owner) }, used: ["node", "owner"] };
    case "FusesSet":
      return { columns: { node, fuses: shown(args.fuses) }, used: ["node", "fuses"] };
    case "ExpiryExtended":
      return { columns: { node, expiry_timestamp: shown(args.expiry) }, used: ["node", "expiry"] };
    case "TransferSingle":
      return {
        columns: {
          node: hashOfId(args.id as bigint),
          from_address: shown(args.from),
          to_address: shown(args.to),
        },
        used: ["id", "from", "to", "value", ...usedOfMove(args)],
      };
    case "Approval":
      return { columns: { node: hashOfId(args.tokenId as bigint) }, used: ["tokenId"] };
    default:
      return { columns: {}, used: [] };
  }
}

function recordMeaning({ eventName, args }: Log): Meaning {
  const node = args.node === undefined ? null : shown(args.node);
  const key = args.key === undefined ? null : shownText(args.key as TextBytes);
  switch (eventName) {
    case "TextChanged":
      return {
        columns: { node, key, value: args.value === undefined ? ASK : shownText(args.value as TextBytes) },
        used: ["node", "key", "indexedKey", "value"],
      };
    case "AddrChanged":
      return { columns: { node, address: shown(args.a), coin_type: "60" }, used: ["node", "a"] };
    case "AddressChanged":
      return {
        columns: { node, address: shown(args.newAddress), coin_type: shown(args.coinType) },
        used: ["node", "newAddress", "coinType"],
      };
    case "ContenthashChanged":
      return { columns: { node, contenthash: shown(args.hash) }, used: ["node", "hash"] };
    case "DataChanged":
      return { columns: { node, key }, used: ["node", "key", "indexedKey"] };
    case "NameChanged":
      return { columns: { node, name: shownText(args.name as TextBytes) }, used: ["node", "name"] };
    default:
      return { columns: { node }, used: ["node"] };
  }
}

/** Stands for a text value that its log does not contain: it is judged separately. */
export const ASK = "(not in the log)";

function reverseMeaning({ role, eventName, args }: Log, around: Surroundings): Meaning {
  switch (eventName) {
    case "ReverseClaimed":
      return { columns: { node: shown(args.node), address: shown(args.addr) }, used: ["node", "addr"] };
    case "DefaultResolverChanged":
      return { columns: { resolver_address: shown(args.resolver) }, used: ["resolver"] };
    case "NameForAddrChanged":
      return {
        columns: {
          address: shown(args.addr),
          name: shownText(args.name as TextBytes),
          coin_type: role === "l2-reverse-registrar" ? String(around.layer2CoinType) : "2147483648",
        },
        used: ["addr", "name"],
      };
    default:
      return { columns: {}, used: [] };
  }
}

function agentMeaning({ eventName, args }: Log, around: Surroundings): Meaning {
  switch (eventName) {
    case "AgentBound":
      return {
        columns: {
          node: around.nodeOfToken(args.tokenContract as Hex, args.tokenId as bigint),
          from_address: shown(args.registeredBy),
        },
        used: ["registeredBy"],
      };
    case "Registered":
      return {
        columns: { owner_address: shown(args.owner), value: shown(args.agentURI) },
        used: ["owner", "agentURI"],
      };
    case "URIUpdated":
      return {
        columns: { from_address: shown(args.updatedBy), value: shown(args.newURI) },
        used: ["updatedBy", "newURI"],
      };
    default:
      return {
        columns: { from_address: shown(args.from), to_address: shown(args.to) },
        used: ["from", "to"],
      };
  }
}

/** An argument as rows and JSON show it. */
function shown(value: Argument | undefined): string {
  if (typeof value === "object" && "bytes" in value) return shownText(value);
  return String(value);
}

const orNull = (value: bigint | null): string | null => (value === null ? null : String(value));
