import { type Context, type Event, ponder } from "ponder:registry";
import { domain } from "ponder:schema";
import { decodeAbiParameters, type Hex } from "viem";
import { ETHEREUM_COIN_TYPE } from "../ens/coinType.ts";
import { keccak256OfHex } from "../ens/keccak.ts";
import { textWritesOf } from "../ens/textCalldata.ts";
import { readText } from "./write/archive.ts";
import { addressesOf, mayRead } from "./write/contracts.ts";
import { appendEvent, type EventValues } from "./write/events.ts";
import { type LogRef, logRefOf, nullIfZero } from "./write/logRef.ts";
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

/*
 * Any contract can emit these, for any node. All are kept by resolver and node, since a name that comes back to a
 * resolver finds its records there; which of them are in force, the name's current resolver decides when asked.
 */
const RESOLVER = "RESOLVER";

/** Writes: events, text_records. An empty value clears the record. */
ponder.on(
  "Resolver:TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value)",
  async ({ event, context }) => {
    const { node, key, value } = event.args;
    const keyHash = topicOfKey(event);
    const cause = logRefOf(context, event, RESOLVER, "TextChanged");
    await appendEvent(context, cause, { node, key, value });
    await putText(context, cause, { node, key, keyHash, value: value === "" ? null : value, isRead: false });
  },
);
ponder.on(
  "Resolver:TextChanged(bytes32 indexed node, string indexed indexedKey, string key)",
  ({ event, context }) =>
    onTextWithoutValue(event, context, event.args.node, event.args.key, topicOfKey(event)),
);
/*
 * A log of the shape above, with three topics, can decode as the older one with two, if its key has 32 bytes or none:
 * what stands where is told by the number of topics.
 */
ponder.on("ResolverUnindexedKey:TextChanged", async ({ event, context }) => {
  const { node, key } = event.args;
  const isOldestShape = event.log.topics.filter(Boolean).length === 2;
  if (isOldestShape) await onTextWithoutValue(event, context, node, key, loggedKeyHash(event.log.data));
});

/**
 * The address of Ethereum. Newer resolvers log AddressChanged for coin type 60 before it, older ones this alone; where
 * that one cleared the record, this one's zero address adds nothing. Writes: events, address_records.
 */
ponder.on("Resolver:AddrChanged", async ({ event, context }) => {
  const { node, a: address } = event.args;
  const coinType = ETHEREUM_COIN_TYPE;
  const cause = logRefOf(context, event, RESOLVER, "AddrChanged");
  await appendEvent(context, cause, { node, address, coinType });
  const isClearedAlready =
    nullIfZero(address) === null && (await findAddress(context, cause, node, coinType)) === null;
  if (!isClearedAlready) await putAddress(context, cause, node, coinType, address);
});

/** The address of any chain, as bytes. Writes: events, address_records. */
ponder.on("Resolver:AddressChanged", async ({ event, context }) => {
  const { node, coinType, newAddress } = event.args;
  const cause = logRefOf(context, event, RESOLVER, "AddressChanged");
  await appendEvent(context, cause, { node, coinType, address: newAddress });
  await putAddress(context, cause, node, coinType, newAddress);
});

/** Writes: events, resolver_nodes. Empty bytes clear the record. */
ponder.on("Resolver:ContenthashChanged", async ({ event, context }) => {
  const { node, hash } = event.args;
  const cause = logRefOf(context, event, RESOLVER, "ContenthashChanged");
  await appendEvent(context, cause, { node, contenthash: hash });
  await putResolverNode(context, cause, node, { contenthash: hash === "0x" ? null : hash });
});

/** The name by which a reverse node names its address. Writes: events, resolver_nodes, primary names. */
ponder.on("Resolver:NameChanged", async ({ event, context }) => {
  const { node, name } = event.args;
  const cause = logRefOf(context, event, RESOLVER, "NameChanged");
  await appendEvent(context, cause, { node, name });
  await putResolverNode(context, cause, node, { name: name === "" ? null : name.replaceAll("\0", "\u2400") });
  await refreshClaimOf(context, cause, node);
});

/** All records of the node are cleared, without a log for each. Writes: events, resolver_nodes, primary names. */
ponder.on("Resolver:VersionChanged", async ({ event, context }) => {
  const { node, newVersion } = event.args;
  const cause = logRefOf(context, event, RESOLVER, "VersionChanged");
  await appendEvent(context, cause, { node, details: { newVersion } });
  await clearRecords(context, cause, node);
  await refreshClaimOf(context, cause, node);
});

/* Records from before `contenthash`, and records that no answer of the index needs. Writes: events. */
ponder.on("Resolver:ContentChanged", (args) => keep(args, "ContentChanged"));
ponder.on("Resolver:MultihashChanged", (args) => keep(args, "MultihashChanged"));
ponder.on("Resolver:ABIChanged", (args) => keep(args, "ABIChanged"));
ponder.on("Resolver:InterfaceChanged", (args) => keep(args, "InterfaceChanged"));
ponder.on("Resolver:PubkeyChanged", (args) => keep(args, "PubkeyChanged"));
ponder.on(
  "Resolver:DNSRecordChanged(bytes32 indexed node, bytes name, uint16 resource, bytes record)",
  (args) => keep(args, "DNSRecordChanged"),
);
ponder.on(
  "Resolver:DNSRecordChanged(bytes32 indexed node, bytes name, uint16 resource, uint32 ttl, bytes record)",
  (args) => keep(args, "DNSRecordChanged"),
);
ponder.on("Resolver:DNSRecordDeleted", (args) => keep(args, "DNSRecordDeleted"));
ponder.on("Resolver:DNSZonehashChanged", (args) => keep(args, "DNSZonehashChanged"));
ponder.on("Resolver:DNSZoneCleared", (args) => keep(args, "DNSZoneCleared"));
ponder.on("Resolver:AuthorisationChanged", (args) => keep(args, "AuthorisationChanged"));
ponder.on("Resolver:Approved", (args) => keep(args, "Approved"));
ponder.on("ListedResolver:ApprovalForAll", (args) => keepWithoutNode(args, args.event.args));
ponder.on("SilentReverseResolver:ApprovalForAll", (args) => keepWithoutNode(args, args.event.args));

/** The hash of an indexed key, over its bytes as logged; its decoded argument is typed as the text that it is not. */
const topicOfKey = (event: { args: { indexedKey: string } }) => event.args.indexedKey as Hex;

/** The hash of an unindexed key, over its bytes as logged: one that is not UTF-8 decodes to a text of another hash. */
function loggedKeyHash(data: Hex): Hex {
  const [, key] = decodeAbiParameters([{ type: "bytes" }, { type: "bytes" }], data);
  return keccak256OfHex(key);
}

type TextEvent =
  | Event<"ResolverUnindexedKey:TextChanged">
  | Event<"Resolver:TextChanged(bytes32 indexed node, string indexed indexedKey, string key)">;

/**
 * A text record set at a resolver whose event has no value. The calldata has it where the transaction went straight to
 * the resolver; else a read at the end of the block, if allowed; else it is unknown, which is not the same as none, as
 * it always is for resolvers that are not the deployment's: of those no answer comes from the index.
 * Writes: events, text_records.
 */
async function onTextWithoutValue(event: TextEvent, context: Context, node: Hex, key: string, keyHash: Hex) {
  const cause = logRefOf(context, event, RESOLVER, "TextChanged");
  const before = await findText(context, cause, node, keyHash);
  const earlierSets = before?.transactionHash === cause.transactionHash ? before.setsInTransaction : 0;
  // Anybody else's contract may emit the log whatever it is sent, and answer a read as it likes, or never.
  const isListed = addressesOf(context, "ListedResolver").includes(cause.contractAddress);
  const isDirect = isListed && event.transaction.to === cause.contractAddress;
  const given = isDirect ? textWritesOf(event.transaction.input) : [];
  const written = given.filter((write) => write.node === node && write.key === key)[earlierSets]?.value;
  // A key that is not UTF-8 cannot be asked for by its text.
  const isExact = keyHashOf(key) === keyHash;
  const isReadable = isListed && isExact && written === undefined && mayRead(context, "Resolver");
  const read = isReadable ? await readText(context, cause.contractAddress, node, key) : undefined;
  const value = written ?? read;
  const valueSource = written !== undefined ? "calldata" : read !== undefined ? "read" : "unknown";
  await appendEvent(context, cause, { node, key, valueSource, ...(value !== undefined && { value }) });
  await putText(context, cause, {
    ...{ node, key, keyHash },
    value: value === "" ? null : value,
    isRead: valueSource === "read",
  });
}

/** If the node is that of an address, and the emitter its resolver, the log changed what the address claims. */
async function refreshClaimOf(context: Context, cause: LogRef, node: Hex) {
  const reverse = await context.db.find(domain, { chainId: cause.chainId, node });
  if (reverse?.resolver === cause.contractAddress) await refreshClaim(context, cause, reverse, true);
}

type Logged = Parameters<typeof logRefOf>[1];

async function keep(
  { event, context }: { event: Logged & { args: { node: Hex } & Record<string, unknown> }; context: Context },
  eventType: string,
) {
  const { node, ...details } = event.args;
  const values: EventValues = Object.keys(details).length > 0 ? { node, details } : { node };
  await appendEvent(context, logRefOf(context, event, RESOLVER, eventType), values);
}

async function keepWithoutNode(
  { event, context }: { event: Logged; context: Context },
  details: Record<string, unknown>,
) {
  await appendEvent(context, logRefOf(context, event, RESOLVER, "ApprovalForAll"), { details });
}
