import { type Context, type Event, ponder } from "ponder:registry";
import { event as eventTable } from "ponder:schema";
import type { Address, Hex } from "viem";
import { childNode, ETH_NODE, isPrintable } from "../ens/name.ts";
import { GRACE_PERIOD } from "../ens/wrapper.ts";
import { readRent } from "./write/archive.ts";
import { addressesOf, mayRead } from "./write/contracts.ts";
import { ethName, patchDomain } from "./write/domains.ts";
import { appendEvent, appendEventOnly, type EventValues } from "./write/events.ts";
import { type LogRef, logRefOf } from "./write/logRef.ts";
import { isLabelOf, learnLabel } from "./write/names.ts";

const CONTROLLER = "CONTROLLER";

ponder.on("Controller1:NameRegistered", (args) =>
  onPurchase(args, "NameRegistered", fromOneCost(args.event.args)),
);
ponder.on("Controller2:NameRegistered", (args) =>
  onPurchase(args, "NameRegistered", fromOneCost(args.event.args)),
);
ponder.on("Controller3:NameRegistered", (args) =>
  onPurchase(args, "NameRegistered", fromOneCost(args.event.args)),
);
ponder.on("Controller4:NameRegistered", (args) =>
  onPurchase(args, "NameRegistered", fromPremium(args.event.args)),
);
ponder.on("Controller5:NameRegistered", (args) =>
  onPurchase(args, "NameRegistered", fromReferrer(args.event.args)),
);

ponder.on("Controller1:NameRenewed", (args) => onPurchase(args, "NameRenewed", fromOneCost(args.event.args)));
ponder.on("Controller2:NameRenewed", (args) => onPurchase(args, "NameRenewed", fromOneCost(args.event.args)));
ponder.on("Controller3:NameRenewed", (args) => onPurchase(args, "NameRenewed", fromOneCost(args.event.args)));
ponder.on("Controller4:NameRenewed", onWrappedRenewal);
ponder.on("Controller5:NameRenewed", ({ event, context }) => {
  const { label, labelhash, cost, expires, referrer } = event.args;
  return onPurchase({ event, context }, "NameRenewed", {
    label,
    labelhash,
    costWei: cost,
    expires,
    referrer,
  });
});

/** Renewals through the referring contract: the controller's own log has the expiry, this one the referrer. */
ponder.on("RenewalReferrer:RenewalReferred", async ({ event, context }) => {
  const { label, labelHash, cost, duration, referrer } = event.args;
  const cause = logRefOf(context, event, "RENEWAL_REFERRER", "RenewalReferred");
  await appendEvent(context, cause, {
    ...(await labelled(context, label, labelHash)),
    costWei: cost,
    durationSeconds: duration,
    referrer,
  });
});

ponder.on("Controller1:NewPriceOracle", (args) => keep(args, "NewPriceOracle", args.event.args));
ponder.on("Controller2:NewPriceOracle", (args) => keep(args, "NewPriceOracle", args.event.args));
ponder.on("Controller3:NewPriceOracle", (args) => keep(args, "NewPriceOracle", args.event.args));
ponder.on("Controller1:OwnershipTransferred", (args) => keep(args, "OwnershipTransferred", args.event.args));
ponder.on("Controller2:OwnershipTransferred", (args) => keep(args, "OwnershipTransferred", args.event.args));
ponder.on("Controller3:OwnershipTransferred", (args) => keep(args, "OwnershipTransferred", args.event.args));
ponder.on("Controller4:OwnershipTransferred", (args) => keep(args, "OwnershipTransferred", args.event.args));
ponder.on("Controller5:OwnershipTransferred", (args) => keep(args, "OwnershipTransferred", args.event.args));

/** What every generation says of a registration or renewal, in the words of the newest. */
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

/** Controllers 1 to 3. On chain the text is `name` and its hash `label`. */
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

/** Controller 4. On chain the text is `name` and its hash `label`. */
const fromPremium = (args: Event<"Controller4:NameRegistered">["args"]): Purchase => {
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

/** Controller 5. */
const fromReferrer = (args: Event<"Controller5:NameRegistered">["args"]): Purchase => {
  const { label, labelhash, owner, baseCost, premium, expires, referrer } = args;
  return {
    ...{ label, labelhash, owner, expires, referrer },
    ...{ costWei: baseCost + premium, baseCostWei: baseCost, premiumWei: premium },
  };
};

type Logged = Parameters<typeof logRefOf>[1];

/** Keeps a registration or renewal, and learns the label. Expiry and owner come by the registrar's own logs. Writes: events, labels. */
async function onPurchase(
  { event, context }: { event: Logged; context: Context },
  eventType: "NameRegistered" | "NameRenewed",
  { label, labelhash, owner, expires, ...price }: Purchase,
) {
  const cause = logRefOf(context, event, CONTROLLER, eventType);
  await appendEventOnly(context, cause, {
    ...(await labelled(context, label, labelhash)),
    ...price,
    ...(owner && { ownerAddress: owner }),
    expiryTimestamp: expires,
    durationSeconds: eventType === "NameRegistered" ? expires - event.block.timestamp : null,
  });
}

/**
 * A renewal by the wrapped controller. Its `cost` is the value sent, of which the surplus is given back afterwards, so
 * only an upper bound of the price; with archive reads the price itself is asked for. Writes: events, labels, domains.
 * Source: ens-contracts, contracts/ethregistrar/ETHRegistrarController.sol, `renew`.
 */
async function onWrappedRenewal({
  event,
  context,
}: {
  event: Event<"Controller4:NameRenewed">;
  context: Context;
}) {
  const { name: label, label: labelhash, cost, expires } = event.args;
  const cause = logRefOf(context, event, CONTROLLER, "NameRenewed");
  await renewWrapped(context, cause, labelhash, expires);
  const values = await labelled(context, label, labelhash);
  const durationSeconds = await findRenewedSeconds(context, cause, values.node);
  await appendEvent(context, cause, {
    ...values,
    costWei: cost,
    transactionValueWei: event.transaction.value,
    expiryTimestamp: expires,
    durationSeconds,
    exactCostWei:
      durationSeconds !== null && mayRead(context, "Controller4")
        ? ((await readRent(context, cause.contractAddress, label, durationSeconds)) ?? null)
        : null,
  });
}

/**
 * The wrapped controller renews through NameWrapper.renew, which moves the wrapper's expiry too, if registrar and
 * registry owner are the wrapper and the name is not expired still, and emits nothing.
 * Source: ens-contracts, contracts/wrapper/NameWrapper.sol, `renew`.
 */
async function renewWrapped(context: Context, cause: LogRef, labelhash: Hex, expires: bigint) {
  const wrapper = addressesOf(context, "NameWrapper")[0];
  await patchDomain(context, cause, ethName(childNode(ETH_NODE, labelhash), labelhash), (domain) =>
    wrapper !== undefined &&
    domain.registrarOwner === wrapper &&
    domain.registryOwner === wrapper &&
    expires > BigInt(cause.blockTimestamp)
      ? { wrapperExpiryTimestamp: expires + GRACE_PERIOD, wrapperFuses: domain.wrapperFuses ?? 0 }
      : {},
  );
}

/** Seconds added by the registrar's NameRenewed, which a controller's always follows at once; null if it does not. */
async function findRenewedSeconds(context: Context, cause: LogRef, node: Hex): Promise<bigint | null> {
  const { chainId, blockNumber, logIndex } = cause;
  const row = await context.db.find(eventTable, { chainId, blockNumber, logIndex: logIndex - 1, ordinal: 0 });
  return row?.eventType === "NameRenewed" && row.node === node ? row.durationSeconds : null;
}

/**
 * Learns a label that a controller spelled out, if it hashes to what the log says: bytes that are not UTF-8 arrive
 * changed. Anything else stays an unknown label, and the log is kept with what was given.
 */
async function labelled(
  context: Context,
  label: string,
  labelhash: Hex,
): Promise<EventValues & { node: Hex }> {
  const node = childNode(ETH_NODE, labelhash);
  if (!isLabelOf(labelhash, label)) {
    return { node, details: { label }, anomaly: "the label does not hash to the labelhash" };
  }
  await learnLabel(context, labelhash, label);
  return isPrintable(label) ? { node, name: `${label}.eth` } : { node, details: { label } };
}

/** Keeps a log that concerns no name. Writes: events. */
async function keep(
  { event, context }: { event: Logged; context: Context },
  eventType: string,
  details: Record<string, unknown>,
) {
  await appendEvent(context, logRefOf(context, event, CONTROLLER, eventType), { details });
}
