import { isLabelOf } from "../ens/name.ts";
import { type ArgsOf, on } from "./on.ts";
import { readRent } from "./write/archive.ts";
import { mayRead } from "./write/contracts.ts";
import { appendArguments, appendEventAndHolders } from "./write/events.ts";
import {
  appendDirectRenewal,
  appendPurchase,
  appendWrappedRenewal,
  fromOneCost,
  fromPremium,
  fromReferredPurchase,
  fromReferredRenewal,
  labelled,
} from "./write/purchases.ts";

/** The first controllers have the same events. */
const legacy = ["LegacyController1", "LegacyController2", "LegacyController3"] as const;

on(legacy, "NameRegistered", (args) => appendPurchase(args, fromOneCost(args.event.args)));
on("WrappedController", "NameRegistered", (args) => appendPurchase(args, fromPremium(args.event.args)));
on("UnwrappedController", "NameRegistered", (args) =>
  appendPurchase(args, fromReferredPurchase(args.event.args)),
);

on(legacy, "NameRenewed", (args) => appendDirectRenewal(args, fromOneCost(args.event.args)));
on("WrappedController", "NameRenewed", onWrappedRenewal);
on("UnwrappedController", "NameRenewed", (args) =>
  appendDirectRenewal(args, fromReferredRenewal(args.event.args)),
);

/** A renewal through the contract for referrers. The controller's own log has the expiry, this one has the referrer. */
on("RenewalReferrer", "RenewalReferred", async ({ event, context, log }) => {
  const { label, labelHash, cost, duration, referrer } = event.args;
  await appendEventAndHolders(context, log, {
    ...(await labelled(context, log, label, labelHash)),
    costWei: cost,
    durationSeconds: duration,
    referrer,
  });
});

on(legacy, "NewPriceOracle", appendArguments);
on([...legacy, "WrappedController", "UnwrappedController"], "OwnershipTransferred", appendArguments);

/**
 * A renewal by the wrapped controller, whose `cost` is only an upper bound of the price. With archive reads we read the
 * price itself, unless the label arrived changed: another label has another price. Writes: events, labels, domains.
 */
async function onWrappedRenewal(args: ArgsOf<"WrappedController", "NameRenewed">) {
  const { event, context } = args;
  const { name: label, label: labelhash, cost, expires } = event.args;
  const maySell = isLabelOf(labelhash, label) && mayRead(context, "WrappedController");
  await appendWrappedRenewal(args, {
    label,
    labelhash,
    expires,
    costWei: cost,
    transactionValueWei: event.transaction.value,
    readPrice: (seconds) =>
      maySell ? readRent(context, event.log.address, label, seconds) : Promise.resolve(undefined),
  });
}
