import { isLabelOf } from "../ens/name.ts";
import { type ArgsOf, on } from "./on.ts";
import { readRent } from "./write/archive.ts";
import { mayRead, priceFeedOf } from "./write/contracts.ts";
import { appendArguments, appendEventAndHolders } from "./write/events.ts";
import { checkPrice, priceByFeed } from "./write/priceFeed.ts";
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
on("WrappedController", "NameRegistered", async (args) =>
  appendPurchase(args, { ...fromPremium(args.event.args), ...(await checkedPrice(args)) }),
);
on("UnwrappedController", "NameRegistered", async (args) =>
  appendPurchase(args, { ...fromReferredPurchase(args.event.args), ...(await checkedPrice(args)) }),
);

/**
 * What is odd of a registration's price, if the feed gives another one. Writes: price_feed_checks, price_feed_answers,
 * unconfirmed_prices, events.
 */
async function checkedPrice({
  event,
  context,
  log,
}: ArgsOf<"WrappedController" | "UnwrappedController", "NameRegistered">) {
  const isRight = await checkPrice(context, log, {
    log: event.log,
    seconds: event.args.expires - event.block.timestamp,
    baseCostWei: event.args.baseCost,
  });
  return isRight ? {} : { anomaly: "the price is not that of the price feed" };
}

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
 * A renewal by the wrapped controller, whose `cost` is only an upper bound of the price. The price feed gives the price. Where the
 * feed is not known, archive reads do, unless the label arrived changed: another label has another price.
 * Writes: events, labels, domains, price_feed_checks, unconfirmed_prices.
 */
async function onWrappedRenewal(args: ArgsOf<"WrappedController", "NameRenewed">) {
  const { event, context, log } = args;
  const { name: label, label: labelhash, cost, expires } = event.args;
  const feed = priceFeedOf(context);
  const mayAsk = isLabelOf(labelhash, label) && mayRead(context);
  await appendWrappedRenewal(args, {
    label,
    labelhash,
    expires,
    costWei: cost,
    costIsUpperBound: true,
    readPrice: async (seconds) => {
      if (feed !== undefined) return priceByFeed(context, log, feed, { log: event.log, seconds });
      return mayAsk ? readRent(context, event.log.address, label, seconds) : undefined;
    },
  });
}
