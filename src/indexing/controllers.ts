import { type Event, ponder } from "ponder:registry";
import { isLabelOf } from "../ens/name.ts";
import { readRent } from "./write/archive.ts";
import { mayRead } from "./write/contracts.ts";
import { appendEvent, appendLogOfContract } from "./write/events.ts";
import { type HandlerArgs, logRefOf } from "./write/logRef.ts";
import {
  appendPurchase,
  appendWrappedRenewal,
  CONTROLLER,
  fromOneCost,
  fromPremium,
  fromReferredPurchase,
  fromReferredRenewal,
  labelled,
} from "./write/purchases.ts";

ponder.on("LegacyController1:NameRegistered", (args) =>
  appendPurchase(args, "NameRegistered", fromOneCost(args.event.args)),
);
ponder.on("LegacyController2:NameRegistered", (args) =>
  appendPurchase(args, "NameRegistered", fromOneCost(args.event.args)),
);
ponder.on("LegacyController3:NameRegistered", (args) =>
  appendPurchase(args, "NameRegistered", fromOneCost(args.event.args)),
);
ponder.on("WrappedController:NameRegistered", (args) =>
  appendPurchase(args, "NameRegistered", fromPremium(args.event.args)),
);
ponder.on("UnwrappedController:NameRegistered", (args) =>
  appendPurchase(args, "NameRegistered", fromReferredPurchase(args.event.args)),
);

ponder.on("LegacyController1:NameRenewed", (args) =>
  appendPurchase(args, "NameRenewed", fromOneCost(args.event.args)),
);
ponder.on("LegacyController2:NameRenewed", (args) =>
  appendPurchase(args, "NameRenewed", fromOneCost(args.event.args)),
);
ponder.on("LegacyController3:NameRenewed", (args) =>
  appendPurchase(args, "NameRenewed", fromOneCost(args.event.args)),
);
ponder.on("WrappedController:NameRenewed", onWrappedRenewal);
ponder.on("UnwrappedController:NameRenewed", (args) =>
  appendPurchase(args, "NameRenewed", fromReferredRenewal(args.event.args)),
);

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

/**
 * A renewal by the wrapped controller, whose `cost` is only an upper bound of the price. With archive reads we read the
 * price itself, unless the label arrived changed: another label has another price. Writes: events, labels, domains.
 */
async function onWrappedRenewal({ event, context }: HandlerArgs<Event<"WrappedController:NameRenewed">>) {
  const { name: label, label: labelhash, cost, expires } = event.args;
  const maySell = isLabelOf(labelhash, label) && mayRead(context, "WrappedController");
  await appendWrappedRenewal({ event, context }, "NameRenewed", {
    ...{ label, labelhash, expires },
    costWei: cost,
    transactionValueWei: event.transaction.value,
    readPrice: (seconds) =>
      maySell ? readRent(context, event.log.address, label, seconds) : Promise.resolve(undefined),
  });
}
