import { DAY } from "../../../../names/rules/seconds.ts";
import { Card, Empty, Facts } from "../../parts/card.tsx";
import { AddressLink, Copy, Whole } from "../../parts/hash.tsx";
import { TextOrLink } from "../../parts/link.tsx";
import { nameUrl } from "../../parts/name.tsx";
import { withQuery } from "../../parts/pager.tsx";
import { LongText, Text } from "../../parts/text.tsx";
import { dayOf } from "../../parts/time.tsx";
import type { Records } from "../../replies.ts";
import { coinAddress } from "./coinAddress.ts";
import { coinName, isAccountAddress } from "./coins.ts";
import { contentUri } from "./contenthash.ts";

/** Texts and addresses that a page shows. The JSON has all. */
export const MAX_RECORDS = 100;

type Props = Pick<Records, "domain"> & { records: NonNullable<Records["records"]> };

const recordsUrl = (name: string): string => `domain/${encodeURIComponent(name)}/records`;

/** Addresses and contenthash that the resolver holds for the name. */
export const Addresses = ({ records: { addresses, contenthash }, domain }: Props) => {
  const entries = Object.entries(addresses);
  return (
    <Card id="addresses" title="Addresses">
      {entries.length === 0 && !contenthash && <Empty>No addresses set.</Empty>}
      <Facts
        facts={entries
          .slice(0, MAX_RECORDS)
          .map(([coinType, value]) => [
            coinName(coinType),
            isAccountAddress(value) ? (
              <AddressLink address={value} isWhole />
            ) : (
              <CoinAddress coinType={coinType} value={value} url={recordsUrl(domain)} />
            ),
          ])}
      />
      {contenthash && <Content bytes={contenthash} />}
      <More count={entries.length} url={recordsUrl(domain)} />
    </Card>
  );
};

type CoinProps = { coinType: string; value: string; url: string };

/** An address in the format of its coin, or the record's bytes if they are not one. */
const CoinAddress = ({ coinType, value, url }: CoinProps) => {
  const text = coinAddress(coinType, value);
  if (text !== null) return <Whole value={text} what="address" />;
  return (
    <span class="mono">
      <LongText text={value} url={url} />
    </span>
  );
};

/** Text records are written by the owner and always shown as plain text. */
export const Texts = ({ records: { texts }, domain, now }: Props & { now: number }) => {
  const entries = Object.entries(texts);
  const url = recordsUrl(domain);
  return (
    <Card id="texts" title="Text records" aside={<LastYear domain={domain} now={now} />}>
      {entries.length === 0 ? (
        <Empty>No text records set.</Empty>
      ) : (
        <dl class="facts texts">
          {entries.slice(0, MAX_RECORDS).map(([key, value]) => (
            <div>
              <dt class="mono">
                <LongText text={key} />
              </dt>
              <dd>
                <TextOrLink text={value} url={`${url}/text/${encodeURIComponent(key)}`} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <More count={entries.length} url={url} />
    </Card>
  );
};

const LastYear = ({ domain, now }: { domain: string; now: number }) => (
  <a href={withQuery(nameUrl(domain), { view: "history", kind: "record", from_day: dayOf(now - 365 * DAY) })}>
    Last year's changes
  </a>
);

const More = ({ count, url }: { count: number; url: string }) =>
  count <= MAX_RECORDS ? null : (
    <p>
      {`${(count - MAX_RECORDS).toLocaleString("en")} more in the `}
      <a href={url}>JSON</a>.
    </p>
  );

const Content = ({ bytes }: { bytes: string }) => {
  const uri = contentUri(bytes);
  return (
    <Facts
      facts={[
        ["Contenthash", <Whole value={bytes} what="contenthash" />],
        uri !== null && [
          "Content",
          <span class="whole">
            <span class="mono">
              <Text>{uri}</Text>
            </span>
            <Copy text={uri} what="content address" />
          </span>,
        ],
      ]}
    />
  );
};
