import { type Context, type Event, ponder } from "ponder:registry";
import { event as eventTable } from "ponder:schema";
import type { Address, Hex } from "viem";
import { childNode, ETH_NODE, isLabelOf, isPrintable } from "../ens/name.ts";
import { GRACE_PERIOD } from "../ens/wrapper.ts";
import { readRent } from "./write/archive.ts";
import { addressesOf, mayRead } from "./write/contracts.ts";
import { ethName, patchDomain } from "./write/domains.ts";
import { appendEvent, appendEventOnly, appendLogOfContract, type EventValues } from "./write/events.ts";
import { type HandlerArgs, type LogRef, logRefOf } from "./write/logRef.ts";
import { learnLabel } from "./write/names.ts";

const CONTROLLER = "CONTROLLER";

ponder.on("LegacyController1:NameRegistered", (args) =>
  onPurchase(args, "NameRegistered", fromOneCost(args.event.args)),
);
ponder.on("LegacyController2:NameRegistered", (args) =>
  onPurchase(args, "NameRegistered", fromOneCost(args.event.args)),
);
ponder.on("LegacyController3:NameRegistered", (args) =>
  onPurchase(args, "NameRegistered", fromOneCost(args.event.args)),
);
ponder.on("WrappedController:NameRegistered", (args) =>
  onPurchase(args, "NameRegistered", fromPremium(args.event.args)),
);
ponder.on("UnwrappedController:NameRegistered", (args) =>
  onPurchase(args, "NameRegistered", fromReferrer(args.event.args)),
);

ponder.on("LegacyController1:NameRenewed", (args) =>
  onPurchase(args, "NameRenewed", fromOneCost(args.event.args)),
);
ponder.on("LegacyController2:NameRenewed", (args) =>
  onPurchase(args, "NameRenewed", fromOneCost(args.event.args)),
);
ponder.on("LegacyController3:NameRenewed", (args) =>
  onPurchase(args, "NameRenewed", fromOneCost(args.event.args)),
);
ponder.on("WrappedController:NameRenewed", onWrappedRenewal);
ponder.on("UnwrappedController:NameRenewed", ({ event, context }) => {
  const { label, labelhash, cost, expires, referrer } = event.args;
  return onPurchase({ event, context }, "NameRenewed", {
    label,
    labelhash,
    costWei: cost,
    expires,
    referrer,
  });
});

/** A renewal through the contract for referrers. The controller's own log has the expiry, this one has the referrer. */
ponder.on("RenewalReferrer:RenewalReferred", async ({ event, context }) => {
  const { label, labelHash, cost, duration, referrer } = event.args;
  const log = logRefOf(context, event, "RENEWAL_REFERRER", "RenewalReferred");
  await appendEvent(context, log, {
    ...(await labelled(context, log, label, labelHash)),
    costWei: cost,
    durationSeconds: duration,
    referrer,
  });
});

ponder.on("LegacyController1:NewPriceOracle", (args) =>
  appendLogOfContract(args, CONTROLLER, "NewPriceOracle"),
);
ponder.on("LegacyController2:NewPriceOracle", (args) =>
  appendLogOfContract(args, CONTROLLER, "NewPriceOracle"),
);
ponder.on("LegacyController3:NewPriceOracle", (args) =>
  appendLogOfContract(args, CONTROLLER, "NewPriceOracle"),
);
ponder.on("LegacyController1:OwnershipTransferred", (args) =>
  appendLogOfContract(args, CONTROLLER, "OwnershipTransferred"),
);
ponder.on("LegacyController2:OwnershipTransferred", (args) =>
  appendLogOfContract(args, CONTROLLER, "OwnershipTransferred"),
);
ponder.on("LegacyController3:OwnershipTransferred", (args) =>
  appendLogOfContract(args, CONTROLLER, "OwnershipTransferred"),
);
ponder.on("WrappedController:OwnershipTransferred", (args) =>
  appendLogOfContract(args, CONTROLLER, "OwnershipTransferred"),
);
ponder.on("UnwrappedController:OwnershipTransferred", (args) =>
  appendLogOfContract(args, CONTROLLER, "OwnershipTransferred"),
);

/** A registration or renewal of any generation, with the argument names of the newest. */
type Purchase = {
  label: string;
  labelhash: Hex;
  owner?: Address;
  /** Base cost and premium together. */
  costWei: bigint;
  baseCostWei?: bigint;
  premiumWei?: bigint;
  referrer?: Hex;
  expires: bigint;
};

/** Legacy controllers. On chain the text is `name` and its hash is `label`. */
const fromOneCost = (args: {
  name: string;
  label: Hex;
  owner?: Address;
  cost: bigint;
  expires: bigint;
}): Purchase => {
  const { name, label: labelhash, owner, cost, expires } = args;
  return { label: name, labelhash, costWei: cost, expires, ...(owner && { owner }) };
};

/** On chain the text is `name` and its hash is `label`. */
const fromPremium = (args: Event<"WrappedController:NameRegistered">["args"]): Purchase => {
  const { name, label: labelhash, owner, baseCost, premium, expires } = args;
  return {
    label: name,
    labelhash,
    owner,
    costWei: baseCost + premium,
    baseCostWei: baseCost,
    premiumWei: premium,
    expires,
  };
};

const fromReferrer = (args: Event<"UnwrappedController:NameRegistered">["args"]): Purchase => {
  const { label, labelhash, owner, baseCost, premium, expires, referrer } = args;
  return {
    ...{ label, labelhash, owner, expires, referrer },
    ...{ costWei: baseCost + premium, baseCostWei: baseCost, premiumWei: premium },
  };
};

/**
 * Appends a registration or renewal, and learns the label. The registrar's own logs tell the expiry and the owner.
 * Writes: events, labels.
 */
async function onPurchase(
  { event, context }: HandlerArgs,
  eventType: "NameRegistered" | "NameRenewed",
  { label, labelhash, owner, expires, ...price }: Purchase,
) {
  const log = logRefOf(context, event, CONTROLLER, eventType);
  await appendEventOnly(context, log, {
    ...(await labelled(context, log, label, labelhash)),
    ...price,
    ...(owner && { ownerAddress: owner }),
    expiryTimestamp: expires,
    durationSeconds: eventType === "NameRegistered" ? expires - event.block.timestamp : null,
  });
}

/**
 * A renewal by the wrapped controller. Its `cost` is the value sent, and the surplus is paid back afterwards, so it is
 * only an upper bound of the price. With archive reads we read the price itself, unless the label arrived changed: another
 * label has another price. Writes: events, labels, domains.
 * Source: ens-contracts, contracts/ethregistrar/ETHRegistrarController.sol, `renew`.
 */
async function onWrappedRenewal({ event, context }: HandlerArgs<Event<"WrappedController:NameRenewed">>) {
  const { name: label, label: labelhash, cost, expires } = event.args;
  const log = logRefOf(context, event, CONTROLLER, "NameRenewed");
  await renewWrapped(context, log, labelhash, expires);
  const values = await labelled(context, log, label, labelhash);
  const durationSeconds = await findRenewedSeconds(context, log, values.node);
  await appendEvent(context, log, {
    ...values,
    costWei: cost,
    transactionValueWei: event.transaction.value,
    expiryTimestamp: expires,
    durationSeconds,
    exactCostWei:
      durationSeconds !== null && isLabelOf(labelhash, label) && mayRead(context, "WrappedController")
        ? ((await readRent(context, log.contractAddress, label, durationSeconds)) ?? null)
        : null,
  });
}

/**
 * The wrapped controller renews through NameWrapper.renew. That also moves the wrapper's expiry, without an event, if
 * the wrapper is the owner in registrar and registry and the name is no longer expired.
 * Source: ens-contracts, contracts/wrapper/NameWrapper.sol, `renew`.
 */
async function renewWrapped(context: Context, log: LogRef, labelhash: Hex, expires: bigint) {
  const wrapper = addressesOf(context, "NameWrapper")[0];
  await patchDomain(context, log, ethName(childNode(ETH_NODE, labelhash), labelhash), (domain) =>
    wrapper !== undefined &&
    domain.registrarOwner === wrapper &&
    domain.registryOwner === wrapper &&
    expires > BigInt(log.blockTimestamp)
      ? { wrapperExpiryTimestamp: expires + GRACE_PERIOD, wrapperFuses: domain.wrapperFuses ?? 0 }
      : {},
  );
}

/** Seconds added by the registrar's NameRenewed, which is the log right before the controller's; null if it is not. */
async function findRenewedSeconds(context: Context, log: LogRef, node: Hex): Promise<bigint | null> {
  const { chainId, blockNumber, logIndex } = log;
  const row = await context.db.find(eventTable, { chainId, blockNumber, logIndex: logIndex - 1, ordinal: 0 });
  return row?.eventType === "NameRenewed" && row.node === node ? row.durationSeconds : null;
}

/**
 * Learns the label that a controller's log spells out, if its hash is the log's labelhash: bytes that are not UTF-8
 * arrive changed. Otherwise the label stays unknown, and the event keeps the text as given.
 */
async function labelled(
  context: Context,
  log: LogRef,
  label: string,
  labelhash: Hex,
): Promise<EventValues & { node: Hex }> {
  const node = childNode(ETH_NODE, labelhash);
  if (!isLabelOf(labelhash, label)) {
    return { node, details: { label }, anomaly: "the label does not hash to the labelhash" };
  }
  await learnLabel(context, log, labelhash, label);
  return isPrintable(label) ? { node, name: `${label}.eth` } : { node, details: { label } };
}
