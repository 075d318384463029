import type { Context } from "ponder:registry";
import type { Hex } from "viem";
import { hashOfTokenId } from "../ens/name.ts";
import { storable } from "../ens/storable.ts";
import { type ArgsOf, type EventIn, on } from "./on.ts";
import { hasKnownCode } from "./write/ensv2/proxies.ts";
import { appendEvent, type EventValues } from "./write/events.ts";
import type { HandlerArgs, LogRef } from "./write/logRef.ts";
import { clearRecords, putAddress, putLink, putResolverNode, putText } from "./write/records.ts";

/*
 * Resolvers of ENSv2 that a listed factory deployed. Records have a number, which stands in place of the node in the tables
 * of records, and names are linked to numbers. A link says nothing of who owns the name: a record counts only where the name's
 * resolver is the one that logged it.
 * Source: ensdomains/contracts-v2, contracts/src/resolver/PermissionedResolver.sol.
 */

type Args<Name extends EventIn<"Ensv2Resolver">> = ArgsOf<"Ensv2Resolver", Name>;

/**
 * Handles a resolver's log: `rowOf` is what the history says, `write` what the records become. Of a contract with other code
 * there is only the history. Writes: events.
 */
function onResolver<Name extends EventIn<"Ensv2Resolver">>(
  name: Name,
  rowOf: (args: Args<Name>["event"]["args"]) => EventValues,
  write?: (context: Context, log: LogRef, args: Args<Name>["event"]["args"]) => Promise<unknown>,
): void {
  on("Ensv2Resolver", name, async (handled) => {
    const { context, log } = handled as HandlerArgs;
    const { args } = handled.event;
    const isKnown = await hasKnownCode(context, log.contractAddress);
    const { node, ...rest } = rowOf(args);
    await appendEvent(context, log, isKnown && node ? { node, ...rest } : rest);
    if (isKnown) await write?.(context, log, args);
  });
}

/** The number of a record, in place of a node. */
const nodeOf = (recordId: bigint) => hashOfTokenId(recordId);

onResolver("ResolverCreated", () => ({}));

/**
 * Links a name to a record; number 0 unlinks it. The root's node stands for all names without a link. Writes: events,
 * ensv2_links.
 */
onResolver(
  "Linked",
  ({ recordId, node, name }) => ({ node, details: { recordId, name } }),
  (context, log, { recordId, node }) =>
    putLink(context, log, node, recordId === 0n ? null : nodeOf(recordId)),
);

/** Writes: events, resolver_nodes. */
onResolver(
  "Cleared",
  ({ recordId }) => ({ node: nodeOf(recordId) }),
  (context, log, { recordId }) => clearRecords(context, log, nodeOf(recordId)),
);

/** Writes: events, address_records. Empty bytes clear the record. */
onResolver(
  "AddressUpdated",
  ({ recordId, coinType, addressBytes }) => ({ node: nodeOf(recordId), coinType, address: addressBytes }),
  (context, log, { recordId, coinType, addressBytes }) =>
    putAddress(context, log, nodeOf(recordId), coinType, addressBytes),
);

/** Writes: events, text_records. An empty value clears the record. */
onResolver(
  "TextUpdated",
  ({ recordId, key, value }) => ({ node: nodeOf(recordId), key, value }),
  (context, log, { recordId, keyHash, key, value }) =>
    putText(context, log, {
      // Ponder types an indexed text as the text, but it is the hash.
      node: nodeOf(recordId),
      key,
      keyHash: keyHash as Hex,
      isRead: false,
      value: value === "" ? null : value,
    }),
);

/** Writes: events, resolver_nodes. Empty bytes clear the record. */
onResolver(
  "ContenthashUpdated",
  ({ recordId, hash }) => ({ node: nodeOf(recordId), contenthash: hash }),
  (context, log, { recordId, hash }) =>
    putResolverNode(context, log, nodeOf(recordId), { contenthash: hash === "0x" ? null : hash }),
);

/** Writes: events, resolver_nodes. */
onResolver(
  "NameUpdated",
  ({ recordId, primaryName: name }) => ({ node: nodeOf(recordId), name }),
  (context, log, { recordId, primaryName: name }) =>
    putResolverNode(context, log, nodeOf(recordId), { name: name === "" ? null : storable(name) }),
);

/* Records that no answer needs. */
onResolver("DataUpdated", ({ recordId, key, value }) => ({
  node: nodeOf(recordId),
  key,
  details: { value },
}));
onResolver("ABIUpdated", ({ recordId, contentType }) => ({
  node: nodeOf(recordId),
  details: { contentType },
}));
onResolver("InterfaceUpdated", ({ recordId, interfaceId, implementer }) => ({
  node: nodeOf(recordId),
  details: { interfaceId, implementer },
}));
onResolver("ResourceArgument", ({ resource, arg }) => ({ details: { resource, arg } }));
