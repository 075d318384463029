import { type Context, type Event, ponder } from "ponder:registry";
import type { Hex } from "viem";
import { childNode, ETH_NODE, hashOfTokenId } from "../ens/name.ts";
import { ethName, patchDomain } from "./write/domains.ts";
import { appendEvent, appendEventOnly, type EventValues } from "./write/events.ts";
import { logRefOf, nullIfZero } from "./write/logRef.ts";

const REGISTRAR = "REGISTRAR";

/**
 * The token changed hands: minted (from zero), burnt (to zero: an expired name is registered anew) or given away.
 * It may be the first log of a name, before the registry's. Writes: events, domains, ownership_changes.
 */
ponder.on("Registrar:Transfer", async ({ event, context }) => {
  const { from, to, tokenId } = event.args;
  const place = placeOfToken(tokenId);
  const cause = logRefOf(context, event, REGISTRAR, "Transfer");
  await appendEvent(context, cause, { node: place.node, fromAddress: from, toAddress: to });
  await patchDomain(context, cause, place, () => ({ registrarOwner: nullIfZero(to) }));
});

ponder.on("Registrar:NameRegistered", (args) => onRegistered(args, "NameRegistered"));
ponder.on("Registrar:NameMigrated", (args) => onRegistered(args, "NameMigrated"));

/** Writes: events, domains. The event's duration is what was added, also where the name had expired. */
ponder.on("Registrar:NameRenewed", async ({ event, context }) => {
  const { id, expires } = event.args;
  const place = placeOfToken(id);
  const cause = logRefOf(context, event, REGISTRAR, "NameRenewed");
  const { before } = await patchDomain(context, cause, place, () => ({ registrarExpiryTimestamp: expires }));
  const old = before?.registrarExpiryTimestamp ?? null;
  await appendEvent(context, cause, {
    node: place.node,
    expiryTimestamp: expires,
    durationSeconds: old === null ? null : expires - old,
  });
});

ponder.on("Registrar:Approval", async ({ event, context }) => {
  const { owner, approved, tokenId } = event.args;
  const { node } = placeOfToken(tokenId);
  const cause = logRefOf(context, event, REGISTRAR, "Approval");
  await appendEvent(context, cause, { node, details: { owner, approved } });
});
ponder.on("Registrar:ApprovalForAll", (args) =>
  keep(args, REGISTRAR, "ApprovalForAll", { details: args.event.args }),
);
ponder.on("Registrar:ControllerAdded", (args) =>
  keep(args, REGISTRAR, "ControllerAdded", { details: args.event.args }),
);
ponder.on("Registrar:ControllerRemoved", (args) =>
  keep(args, REGISTRAR, "ControllerRemoved", { details: args.event.args }),
);
ponder.on("Registrar:OwnershipTransferred", (args) =>
  keep(args, REGISTRAR, "OwnershipTransferred", { details: args.event.args }),
);

/*
 * The registrar of 2019 and the auction registrar before it are history: who owns a name and until when, the registrar
 * of 2020 alone decides, into which the names were brought. Their logs are kept, for the time before.
 */
const REGISTRAR_OLD = "REGISTRAR_OLD";

ponder.on("RegistrarOld:Transfer", (args) => {
  const { from, to, tokenId } = args.event.args;
  const { node } = placeOfToken(tokenId);
  return keep(args, REGISTRAR_OLD, "Transfer", { node, fromAddress: from, toAddress: to });
});
ponder.on("RegistrarOld:NameRegistered", (args) => keepExpiry(args, "NameRegistered"));
ponder.on("RegistrarOld:NameMigrated", (args) => keepExpiry(args, "NameMigrated"));
ponder.on("RegistrarOld:NameRenewed", (args) => {
  const { id, expires } = args.event.args;
  return keep(args, REGISTRAR_OLD, "NameRenewed", { node: placeOfToken(id).node, expiryTimestamp: expires });
});
ponder.on("RegistrarOld:Approval", (args) => {
  const { owner, approved, tokenId } = args.event.args;
  return keep(args, REGISTRAR_OLD, "Approval", {
    node: placeOfToken(tokenId).node,
    details: { owner, approved },
  });
});
ponder.on("RegistrarOld:ApprovalForAll", (args) =>
  keep(args, REGISTRAR_OLD, "ApprovalForAll", { details: args.event.args }),
);
ponder.on("RegistrarOld:ControllerAdded", (args) =>
  keep(args, REGISTRAR_OLD, "ControllerAdded", { details: args.event.args }),
);
ponder.on("RegistrarOld:ControllerRemoved", (args) =>
  keep(args, REGISTRAR_OLD, "ControllerRemoved", { details: args.event.args }),
);
ponder.on("RegistrarOld:OwnershipTransferred", (args) =>
  keep(args, REGISTRAR_OLD, "OwnershipTransferred", { details: args.event.args }),
);

const AUCTION = "REGISTRAR_AUCTION";

ponder.on("AuctionRegistrar:AuctionStarted", (args) => {
  const { hash, registrationDate } = args.event.args;
  return keep(args, AUCTION, "AuctionStarted", { node: nodeOfHash(hash), details: { registrationDate } });
});
ponder.on("AuctionRegistrar:NewBid", (args) => {
  const { hash, bidder, deposit } = args.event.args; // `hash` is a sealed bid here, not a labelhash
  return keep(args, AUCTION, "NewBid", { fromAddress: bidder, costWei: deposit, details: { hash } });
});
ponder.on("AuctionRegistrar:BidRevealed", (args) => {
  const { hash, owner, value, status } = args.event.args; // `owner` is the bidder
  return keep(args, AUCTION, "BidRevealed", {
    node: nodeOfHash(hash),
    fromAddress: owner,
    costWei: value,
    details: { status },
  });
});
ponder.on("AuctionRegistrar:HashRegistered", (args) => {
  const { hash, owner, value, registrationDate } = args.event.args;
  return keep(args, AUCTION, "HashRegistered", {
    node: nodeOfHash(hash),
    ownerAddress: owner,
    costWei: value,
    details: { registrationDate },
  });
});
ponder.on("AuctionRegistrar:HashReleased", (args) => {
  const { hash, value } = args.event.args;
  return keep(args, AUCTION, "HashReleased", { node: nodeOfHash(hash), details: { value } });
});
ponder.on("AuctionRegistrar:HashInvalidated", (args) => {
  const { hash, name, value, registrationDate } = args.event.args; // `name` is the hash of an indexed string
  return keep(args, AUCTION, "HashInvalidated", {
    node: nodeOfHash(hash),
    details: { nameHash: name, value, registrationDate },
  });
});

const nodeOfHash = (hash: Hex) => childNode(ETH_NODE, hash);

/** Place of the name whose labelhash is the registrar's token id. */
function placeOfToken(tokenId: bigint) {
  const hash = hashOfTokenId(tokenId);
  return ethName(nodeOfHash(hash), hash);
}

type Logged = Parameters<typeof logRefOf>[1];

/** Keeps a log that changes no state. Writes: events. */
async function keep(
  { event, context }: { event: Logged; context: Context },
  contract: string,
  eventType: string,
  values: EventValues,
) {
  await appendEvent(context, logRefOf(context, event, contract, eventType), values);
}

type Registered = { event: Event<"Registrar:NameRegistered">; context: Context };

/** Writes: events, domains. The holder of the token comes by its Transfer. */
async function onRegistered({ event, context }: Registered, eventType: string) {
  const { id, owner, expires } = event.args;
  const place = placeOfToken(id);
  const cause = logRefOf(context, event, REGISTRAR, eventType);
  await patchDomain(context, cause, place, () => ({ registrarExpiryTimestamp: expires }));
  await appendEventOnly(context, cause, {
    node: place.node,
    ownerAddress: owner,
    expiryTimestamp: expires,
    durationSeconds: expires - event.block.timestamp,
  });
}

function keepExpiry(args: Registered, eventType: string) {
  const { id, owner, expires } = args.event.args;
  return keep(args, REGISTRAR_OLD, eventType, {
    node: placeOfToken(id).node,
    ownerAddress: owner,
    expiryTimestamp: expires,
  });
}
