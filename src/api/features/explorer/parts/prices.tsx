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

/** Lengths that a page shows prices of. */
export const LENGTHS = "1,2,3,5,10";

/** Why a name has no price, in words. */
const refusalsInWords: Record<Refusal, string> = {
  registered: "The name is registered: only a renewal is possible.",
  grace: `The name is in its grace: for ${GRACE_DAYS} days (in ENSv2 28) it can only be renewed.`,
  not_registered: "There is no registration that could be renewed.",
  given_up: "Its owner gave the name up. It is not sold before its grace is over.",
  too_short: `Names with fewer than ${SHORTEST_LABEL} characters are not sold.`,
  label_unknown: "Only the hash of the name's label is known here, and the price depends on its characters.",
  subname: "The owner of the name above it decides who gets it.",
  not_sold: "No registrar of ENS sells such names.",
  chain_not_indexed: "The chain that keeps this name is not indexed here.",
  closed: "No contract sells names at present.",
  unknown: "Its state is not known.",
};

type Props = { price: NamePrice | ApiError; network: string | null };

/** What a name costs to register or to renew, for some lengths, and where. */
export const Prices = ({ price, network }: Props) => {
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
  return (
    <Card
      id="price"
      title={isRenewal ? "Price of a renewal" : "Price of a registration"}
      aside={app && <AppLink app={app} isRenewal={isRenewal} />}
    >
      <PriceTable offer={offer} />
      <Fineprint price={price} offer={offer} />
    </Card>
  );
};

/** The way to the application that registers and renews. It is another host: the visitor's browser goes there by a click alone. */
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
              {inShort(price, "base")} rent + {inShort(price, "premium")} premium
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

/** What is paid. Of several stablecoins the first is shown: all are worth the same. */
export function paidIn({ wei, tokens = [] }: Price, part: Part): string {
  if (wei) return weiInEth(wei[part]);
  const [first] = tokens;
  return first === undefined ? "no token is taken" : inTokens({ ...first, amount: first[part] });
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
    others.length > 0 && <> Also in {others.join(", ")}.</>,
    <>
      {" "}
      The contract is <AddressLink address={offer.contract} />, and gives back what is too much. Gas comes on
      top.
    </>,
  ];
  return <p class="faint">{parts}</p>;
};
