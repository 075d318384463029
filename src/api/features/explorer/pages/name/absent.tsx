import { managedNames } from "../../../../../ens/managedNames.ts";
import { SHORTEST_LABEL } from "../../../../names/rules/offers.ts";
import {
  isEthSecondLevel,
  type ParsedName,
  parseName,
  UNKNOWN_LABEL,
} from "../../../../names/schemas/input.ts";
import { errorCodes } from "../../../../server/errors/errors.ts";
import type { Page, Visit } from "../../page.ts";
import { Card, Empty, NotFoundOut } from "../../parts/card.tsx";
import { Copy } from "../../parts/hash.tsx";
import { listed, NameLink, NameNotice, nameUrl } from "../../parts/name.tsx";
import { withQuery } from "../../parts/pager.tsx";
import { LENGTHS, Prices, paidIn } from "../../parts/prices.tsx";
import { StateBadge } from "../../parts/state.tsx";
import { Table } from "../../parts/table.tsx";
import { visible } from "../../parts/text.tsx";
import { Time } from "../../parts/time.tsx";
import type { BulkPrice, Domain, NamePrice, Whois } from "../../replies.ts";

type Absent = Exclude<Whois, Domain>;

/** A name that no event mentions: its price if it is available, why it cannot be registered if it is too short, and similar names. */
export async function absentPage(visit: Visit, whois: Absent): Promise<Page> {
  const { query, availability_status, unresolved } = whois;
  const parsed = parseName(query);
  const isKept = isOfRegistrar(parsed) && !unresolved;
  const isSold = isKept && (parsed.labelLength ?? 0) >= SHORTEST_LABEL;
  const [price, network, similar] = await Promise.all([
    isSold ? visit.tryAsk<NamePrice>("/domain/{name}/price", { name: query, years: LENGTHS }) : null,
    visit.network(),
    isKept ? askSimilar(visit, similarTo(parsed)) : null,
  ]);
  return {
    title: listed(parsed.name),
    description: unresolved
      ? `The state of ${listed(parsed.name)} could not be determined.`
      : `${listed(parsed.name)} does not appear in any ENS event.`,
    ...(unresolved && { status: errorCodes.LIVE_RESOLUTION_FAILED.status }),
    canonical: nameUrl(parsed.name),
    section: "search",
    body: (
      <>
        <div class="heading">
          <div class="heading-title">
            <h1>
              <bdi class="theirs">{visible(listed(parsed.name))}</bdi>
            </h1>
            <Copy text={parsed.name} what="name" />
            <StateBadge state={availability_status} />
          </div>
        </div>
        <NameNotice name={parsed.name} />
        {unresolved ? (
          <NotFoundOut unresolved={unresolved} />
        ) : (
          <p class="lead">{sayingOf(parsed, availability_status)}</p>
        )}
        {price !== null && <Prices price={price} network={network} />}
        {isKept && <Similar name={parsed} found={similar instanceof Error ? null : similar} />}
      </>
    ),
  };
}

const askSimilar = async (visit: Visit, names: readonly string[]) =>
  names.length === 0 ? null : visit.askMany<{ results: BulkPrice[] }>("/price/bulk", { names });

/** Whether a registrar could sell the name: one right under .eth, or under the managed name of a layer 2. */
const isOfRegistrar = ({ label, parentNode }: ParsedName): boolean =>
  !UNKNOWN_LABEL.test(label) &&
  (isEthSecondLevel({ parentNode }) || managedNames.some(({ node }) => node === parentNode));

function sayingOf(parsed: ParsedName, state: Absent["availability_status"]): string {
  if (state === "available") return "This name was never registered and is available.";
  if (isOfRegistrar(parsed) && parsed.labelLength !== null && parsed.labelLength < SHORTEST_LABEL) {
    const has = parsed.labelLength === 1 ? "one character" : `${parsed.labelLength} characters`;
    return `Names need at least ${SHORTEST_LABEL} characters. This one has ${has} and cannot be registered.`;
  }
  return isEthSecondLevel(parsed)
    ? "This name does not appear in any event and cannot be registered."
    : "This name does not appear in any event, and no resolver answers for it.";
}

/** Names that people take where another is gone, or too short. */
const variants: readonly ((label: string) => string)[] = [
  (label) => `${label}s`,
  (label) => `the${label}`,
  (label) => `my${label}`,
  (label) => `${label}dao`,
  (label) => `${label}xyz`,
  (label) => `0${label}`,
];

/** Longest label with suggested variants. */
const MAX_VARIED = 64;

function similarTo({ name, label }: ParsedName): string[] {
  if (label.length > MAX_VARIED) return [];
  const parent = name.slice(label.length);
  const others = variants.map((vary) => `${vary(label)}${parent}`);
  return others.filter((other) => other !== name);
}

const Similar = ({ name, found }: { name: ParsedName; found: { results: BulkPrice[] } | null }) => {
  const priced = (found?.results ?? []).flatMap((one) => ("expiry_timestamp" in one ? [one] : []));
  return (
    <Card id="similar" title="Similar names">
      {priced.length === 0 ? (
        <Empty>The states of similar names are unknown right now.</Empty>
      ) : (
        <Table caption="Similar names" columns={["Name", "State"].map((title) => ({ title }))}>
          {priced.map((one) => (
            <tr>
              <th scope="row">
                <NameLink name={one.domain} />
              </th>
              <td class="stacked">
                <StateBadge state={one.availability_status} />
                <span class="faint">{costOf(one)}</span>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <p>
        <a href={withQuery("explore/search", { q: name.label })}>
          All names containing <bdi class="theirs">{visible(listed(name.label))}</bdi>
        </a>
      </p>
    </Card>
  );
};

function costOf({ registration, expiry_timestamp: expiry }: NamePrice) {
  const [year] = registration?.prices ?? [];
  if (year !== undefined) return `${paidIn(year, "total")} a year`;
  return expiry === null ? (
    ""
  ) : (
    <>
      until <Time at={Number(expiry)} day />
    </>
  );
}
