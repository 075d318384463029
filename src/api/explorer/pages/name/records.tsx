import { DAY } from "../../../rules/seconds.ts";
import { Card, Empty, Facts } from "../../parts/card.tsx";
import { AddressLink, Copy, Whole } from "../../parts/hash.tsx";
import { TextOrLink } from "../../parts/link.tsx";
import { nameUrl } from "../../parts/name.tsx";
import { withQuery } from "../../parts/pager.tsx";
import { LongText, Text } from "../../parts/text.tsx";
import { dayOf } from "../../parts/time.tsx";
import type { Records } from "../../replies.ts";
import { coinName, isAccountAddress } from "./coins.ts";
import { contentUri } from "./contenthash.ts";

/** Texts and addresses that a page shows. The JSON has all. */
export const MAX_RECORDS = 100;

/** Longest picture in a record that a page shows, in characters. */
export const MAX_PICTURE = 16_384;

type Props = Pick<Records, "domain"> & { records: NonNullable<Records["records"]> };

const recordsUrl = (name: string): string => `domain/${encodeURIComponent(name)}/records`;

/** Addresses and contenthash that the resolver holds for the name. */
export const Addresses = ({ records: { addresses, contenthash }, domain }: Props) => {
  const entries = Object.entries(addresses);
  return (
    <Card id="addresses" title="Addresses">
      {entries.length === 0 && !contenthash && <Empty>No address is set.</Empty>}
      <Facts
        facts={entries.slice(0, MAX_RECORDS).map(([coinType, value]) => [
          coinName(coinType),
          isAccountAddress(value) ? (
            <AddressLink address={value} isWhole />
          ) : (
            <span class="mono">
              <LongText text={value} url={recordsUrl(domain)} />
            </span>
          ),
        ])}
      />
      {contenthash && <Content bytes={contenthash} />}
      <More count={entries.length} url={recordsUrl(domain)} />
    </Card>
  );
};

/** Texts that the owner wrote: shown as text, whatever they are. */
export const Texts = ({ records: { texts }, domain, now }: Props & { now: number }) => {
  const entries = Object.entries(texts);
  const url = recordsUrl(domain);
  return (
    <Card id="texts" title="Texts" aside={<LastYear domain={domain} now={now} />}>
      {entries.length === 0 ? (
        <Empty>No text is set.</Empty>
      ) : (
        <dl class="facts texts">
          {entries.slice(0, MAX_RECORDS).map(([key, value]) => (
            <div>
              <dt class="mono">
                <LongText text={key} />
              </dt>
              <dd>
                {key === "avatar" && <Picture value={value} />}
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
    Changes in a year
  </a>
);

const More = ({ count, url }: { count: number; url: string }) =>
  count <= MAX_RECORDS ? null : (
    <p>
      {`${(count - MAX_RECORDS).toLocaleString("en")} more are in the `}
      <a href={url}>JSON</a>.
    </p>
  );

/** A picture that is in the record itself. Those of other hosts are not loaded: their host would learn of the reader. */
const Picture = ({ value }: { value: string }) =>
  value.length <= MAX_PICTURE && /^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/i.test(value) ? (
    <img class="avatar" src={value} alt="Avatar" width={96} height={96} />
  ) : null;

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
