import { type Context, type Event, ponder } from "ponder:registry";
import type { Hex } from "viem";
import { hashOfTokenId } from "../ens/name.ts";
import { keyOfRegistrar, patchDomain } from "./write/domains.ts";
import { setV1Controller } from "./write/ensv2/phases.ts";
import {
  appendEvent,
  appendEventOnly,
  appendLog,
  appendLogOfContract,
  type EventValues,
} from "./write/events.ts";
import { type HandlerArgs, logRefOf, nullIfZero } from "./write/logRef.ts";

const REGISTRAR = "REGISTRAR";
const REGISTRAR_OLD = "REGISTRAR_OLD";

/**
 * The token was minted (from zero), burnt (to zero: an expired name is registered again) or given to another owner.
 * This can be the first log of a name, before the registry's. Writes: events, domains, ownership_changes.
 */
ponder.on("BaseRegistrar:Transfer", async ({ event, context }) => {
  const { from, to, tokenId } = event.args;
  const key = keyOfToken(context, tokenId);
  const log = logRefOf(context, event, REGISTRAR, "Transfer");
  await appendEvent(context, log, { node: key.node, fromAddress: from, toAddress: to });
  await patchDomain(context, log, key, () => ({ registrarOwner: nullIfZero(to) }));
});

ponder.on("BaseRegistrar:NameRegistered", (args) => onRegistered(args, "NameRegistered"));
ponder.on("BaseRegistrar:NameMigrated", (args) => onRegistered(args, "NameMigrated"));

/**
 * The registrar of Basenames logs this in place of NameRegistered where the registry is told, too: at every sale. Names
 * of `registerOnly` have a token and no node. Writes: events, domains.
 * Source: base/basenames, src/L2/BaseRegistrar.sol, `registerWithRecord`, `registerOnly`.
 */
ponder.on("BasenamesRegistrar:NameRegisteredWithRecord", (args) => {
  const { resolver, ttl } = args.event.args;
  return onRegistered(args, "NameRegisteredWithRecord", { resolverAddress: resolver, details: { ttl } });
});

/** Writes: events, domains. The event's duration is what was added to the old expiry, even if that was past. */
ponder.on("BaseRegistrar:NameRenewed", async ({ event, context }) => {
  const { id, expires } = event.args;
  const key = keyOfToken(context, id);
  const log = logRefOf(context, event, REGISTRAR, "NameRenewed");
  const { before } = await patchDomain(context, log, key, () => ({ registrarExpiryTimestamp: expires }));
  const old = before?.registrarExpiryTimestamp ?? null;
  await appendEvent(context, log, {
    node: key.node,
    expiryTimestamp: expires,
    durationSeconds: old === null ? null : expires - old,
  });
});

ponder.on("BaseRegistrar:Approval", (args) => onApproval(args, REGISTRAR));
ponder.on("BaseRegistrar:ApprovalForAll", (args) => appendLogOfContract(args, REGISTRAR, "ApprovalForAll"));
ponder.on("BaseRegistrar:ControllerAdded", (args) => onController(args, "ControllerAdded"));
ponder.on("BaseRegistrar:ControllerRemoved", (args) => onController(args, "ControllerRemoved"));
ponder.on("BaseRegistrar:OwnershipTransferred", (args) =>
  appendLogOfContract(args, REGISTRAR, "OwnershipTransferred"),
);

/*
 * The registrar of 2019 and the auction registrar before it are history: all names were moved to the registrar of 2020,
 * which alone decides who owns a name and until when. Their logs are stored and change no state.
 */

ponder.on("RegistrarOld:Transfer", (args) => {
  const { from, to, tokenId } = args.event.args;
  const { node } = keyOfToken(args.context, tokenId);
  return appendLog(args, REGISTRAR_OLD, "Transfer", { node, fromAddress: from, toAddress: to });
});
ponder.on("RegistrarOld:NameRegistered", (args) => onOldRegistered(args, "NameRegistered"));
ponder.on("RegistrarOld:NameMigrated", (args) => onOldRegistered(args, "NameMigrated"));
ponder.on("RegistrarOld:NameRenewed", (args) => {
  const { id, expires } = args.event.args;
  const { node } = keyOfToken(args.context, id);
  return appendLog(args, REGISTRAR_OLD, "NameRenewed", { node, expiryTimestamp: expires });
});
ponder.on("RegistrarOld:Approval", (args) => onApproval(args, REGISTRAR_OLD));
ponder.on("RegistrarOld:ApprovalForAll", (args) =>
  appendLogOfContract(args, REGISTRAR_OLD, "ApprovalForAll"),
);
ponder.on("RegistrarOld:ControllerAdded", (args) =>
  appendLogOfContract(args, REGISTRAR_OLD, "ControllerAdded"),
);
ponder.on("RegistrarOld:ControllerRemoved", (args) =>
  appendLogOfContract(args, REGISTRAR_OLD, "ControllerRemoved"),
);
ponder.on("RegistrarOld:OwnershipTransferred", (args) =>
  appendLogOfContract(args, REGISTRAR_OLD, "OwnershipTransferred"),
);

/* On chain the auction registrar's argument `hash` is the labelhash, but for NewBid. */
const AUCTION = "REGISTRAR_AUCTION";

const nodeOf = ({ context }: { context: Context }, labelhash: Hex): Hex =>
  keyOfRegistrar(context.chain.id, labelhash).node;

ponder.on("AuctionRegistrar:AuctionStarted", (args) => {
  const { hash: labelhash, registrationDate } = args.event.args;
  return appendLog(args, AUCTION, "AuctionStarted", {
    node: nodeOf(args, labelhash),
    details: { registrationDate },
  });
});
ponder.on("AuctionRegistrar:NewBid", (args) => {
  const { hash, bidder, deposit } = args.event.args; // `hash` is a sealed bid here
  return appendLog(args, AUCTION, "NewBid", { fromAddress: bidder, costWei: deposit, details: { hash } });
});
ponder.on("AuctionRegistrar:BidRevealed", (args) => {
  const { hash: labelhash, owner: bidder, value, status } = args.event.args;
  return appendLog(args, AUCTION, "BidRevealed", {
    node: nodeOf(args, labelhash),
    fromAddress: bidder,
    costWei: value,
    details: { status },
  });
});
ponder.on("AuctionRegistrar:HashRegistered", (args) => {
  const { hash: labelhash, owner, value, registrationDate } = args.event.args;
  return appendLog(args, AUCTION, "HashRegistered", {
    node: nodeOf(args, labelhash),
    ownerAddress: owner,
    costWei: value,
    details: { registrationDate },
  });
});
ponder.on("AuctionRegistrar:HashReleased", (args) => {
  const { hash: labelhash, value } = args.event.args;
  return appendLog(args, AUCTION, "HashReleased", { node: nodeOf(args, labelhash), details: { value } });
});
ponder.on("AuctionRegistrar:HashInvalidated", (args) => {
  const { hash: labelhash, name, value, registrationDate } = args.event.args; // `name` is the hash of an indexed string
  return appendLog(args, AUCTION, "HashInvalidated", {
    node: nodeOf(args, labelhash),
    details: { nameHash: name, value, registrationDate },
  });
});

/** The name whose labelhash is the registrar's token id. */
const keyOfToken = ({ chain }: Context, tokenId: bigint) => keyOfRegistrar(chain.id, hashOfTokenId(tokenId));

type Registered = HandlerArgs<
  Event<"BaseRegistrar:NameRegistered"> | Event<"BasenamesRegistrar:NameRegisteredWithRecord">
>;

/** Writes: events, domains. The token's Transfer tells who holds it. */
async function onRegistered({ event, context }: Registered, eventType: string, more: EventValues = {}) {
  const { id, owner, expires } = event.args;
  const key = keyOfToken(context, id);
  const log = logRefOf(context, event, REGISTRAR, eventType);
  await patchDomain(context, log, key, () => ({ registrarExpiryTimestamp: expires }));
  await appendEventOnly(context, log, {
    node: key.node,
    ownerAddress: owner,
    expiryTimestamp: expires,
    durationSeconds: expires - event.block.timestamp,
    ...more,
  });
}

/** Writes: events; with ENSv2, the registrar's controllers and the phases that they tell. */
async function onController(
  args: HandlerArgs<Event<"BaseRegistrar:ControllerAdded">>,
  eventType: "ControllerAdded" | "ControllerRemoved",
) {
  const { event, context } = args;
  await appendLogOfContract(args, REGISTRAR, eventType);
  const log = logRefOf(context, event, REGISTRAR, eventType);
  await setV1Controller(context, log, event.args.controller, eventType === "ControllerAdded");
}

function onOldRegistered(args: Registered, eventType: string) {
  const { id, owner, expires } = args.event.args;
  return appendLog(args, REGISTRAR_OLD, eventType, {
    node: keyOfToken(args.context, id).node,
    ownerAddress: owner,
    expiryTimestamp: expires,
  });
}

function onApproval(args: HandlerArgs<Event<"BaseRegistrar:Approval">>, contract: string) {
  const { owner, approved, tokenId } = args.event.args;
  return appendLog(args, contract, "Approval", {
    node: keyOfToken(args.context, tokenId).node,
    details: { owner, approved },
  });
}
