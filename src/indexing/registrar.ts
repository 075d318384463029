import type { Context } from "ponder:registry";
import type { Hex } from "viem";
import { hashOfTokenId } from "../ens/name.ts";
import { type ArgsOf, on } from "./on.ts";
import { rowsOfToken } from "./rowsAhead.ts";
import { onOperator, putTokenApproval } from "./write/approvals.ts";
import { putRegistrarController } from "./write/controllers.ts";
import { keyOfRegistrar, patchDomain } from "./write/domains.ts";
import { setV1Controller } from "./write/ensv2/phases.ts";
import { appendArguments, appendEvent, appendEventAndHolders, type EventValues } from "./write/events.ts";
import { type HandlerArgs, nullIfZero } from "./write/logRef.ts";
import { takeApproved } from "./write/shortNameClaims.ts";
import { unexplainedBy } from "./write/wrappedRenewals.ts";

/**
 * The token was minted (from zero), burnt (to zero: an expired name is registered again) or transferred. This can be
 * the first log of a name, before the registry's. It clears the token's approval without a log. Writes: events,
 * domains, ownership_changes. Source: openzeppelin-solidity 2, ERC721 `_transferFrom`, `_burn`; solady,
 * src/tokens/ERC721.sol, `transferFrom`, `_burn`.
 */
on(
  "BaseRegistrar",
  "Transfer",
  async ({ event, context, log }) => {
    const { from, to, tokenId } = event.args;
    const key = keyOfToken(context, tokenId);
    await appendEventAndHolders(context, log, { node: key.node, fromAddress: from, toAddress: to });
    await patchDomain(context, log, key, () => ({ registrarOwner: nullIfZero(to), registrarApproved: null }));
  },
  ({ args: { tokenId, to } }, chainId) => rowsOfToken(chainId, tokenId, to),
);

on("BaseRegistrar", "NameRegistered", onRegistered, aheadOfToken);
on("BaseRegistrar", "NameMigrated", onRegistered, aheadOfToken);

/**
 * The registrar of Basenames logs this instead of NameRegistered whenever it also updates the registry: at every sale.
 * Names of `registerOnly` have a token and no node. Writes: events, domains. Source: base/basenames,
 * src/L2/BaseRegistrar.sol, `registerWithRecord`, `registerOnly`.
 */
on(
  "BasenamesRegistrar",
  "NameRegisteredWithRecord",
  (args) => {
    const { resolver, ttl } = args.event.args;
    return onRegistered(args, { resolverAddress: resolver, details: { ttl } });
  },
  aheadOfToken,
);

/**
 * Writes: events, domains. The event's duration is what was added to the old expiry, even if that was past. The
 * controller's log, which comes next, shows whether the wrapper's expiry moved too.
 */
on(
  "BaseRegistrar",
  "NameRenewed",
  async ({ event, context, log }) => {
    const { id, expires } = event.args;
    const key = keyOfToken(context, id);
    const unexplained = await unexplainedBy(context, log, expires);
    const { before } = await patchDomain(context, log, key, (domain) => ({
      registrarExpiryTimestamp: expires,
      ...unexplained(domain),
    }));
    const old = before?.registrarExpiryTimestamp ?? null;
    await appendEventAndHolders(context, log, {
      node: key.node,
      expiryTimestamp: expires,
      durationSeconds: old === null ? null : expires - old,
    });
  },
  aheadOfToken,
);

const registrars = ["BaseRegistrar", "RegistrarOld"] as const;

/** An account was approved for the token; the zero address revokes. Writes: events, domains, token_approvals. */
on(
  "BaseRegistrar",
  "Approval",
  async ({ event, context, log }) => {
    const { owner, approved, tokenId } = event.args;
    const key = keyOfToken(context, tokenId);
    await appendEventAndHolders(context, log, { node: key.node, details: { owner, approved } });
    await patchDomain(context, log, key, () => ({ registrarApproved: nullIfZero(approved) }));
    await putTokenApproval(context, log, { node: key.node, owner, approved });
  },
  ({ args: { tokenId } }, chainId) => rowsOfToken(chainId, tokenId),
);
on("BaseRegistrar", "ApprovalForAll", onOperator);
on(registrars, "OwnershipTransferred", appendArguments);
on("BaseRegistrar", "ControllerAdded", onController);
on("BaseRegistrar", "ControllerRemoved", onController);

/*
 * The registrar of 2019 and the auction registrar before it are history: all names were moved to the registrar of 2020,
 * which alone decides who owns a name and until when. Their logs are stored and change no state.
 */

on("RegistrarOld", "Transfer", (args) => {
  const { from, to, tokenId } = args.event.args;
  return appendOfToken(args, tokenId, { fromAddress: from, toAddress: to });
});
on("RegistrarOld", "Approval", (args) => {
  const { owner, approved, tokenId } = args.event.args;
  return appendOfToken(args, tokenId, { details: { owner, approved } });
});
on("RegistrarOld", "ApprovalForAll", appendArguments);
on("RegistrarOld", "NameRegistered", onOldRegistered);
on("RegistrarOld", "NameMigrated", onOldRegistered);
on("RegistrarOld", "NameRenewed", (args) => {
  const { id, expires } = args.event.args;
  return appendOfToken(args, id, { expiryTimestamp: expires });
});
on("RegistrarOld", "ControllerAdded", async (args) => {
  await appendArguments(args);
  await putRegistrarController(args.context, args.log, args.event.args.controller);
});
on("RegistrarOld", "ControllerRemoved", appendArguments);

/* On chain the auction registrar's argument `hash` is the labelhash, but for NewBid. */

on("AuctionRegistrar", "AuctionStarted", (args) => {
  const { hash, registrationDate } = args.event.args;
  return appendOfLabel(args, hash, { details: { registrationDate } });
});
on("AuctionRegistrar", "NewBid", ({ event, context, log }) => {
  const { hash, bidder, deposit } = event.args; // `hash` is a sealed bid here
  return appendEvent(context, log, { fromAddress: bidder, costWei: deposit, details: { hash } });
});
on("AuctionRegistrar", "BidRevealed", (args) => {
  const { hash, owner: bidder, value, status } = args.event.args;
  return appendOfLabel(args, hash, { fromAddress: bidder, costWei: value, details: { status } });
});
on("AuctionRegistrar", "HashRegistered", (args) => {
  const { hash, owner, value, registrationDate } = args.event.args;
  return appendOfLabel(args, hash, { ownerAddress: owner, costWei: value, details: { registrationDate } });
});
on("AuctionRegistrar", "HashReleased", (args) => {
  const { hash, value } = args.event.args;
  return appendOfLabel(args, hash, { details: { value } });
});
on("AuctionRegistrar", "HashInvalidated", (args) => {
  const { hash, name: nameHash, value, registrationDate } = args.event.args; // `name` is the hash of an indexed string
  return appendOfLabel(args, hash, { details: { nameHash, value, registrationDate } });
});

/** Appends a log of the registrar's name with a labelhash. Writes: events, holders. */
const appendOfLabel = ({ context, log }: HandlerArgs, labelhash: Hex, values: EventValues) =>
  appendEventAndHolders(context, log, { node: keyOfRegistrar(log.chainId, labelhash).node, ...values });

/** Appends a log of the name of a token. Writes: events, holders. */
const appendOfToken = (args: HandlerArgs, tokenId: bigint, values: EventValues) =>
  appendOfLabel(args, hashOfTokenId(tokenId), values);

/** The name whose labelhash is the registrar's token id. */
const keyOfToken = ({ chain }: Context, tokenId: bigint) => keyOfRegistrar(chain.id, hashOfTokenId(tokenId));

/** The row of the name whose labelhash is `id`. */
function aheadOfToken({ args }: { args: { id: bigint } }, chainId: number) {
  return rowsOfToken(chainId, args.id);
}

type Registered =
  | ArgsOf<"BaseRegistrar" | "RegistrarOld", "NameRegistered">
  | ArgsOf<"BasenamesRegistrar", "NameRegisteredWithRecord">;

/** Writes: events, domains. The token's Transfer tells who holds it. */
async function onRegistered({ event, context, log }: Registered, more: EventValues = {}) {
  const { id, owner, expires } = event.args;
  const key = keyOfToken(context, id);
  await patchDomain(context, log, key, () => ({
    registrarExpiryTimestamp: expires,
    registeredTimestamp: log.blockTimestamp,
  }));
  await appendEvent(context, log, {
    node: key.node,
    ownerAddress: owner,
    expiryTimestamp: expires,
    durationSeconds: expires - event.block.timestamp,
    ...more,
  });
}

/** Writes: events, controllers; with ENSv2, the registrar's controllers and the phases that they tell. */
async function onController(args: ArgsOf<"BaseRegistrar", "ControllerAdded" | "ControllerRemoved">) {
  const { event, context, log } = args;
  const { controller } = event.args;
  const isAdded = log.eventType === "ControllerAdded";
  await appendArguments(args);
  if (isAdded) await putRegistrarController(context, log, controller);
  await setV1Controller(context, log, controller, isAdded);
}

/** The price of a claimed name is in no other log of its registration. Writes: events, holders, approved_claims. */
async function onOldRegistered({ event, context, log }: Registered) {
  const { id, owner, expires } = event.args;
  const { node } = keyOfToken(context, id);
  const seconds = expires - event.block.timestamp;
  await appendEventAndHolders(context, log, {
    node,
    ownerAddress: owner,
    expiryTimestamp: expires,
    costWei: await takeApproved(context, log, { node, owner, seconds }),
  });
}
