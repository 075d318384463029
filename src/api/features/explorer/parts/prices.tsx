import type { Child } from "hono/jsx";
import { type Refusal, SHORTEST_LABEL } from "../../../names/rules/offers.ts";
import { GRACE_DAYS } from "../../../names/rules/stages.ts";
import type { ApiError } from "../../../server/errors/errors.ts";
import type { NamePrice, PriceOffer } from "../replies.ts";
import { appOf } from "./apps.ts";
import { Card, Unavailable } from "./card.tsx";
import { AddressLink } from "./hash.tsx";
import { Icon } from "./icon.tsx";
import { inTokens, weiInEth, withGroups } from "./price.ts";
import { Table } from "./table.tsx";
import { Time } from "./time.tsx";

/** Years for which a page shows prices. */
export const LENGTHS = "1,2,3,5,10";

/** Why a name has no price, in words. */
const refusalsInWords: Record<Refusal, string> = {
  registered: "This name is registered. It can only be renewed.",
  grace: `This name is in its grace period. For ${GRACE_DAYS} days (28 in ENSv2) it can only be renewed.`,
  not_registered: "There is no registration to renew.",
  given_up: "The owner gave this name up. It cannot be registered until its grace period ends.",
  too_short: `Names shorter than ${SHORTEST_LABEL} characters cannot be registered.`,
  label_unknown: "Only the hash of the label is known, and the price depends on its length.",
  subname: "The owner of the parent name decides who gets this name.",
  not_sold: "No ENS registrar sells names like this.",
  chain_not_indexed: "This name belongs to a chain that is not indexed here.",
  closed: "No contract is selling names right now.",
  unknown: "The state of this name is unknown.",
};

type Props = { price: NamePrice | ApiError; network: string | null; isFolded?: true };

/** Prices to register or renew a name, and a link to the app. Folded: the price of one year, with the others inside. */
export const Prices = ({ price, network, isFolded }: Props) => {
  if (price instanceof Error) {
    return (
      <Card id="price" title="Price">
        <Unavailable error={price} />
      </Card>
    );
  }
  const offer = price.registration ?? price.renewal;
  const isRenewal = price.registration === null;
  if (offer === null) {
    return (
      <Card id="price" title="Price">
        <p>{refusalsInWords[price.registration_refusal ?? "unknown"]}</p>
      </Card>
    );
  }
  const app = appOf(price, { network, isRenewal });
  const title = isRenewal ? "Renewal price" : "Registration price";
  if (isFolded) {
    const [year] = offer.prices;
    return (
      <details class="card fold">
        <summary>
          <h2 id="price">{title}</h2>
          {year && <span class="faint">{` ${inBoth(year)} a year`}</span>}
        </summary>
        {app && (
          <p class="actions">
            <AppLink app={app} isRenewal={isRenewal} />
          </p>
        )}
        <PriceTable offer={offer} />
        <Fineprint price={price} offer={offer} />
      </details>
    );
  }
  return (
    <Card id="price" title={title} aside={app && <AppLink app={app} isRenewal={isRenewal} />}>
      <PriceTable offer={offer} />
      <Fineprint price={price} offer={offer} />
    </Card>
  );
};

/** A link to the app that registers and renews, on another host. */
export const AppLink = ({ app, isRenewal }: { app: { url: string; host: string }; isRenewal: boolean }) => (
  <a class="button first" href={app.url} rel="noopener" referrerpolicy="no-referrer">
    {isRenewal ? "Renew" : "Register"} <span class="host">{app.host}</span>
    <Icon name="out" />
  </a>
);

const PriceTable = ({ offer }: { offer: PriceOffer }) => (
  <Table caption="Prices by length" columns={[{ title: "For" }, { title: "Price" }]}>
    {offer.prices.map((price) => (
      <tr>
        <th scope="row">{price.years === 1 ? "1 year" : `${price.years} years`}</th>
        <td class="stacked">
          <strong>{paidIn(price, "total")}</strong>
          {price.usd !== null && <span class="faint">{withGroups(price.usd.total)}</span>}
          {hasPremium(price) && (
            <span class="faint">
              {inShort(price, "base")} base + {inShort(price, "premium")} premium
            </span>
          )}
        </td>
      </tr>
    ))}
  </Table>
);

type Price = PriceOffer["prices"][number];
type Part = "base" | "premium" | "total";

const hasPremium = ({ wei, tokens = [] }: Price): boolean =>
  (wei ? [wei] : tokens).some(({ premium }) => premium !== "0");

const inShort = (price: Price, part: Part): string =>
  price.usd === null ? paidIn(price, part) : withGroups(price.usd[part]);

/** The total in ether or tokens, with dollars where they are known. */
export const inBoth = (price: Price): string =>
  `${paidIn(price, "total")}${price.usd === null ? "" : ` (${withGroups(price.usd.total)})`}`;

/** The amount to pay. Only the first of several stablecoins is shown: all are worth the same. */
export function paidIn({ wei, tokens = [] }: Price, part: Part): string {
  if (wei) return weiInEth(wei[part]);
  const [first] = tokens;
  return first === undefined ? "not available" : inTokens({ ...first, amount: first[part] });
}

const Fineprint = ({ price, offer }: { price: NamePrice; offer: PriceOffer }) => {
  const { usd_per_ether: rate, price_block: block } = price;
  const others = offer.prices[0]?.tokens?.slice(1).map(({ symbol, token }) => symbol ?? token) ?? [];
  const parts: Child[] = [
    block !== null && (
      <>
        At block <span class="number">{block.block_number.toLocaleString("en")}</span>,{" "}
        <Time at={block.block_timestamp} />.
      </>
    ),
    rate !== null && offer.prices[0]?.wei !== undefined && <> One ETH is {withGroups(rate.value)}.</>,
    others.length > 0 && <> Also accepted: {others.join(", ")}.</>,
    <>
      {" "}
      Overpayment is refunded by <AddressLink address={offer.contract} />. Gas is not included.
    </>,
  ];
  return <p class="faint">{parts}</p>;
};
