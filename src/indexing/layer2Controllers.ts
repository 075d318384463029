import type { Context } from "ponder:registry";
import type { Hex } from "viem";
import { labelhash } from "../ens/name.ts";
import { type ArgsOf, type EventIn, on } from "./on.ts";
import { isListedController } from "./write/contracts.ts";
import { findController, isFollowedBy, wayOfRenewals } from "./write/controllers.ts";
import { appendArguments, appendEvent, findLogBefore } from "./write/events.ts";
import type { HandlerArgs, LogEvent, LogRef } from "./write/logRef.ts";
import { putPayment, takePayment } from "./write/payments.ts";
import {
  appendDirectRenewal,
  appendPurchase,
  appendWrappedRenewal,
  fromOneCost,
  fromPremium,
  fromReferredPurchase,
  fromReferredRenewal,
  labelled,
  type Purchase,
} from "./write/purchases.ts";

/*
 * Controllers of layer 2s, and controllers that the deployment does not list. Those that it lists have an entry for their
 * kind. `AddedController` is every controller that a chain's registrar ever took on, and `WrapperController` every one that a
 * NameWrapper did, listed ones again: their logs are left to the other entries.
 */

/** Entries of controllers that the deployment need not list. */
const unlisted = ["AddedController", "WrapperController"] as const;
type Unlisted = (typeof unlisted)[number];

on("BasenamesController", "ETHPaymentProcessed", onPayment);
on("BasenamesController", "NameRegistered", onPaidPurchase);
on("BasenamesController", "NameRenewed", onPaidPurchase);
on("BasenamesController", "DiscountApplied", onDiscount);
on(["BasenamesController", "LineanamesController"], "OwnershipTransferred", appendArguments);

on("LineanamesController", "NameRegistered", onRegistered);
on("LineanamesController", "PohNameRegistered", onFreePurchase);
on("LineanamesController", "OwnerNameRegistered", onFreePurchase);
on("LineanamesController", "NameRenewed", (args) =>
  appendWrappedRenewal(args, atMost(fromOneCost(args.event.args))),
);
on("LineanamesController", "NameRenewedPoh", (args) =>
  appendWrappedRenewal(args, { ...unpriced(args.event.args), costWei: 0n }),
);

onAdded("ETHPaymentProcessed", onPayment);
onAdded("DiscountApplied", onDiscount);
onAdded(
  "NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 expires)",
  onPaidPurchase,
);
/** The controller of the auctions of short names tells neither price nor expiry. Writes: events, labels, domains. */
onAdded("NameRegistered(string name, address owner)", async ({ event, context, log }) => {
  const { name, owner: ownerAddress } = event.args;
  await appendEvent(context, log, {
    ...(await labelled(context, log, name, labelhash(name))),
    ownerAddress,
  });
});
onAdded("NameRenewed(string name, bytes32 indexed label, uint256 expires)", async (args) => {
  const costWei = await takePayment(args.context, args.log);
  await appendRenewal(args, { ...unpriced(args.event.args), costWei });
});
onAdded("PohNameRegistered", onFreePurchase);
onAdded("OwnerNameRegistered", onFreePurchase);
onAdded("NameRenewedPoh", (args) => appendRenewal(args, { ...unpriced(args.event.args), costWei: 0n }));
onAdded(
  "NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 cost, uint256 expires)",
  (args) => appendPurchase(args, fromOneCost(args.event.args)),
);
onAdded(
  "NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires)",
  onRegistered,
);
onAdded(
  "NameRegistered(string label, bytes32 indexed labelhash, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires, bytes32 referrer)",
  (args) => appendPurchase(args, fromReferredPurchase(args.event.args)),
);
onAdded("NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)", (args) =>
  appendRenewal(args, fromOneCost(args.event.args)),
);
onAdded(
  "NameRenewed(string label, bytes32 indexed labelhash, uint256 cost, uint256 expires, bytes32 referrer)",
  (args) => appendRenewal(args, fromReferredRenewal(args.event.args)),
);

/** Handles a log of a controller that the deployment does not list. If both entries have it, one of them handles it. */
function onAdded<Name extends EventIn<Unlisted>>(
  name: Name,
  handle: (args: ArgsOf<Unlisted, Name>) => Promise<void>,
): void {
  for (const entry of unlisted) {
    on(entry, name, async (args) => {
      const { context, log } = args as HandlerArgs;
      if (isListedController(context, log.contractAddress)) return;
      if (isFollowedBy(entry, await findController(context, log.contractAddress))) await handle(args);
    });
  }
}

/**
 * Appends a renewal by a controller that the deployment does not list: through the wrapper, if that alone lets the controller
 * renew. Where it may have gone either way, it does not say whether the wrapper's expiry moved.
 * Writes: events, labels, domains.
 */
async function appendRenewal(args: HandlerArgs, purchase: Purchase) {
  const { context, log } = args;
  const way = wayOfRenewals(await findController(context, log.contractAddress));
  if (way === "wrapper") return appendWrappedRenewal(args, atMost(purchase));
  if (way === "registrar") return appendDirectRenewal(args, purchase);
  await appendPurchase(args, atMost(purchase));
}

/** A renewal whose cost is the value sent: the surplus is paid back afterwards. */
const atMost = <Of extends Purchase>(purchase: Of) => ({ ...purchase, costIsUpperBound: true });

/** The price of the purchase whose log follows. The column of prices is left to that one. Writes: events, pending_payments. */
async function onPayment({
  event,
  context,
  log,
}: ArgsOf<"BasenamesController" | Unlisted, "ETHPaymentProcessed">) {
  const { payee, price } = event.args;
  await appendEvent(context, log, { fromAddress: payee, details: { price } });
  await putPayment(context, log, price);
}

type Unpriced = { name: string; label: Hex; owner?: Hex; expires: bigint };

/** On chain the text is `name` and its hash is `label`. */
function unpriced({ name, label: labelhash, owner, expires }: Unpriced): Omit<Purchase, "costWei"> {
  return { label: name, labelhash, expires, ...(owner && { owner }) };
}

/** A purchase whose price an earlier log told. Writes: events, labels, pending_payments. */
async function onPaidPurchase(args: HandlerArgs<LogEvent & { args: Unpriced }>) {
  const costWei = await takePayment(args.context, args.log);
  await appendPurchase(args, { ...unpriced(args.event.args), costWei });
}

/** Writes: events, labels. */
function onFreePurchase(args: HandlerArgs<LogEvent & { args: Unpriced }>) {
  return appendPurchase(args, { ...unpriced(args.event.args), costWei: 0n });
}

/** Writes: events, labels. */
function onRegistered(args: HandlerArgs<LogEvent & { args: Parameters<typeof fromPremium>[0] }>) {
  return appendPurchase(args, fromPremium(args.event.args));
}

/** A discount. It names no name: that is the one of the registration right before it. Writes: events. */
async function onDiscount({
  event,
  context,
  log,
}: ArgsOf<"BasenamesController" | Unlisted, "DiscountApplied">) {
  const { registrant, discountKey } = event.args;
  await appendEvent(context, log, {
    node: await findRegisteredNode(context, log),
    fromAddress: registrant,
    details: { discountKey },
  });
}

/** The node that the same contract registered in the log before; null if that is another log. */
async function findRegisteredNode(context: Context, log: LogRef): Promise<Hex | null> {
  const { contractAddress, transactionHash } = log;
  const row = await findLogBefore(context, log);
  const isRegistration =
    row?.eventType === "NameRegistered" &&
    row.contractAddress === contractAddress &&
    row.transactionHash === transactionHash;
  return isRegistration ? row.node : null;
}
