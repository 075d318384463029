import type { Context } from "ponder:registry";
import { domain, reverseNode } from "ponder:schema";
import { decodeAbiParameters, type Hex } from "viem";
import { ETHEREUM_COIN_TYPE } from "../ens/coinType.ts";
import { keccak256OfHex } from "../ens/keccak.ts";
import { managedNameOf } from "../ens/managedNames.ts";
import { storable } from "../ens/storable.ts";
import { writtenText } from "../ens/textCalldata.ts";
import { hasOldestShape } from "./neededTransactions.ts";
import { type ArgsOf, type EventIn, on } from "./on.ts";
import { onOperator, putRecordDelegate } from "./write/approvals.ts";
import { readRecord } from "./write/archive.ts";
import { addressesOf, mayRead } from "./write/contracts.ts";
import { appendEventAndHolders } from "./write/events.ts";
import { type HandlerArgs, type LogEvent, type LogRef, nullIfZero } from "./write/logRef.ts";
import { awaitText } from "./write/missingTransactions.ts";
import { refreshClaim } from "./write/primaryNames.ts";
import {
  clearRecords,
  findAddress,
  findText,
  keyHashOf,
  putAddress,
  putResolverNode,
  putText,
} from "./write/records.ts";
import { setReverseName } from "./write/reverseNodes.ts";

/*
 * Any contract can emit these, for any node. Records are stored by resolver and node, because a name that returns to a
 * resolver finds its records there. The API reads those of the name's current resolver.
 */

type Event = EventIn<"Resolver" | "FoundResolver">;
/** Every record's log has a node. */
type RecordArgs = HandlerArgs<LogEvent & { args: { node: Hex } }>;

/**
 * Handles a record's log. On the main chain the entry `Resolver` gets it from any contract. On a layer 2 that entry gets
 * the logs of listed resolvers, and `FoundResolver` those of every resolver that the registry names, listed ones too.
 */
function onRecord<Name extends Event>(
  name: Name,
  handle: (args: ArgsOf<"Resolver" | "FoundResolver", Name>) => Promise<unknown>,
): void {
  on("Resolver", name, handle);
  on("FoundResolver", name, async (args) => {
    if (await concernsName(args as RecordArgs)) await handle(args);
  });
}

/**
 * Whether a found resolver's log is of a node that the chain's registry has. Anyone can name any contract as a resolver,
 * also one of other names with many logs: those are left out. A listed resolver's log goes to `Resolver`.
 */
async function concernsName({ event, context }: RecordArgs): Promise<boolean> {
  if (addressesOf(context, "Resolver").includes(event.log.address)) return false;
  const key = { chainId: context.chain.id, node: event.args.node };
  return (await context.db.find(domain, key)) !== null || (await context.db.find(reverseNode, key)) !== null;
}

/** Writes: events, text_records. An empty value clears the record. */
onRecord(
  "TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value)",
  async ({ event, context, log }) => {
    const { node, key, value } = event.args;
    const keyHash = topicOfKey(event);
    await appendEventAndHolders(context, log, { node, key, value });
    await putText(context, log, { node, key, keyHash, value: value === "" ? null : value, isRead: false });
  },
);
onRecord("TextChanged(bytes32 indexed node, string indexed indexedKey, string key)", (args) =>
  onTextWithoutValue(args, topicOfKey(args.event)),
);
on("ResolverUnindexedKey", "TextChanged", async (args) => {
  const { log } = args.event;
  if (hasOldestShape(log.topics)) await onTextWithoutValue(args, loggedKeyHash(log.data));
});

/**
 * The address on Ethereum. Newer resolvers log AddressChanged for coin type 60 before it; older ones log only this. If
 * that one cleared the record, the zero address here changes nothing. Writes: events, address_records.
 */
onRecord("AddrChanged", async ({ event, context, log }) => {
  const { node, a: address } = event.args;
  const coinType = ETHEREUM_COIN_TYPE;
  await appendEventAndHolders(context, log, { node, address, coinType });
  const isClearedAlready =
    nullIfZero(address) === null && (await findAddress(context, log, node, coinType)) === null;
  if (!isClearedAlready) await putAddress(context, log, node, coinType, address);
});

/** The address of any chain, as bytes. Writes: events, address_records. */
onRecord("AddressChanged", async ({ event, context, log }) => {
  const { node, coinType, newAddress } = event.args;
  await appendEventAndHolders(context, log, { node, coinType, address: newAddress });
  await putAddress(context, log, node, coinType, newAddress);
});

/** Writes: events, resolver_nodes. Empty bytes clear the record. */
onRecord("ContenthashChanged", async ({ event, context, log }) => {
  const { node, hash } = event.args;
  await appendEventAndHolders(context, log, { node, contenthash: hash });
  await putResolverNode(context, log, node, { contenthash: hash === "0x" ? null : hash });
});

/** The name by which a reverse node names its address. Writes: events, resolver_nodes, primary names. */
onRecord("NameChanged", async ({ event, context, log }) => {
  const { node, name } = event.args;
  await appendEventAndHolders(context, log, { node, name });
  await putResolverNode(context, log, node, { name: name === "" ? null : storable(name) });
  await refreshClaimOf(context, log, node, name === "" ? null : name);
});

/** All records of the node were cleared, without a log for each. Writes: events, resolver_nodes, primary names. */
onRecord("VersionChanged", async ({ event, context, log }) => {
  const { node, newVersion } = event.args;
  await appendEventAndHolders(context, log, { node, details: { newVersion } });
  await clearRecords(context, log, node);
  await refreshClaimOf(context, log, node, null);
});

/* Records from before `contenthash`, and records that no answer needs. */
onRecord("ContentChanged", onOtherRecord);
onRecord("MultihashChanged", onOtherRecord);
onRecord("ABIChanged", onOtherRecord);
onRecord("InterfaceChanged", onOtherRecord);
onRecord("PubkeyChanged", onOtherRecord);
onRecord("DNSRecordChanged(bytes32 indexed node, bytes name, uint16 resource, bytes record)", onOtherRecord);
onRecord(
  "DNSRecordChanged(bytes32 indexed node, bytes name, uint16 resource, uint32 ttl, bytes record)",
  onOtherRecord,
);
onRecord("DNSRecordDeleted", onOtherRecord);
onRecord("DNSZonehashChanged", onOtherRecord);
onRecord("DNSZoneCleared", onOtherRecord);
/** The value is logged as its hash (ENSIP-24). Writes: events. */
onRecord("DataChanged", ({ event, context, log }) => {
  const { node, key, indexedData } = event.args;
  return appendEventAndHolders(context, log, { node, key, details: { dataHash: indexedData } });
});
/** An account may write the node's records, or no longer. Writes: events, record_delegates. */
onRecord("AuthorisationChanged", async (args) => {
  const { node, owner, target: delegate, isAuthorised: isApproved } = args.event.args;
  await onOtherRecord(args);
  await putRecordDelegate(args.context, args.log, { node, owner, delegate, isApproved });
});
/** The same from 2023 on. Writes: events, record_delegates. */
onRecord("Approved", async (args) => {
  const { node, owner, delegate, approved: isApproved } = args.event.args;
  await onOtherRecord(args);
  await putRecordDelegate(args.context, args.log, { node, owner, delegate, isApproved });
});
on(["ListedResolver", "DefaultReverseResolver"], "ApprovalForAll", onOperator);

/** The hash of an indexed key, over its bytes as logged. Ponder types it as the text, but it is the hash. */
const topicOfKey = (event: { args: { indexedKey: string } }) => event.args.indexedKey as Hex;

/**
 * The hash of an unindexed key, over its bytes as logged: a key that is not UTF-8 decodes to a text with another hash.
 */
function loggedKeyHash(data: Hex): Hex {
  const [, key] = decodeAbiParameters([{ type: "bytes" }, { type: "bytes" }], data);
  return keccak256OfHex(key);
}

type TextArgs =
  | ArgsOf<"ResolverUnindexedKey", "TextChanged">
  | ArgsOf<
      "Resolver" | "FoundResolver",
      "TextChanged(bytes32 indexed node, string indexed indexedKey, string key)"
    >;

/**
 * A text record set at a resolver whose event has no value. The value comes from the calldata, if the transaction
 * called the resolver directly; else from a read at the end of the block, if allowed; else it is unknown, which
 * differs from "none". Where no read is allowed, a transaction that comes later still tells it. It is always unknown for
 * resolvers that the deployment does not list: the index answers for none of them. Writes: events, text_records,
 * missing_transactions.
 */
async function onTextWithoutValue({ event, context, log, transaction }: TextArgs, keyHash: Hex) {
  const { node, key } = event.args;
  const before = await findText(context, log, node, keyHash);
  const earlierSets = before?.transactionHash === log.transactionHash ? before.setsInTransaction : 0;
  // A contract that is not listed can emit this log for any call, and can answer a read with anything, or never.
  const isListed = addressesOf(context, "ListedResolver").includes(log.contractAddress);
  const written =
    transaction && writtenText(transaction, { resolver: log.contractAddress, node, key, earlierSets });
  // A key that is not UTF-8 cannot be read by its text.
  const isExact = keyHashOf(key) === keyHash;
  const isReadable = isListed && isExact && written === undefined && mayRead(context);
  const record = { functionName: "text", args: [node, key] } as const;
  const read = isReadable ? await readRecord(context, log.contractAddress, record) : undefined;
  const value = written ?? read;
  const valueSource = value === undefined ? "unknown" : written === undefined ? "read" : "calldata";
  await appendEventAndHolders(context, log, {
    node,
    key,
    valueSource,
    ...(value !== undefined && { value }),
  });
  const version = await putText(context, log, {
    node,
    key,
    keyHash,
    value: value === "" ? null : value,
    isRead: valueSource === "read",
  });
  if (transaction === null && value === undefined)
    await awaitText(context, log, { node, version, keyHash, earlierSets });
}

/** If the emitter is the resolver of an address's reverse node, the log changed the name that the address claims. */
async function refreshClaimOf(context: Context, log: LogRef, node: Hex, name: string | null) {
  if (managedNameOf(log.chainId) !== undefined) return setReverseName(context, log, node, name);
  const reverse = await context.db.find(domain, { chainId: log.chainId, node });
  if (reverse?.resolver === log.contractAddress) await refreshClaim(context, log, reverse, true);
}

/** Appends a record's log that changes no state, with its other arguments. Writes: events. */
function onOtherRecord({
  event,
  context,
  log,
}: HandlerArgs<LogEvent & { args: { node: Hex } & Record<string, unknown> }>) {
  const { node, ...details } = event.args;
  return appendEventAndHolders(context, log, Object.keys(details).length > 0 ? { node, details } : { node });
}
