import { DAY } from "../../../names/rules/seconds.ts";
import { GRACE_DAYS } from "../../../names/rules/stages.ts";
import { statusOf } from "../errorWords.ts";
import type { ExplorerPage, Given } from "../page.ts";
import { Card, Empty, Unavailable } from "../parts/card.tsx";
import { ChainSelect, Field } from "../parts/form.tsx";
import { AddressLink } from "../parts/hash.tsx";
import { Icon } from "../parts/icon.tsx";
import { NameLink } from "../parts/name.tsx";
import { firstIn, ListPager } from "../parts/pager.tsx";
import { withGroups } from "../parts/price.ts";
import { premiumAfter } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { fromNow, Time } from "../parts/time.tsx";
import type { DomainItem, Domains } from "../replies.ts";
import { askDrops, dropsUrl, filtersOf, happensAt, type Kind, kindOf, kinds } from "./drops/drops.ts";

/** Names becoming available: leaving grace, leaving premium, and available now. */
export const dropsPage: ExplorerPage = {
  path: "/explore/drops",
  render: async (visit) => {
    const kind = kindOf(visit);
    const given = filtersOf(visit);
    const now = await visit.now();
    const list = await askDrops(visit, { kind, now });
    return {
      title: `Drops: ${kind.label.toLowerCase()}`,
      description:
        "ENS names becoming available this week: leaving grace, leaving premium, and available now.",
      canonical: dropsUrl("drops", kind, given),
      section: "drops",
      status: statusOf(list),
      body: (
        <>
          <h1>Dropping names</h1>
          <nav class="tabs" aria-label="Kinds of drops">
            {kinds.map((one) => (
              <a
                href={dropsUrl("drops", one, given)}
                {...(one === kind && { "aria-current": "page" as const })}
              >
                {one.label}
              </a>
            ))}
          </nav>
          <p class="lead">{kind.says}</p>
          <Filters kind={kind} given={given} chains={await visit.chains()} />
          <Files kind={kind} given={given} />
          {list instanceof Error ? (
            <Unavailable error={list} />
          ) : (
            <Drops list={list} kind={kind} given={given} now={now} first={firstIn(visit, list)} />
          )}
        </>
      ),
    };
  },
};

type FiltersProps = { kind: Kind; given: Given; chains: readonly string[] };

const Filters = ({ kind, given, chains }: FiltersProps) => (
  <form class="card" action="explore/drops" method="get">
    <input type="hidden" name="kind" value={kind.key} />
    <div class="filters grid">
      <Field name="min_length" label="Minimum length" value={given.min_length} type="number" />
      <Field name="max_length" label="Maximum length" value={given.max_length} type="number" />
      <ChainSelect chains={chains} value={given.chain} />
    </div>
    <p class="actions">
      <button type="submit" class="first">
        Search
      </button>
      <a class="button" href={dropsUrl("drops", kind, {})}>
        Clear
      </a>
    </p>
  </form>
);

const Files = ({ kind, given }: { kind: Kind; given: Given }) => (
  <p class="actions">
    <a class="button" href={dropsUrl("drops.ics", kind, given)}>
      <Icon name="calendar" /> Calendar
    </a>
    <a class="button" href={dropsUrl("drops.atom", kind, given)}>
      <Icon name="code" /> Feed
    </a>
    <a class="button" href={dropsUrl("drops.csv", kind, given)}>
      <Icon name="code" /> CSV
    </a>
  </p>
);

type DropsProps = { list: Domains; kind: Kind; given: Given; now: number; first: number };

const Drops = ({ list, kind, given, now, first }: DropsProps) => (
  <Card
    id="drops"
    title={kind.label}
    aside={<span class="count">{list.total.toLocaleString("en")}</span>}
    isWide
  >
    {list.results.length === 0 ? (
      <Empty>No names right now.</Empty>
    ) : (
      <Table caption={kind.label} columns={["Name", kind.when].map((title) => ({ title }))}>
        {list.results.map((item) => (
          <Row item={item} kind={kind} now={now} />
        ))}
      </Table>
    )}
    <ListPager
      list={list}
      first={first}
      what="drops"
      urlOf={(place) => dropsUrl("drops", kind, { ...given, ...place })}
    />
  </Card>
);

const Row = ({ item, kind, now }: { item: DomainItem; kind: Kind; now: number }) => {
  const { expiry_timestamp: expiry, ownership, chain, availability_status: state } = item;
  const holder = ownership.last_owner?.address ?? ownership.owner;
  const days = (now - Number(expiry)) / DAY - GRACE_DAYS;
  return (
    <tr>
      <th scope="row" class="stacked">
        <NameLink name={item.name} display={item.display} />
        <span class="faint">
          {[...item.label].length} characters
          {chain !== undefined && ` on ${chain}`}
        </span>
        {holder !== undefined && (
          <span class="faint">
            last held by <AddressLink address={holder} />
          </span>
        )}
      </th>
      <td class="stacked">
        {expiry !== null && <Time at={happensAt(kind, expiry)} day />}
        {expiry !== null && <span class="faint">{fromNow(happensAt(kind, expiry), now)}</span>}
        {state === "premium" && chain === undefined && (
          <span class="faint">{withGroups(premiumAfter(days).toFixed(2))} premium now</span>
        )}
      </td>
    </tr>
  );
};
