import { type Context, type Event, type EventNames, ponder } from "ponder:registry";
import type { Hex } from "viem";
import { isListedController } from "./write/contracts.ts";
import { appendEventOnly, appendLogOfContract, findLogBefore } from "./write/events.ts";
import { type HandlerArgs, type LogEvent, type LogRef, logRefOf } from "./write/logRef.ts";
import { putPayment, takePayment } from "./write/payments.ts";
import {
  appendPurchase,
  appendWrappedRenewal,
  CONTROLLER,
  fromOneCost,
  fromPremium,
  fromReferredPurchase,
  fromReferredRenewal,
  type Purchase,
} from "./write/purchases.ts";

/*
 * Controllers of layer 2s. Those that the deployment lists have an entry for their kind. `AddedController` is every
 * controller that the registrar ever took on, listed ones again: their logs are left to the other entries.
 */

ponder.on("BasenamesController:ETHPaymentProcessed", onPayment);
ponder.on("BasenamesController:NameRegistered", (args) => onPaidPurchase(args, "NameRegistered"));
ponder.on("BasenamesController:NameRenewed", (args) => onPaidPurchase(args, "NameRenewed"));
ponder.on("BasenamesController:DiscountApplied", onDiscount);
ponder.on("BasenamesController:OwnershipTransferred", (args) =>
  appendLogOfContract(args, CONTROLLER, "OwnershipTransferred"),
);

ponder.on("LineanamesController:NameRegistered", onRegistered);
ponder.on("LineanamesController:PohNameRegistered", (args) => onFreePurchase(args, "PohNameRegistered"));
ponder.on("LineanamesController:OwnerNameRegistered", (args) => onFreePurchase(args, "OwnerNameRegistered"));
ponder.on("LineanamesController:NameRenewed", (args) => {
  const { name: label, label: labelhash, cost, expires } = args.event.args;
  const transactionValueWei = args.event.transaction.value;
  return appendWrappedRenewal(args, "NameRenewed", {
    label,
    labelhash,
    expires,
    costWei: cost,
    transactionValueWei,
  });
});
ponder.on("LineanamesController:NameRenewedPoh", (args) => {
  const { name: label, label: labelhash, expires } = args.event.args;
  return appendWrappedRenewal(args, "NameRenewedPoh", { label, labelhash, expires, costWei: 0n });
});
ponder.on("LineanamesController:OwnershipTransferred", (args) =>
  appendLogOfContract(args, CONTROLLER, "OwnershipTransferred"),
);

onAdded("ETHPaymentProcessed", onPayment);
onAdded("DiscountApplied", onDiscount);
onAdded(
  "NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 expires)",
  (args) => onPaidPurchase(args, "NameRegistered"),
);
onAdded("NameRenewed(string name, bytes32 indexed label, uint256 expires)", (args) =>
  onPaidPurchase(args, "NameRenewed"),
);
onAdded("PohNameRegistered", (args) => onFreePurchase(args, "PohNameRegistered"));
onAdded("OwnerNameRegistered", (args) => onFreePurchase(args, "OwnerNameRegistered"));
onAdded("NameRenewedPoh", (args) => onFreePurchase(args, "NameRenewedPoh"));
onAdded(
  "NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 cost, uint256 expires)",
  (args) => appendPurchase(args, "NameRegistered", fromOneCost(args.event.args)),
);
onAdded(
  "NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires)",
  onRegistered,
);
onAdded(
  "NameRegistered(string label, bytes32 indexed labelhash, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires, bytes32 referrer)",
  (args) => appendPurchase(args, "NameRegistered", fromReferredPurchase(args.event.args)),
);
onAdded("NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)", (args) =>
  appendPurchase(args, "NameRenewed", fromOneCost(args.event.args)),
);
onAdded(
  "NameRenewed(string label, bytes32 indexed labelhash, uint256 cost, uint256 expires, bytes32 referrer)",
  (args) => appendPurchase(args, "NameRenewed", fromReferredRenewal(args.event.args)),
);

type NameOf<Entry> = Entry extends `AddedController:${infer Name}` ? Name : never;
type AddedEvent = NameOf<EventNames>;
type Handler<Name extends AddedEvent> = (
  args: HandlerArgs<Event<`AddedController:${Name}`>>,
) => Promise<void>;

/** Handles a log of a controller that the deployment does not list. */
function onAdded<Name extends AddedEvent>(name: Name, handle: Handler<Name>): void {
  const registry = ponder as unknown as { on: (event: string, handler: Handler<Name>) => void };
  registry.on(`AddedController:${name}`, async (args) => {
    if (!isListedController(args.context, args.event.log.address)) await handle(args);
  });
}

/** The price of the purchase whose log follows. The column of prices is left to that one. Writes: events, pending_payments. */
async function onPayment({ event, context }: HandlerArgs<Event<"BasenamesController:ETHPaymentProcessed">>) {
  const { payee, price } = event.args;
  const log = logRefOf(context, event, CONTROLLER, "ETHPaymentProcessed");
  await appendEventOnly(context, log, { fromAddress: payee, details: { price } });
  await putPayment(context, log, price);
}

type Unpriced = { name: string; label: Hex; owner?: Hex; expires: bigint };

/** On chain the text is `name` and its hash is `label`. */
const unpriced = ({ name, label: labelhash, owner, expires }: Unpriced): Omit<Purchase, "costWei"> => ({
  ...{ label: name, labelhash, expires },
  ...(owner && { owner }),
});

/** A purchase whose price an earlier log told. Writes: events, labels, pending_payments. */
async function onPaidPurchase(
  args: HandlerArgs<LogEvent & { args: Unpriced }>,
  eventType: "NameRegistered" | "NameRenewed",
) {
  const costWei = await takePayment(args.context, logRefOf(args.context, args.event, CONTROLLER, eventType));
  await appendPurchase(args, eventType, { ...unpriced(args.event.args), costWei });
}

/** Writes: events, labels. */
const onFreePurchase = (
  args: HandlerArgs<LogEvent & { args: Unpriced }>,
  eventType: "PohNameRegistered" | "OwnerNameRegistered" | "NameRenewedPoh",
) => appendPurchase(args, eventType, { ...unpriced(args.event.args), costWei: 0n });

/** Writes: events, labels. */
function onRegistered(args: HandlerArgs<Event<"LineanamesController:NameRegistered">>) {
  return appendPurchase(args, "NameRegistered", fromPremium(args.event.args));
}

/** A discount. It names no name: that is the one of the registration right before it. Writes: events. */
async function onDiscount({ event, context }: HandlerArgs<Event<"BasenamesController:DiscountApplied">>) {
  const { registrant, discountKey } = event.args;
  const log = logRefOf(context, event, CONTROLLER, "DiscountApplied");
  await appendEventOnly(context, log, {
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
