import { statusOf } from "../errorWords.ts";
import type { ExplorerPage, Given } from "../page.ts";
import { Card, Figures, Unavailable } from "../parts/card.tsx";
import { secondOf } from "../parts/days.ts";
import { DomainList } from "../parts/domainList.tsx";
import { ChainSelect, Field, Select } from "../parts/form.tsx";
import { NameLink } from "../parts/name.tsx";
import { firstIn, placeIn, withQuery } from "../parts/pager.tsx";
import { orderOf, type UrlOf } from "../parts/sort.ts";
import type { Domains } from "../replies.ts";

const states = [
  ["", "Any"],
  ["registered", "Registered"],
  ["grace", "Grace period"],
  ["premium", "Premium"],
  ["available", "Available"],
] as const;

const wrappings = [
  ["", "Any"],
  ["true", "Yes"],
  ["false", "No"],
] as const;

const protocols = [
  ["", "Any"],
  ["ensv1", "ENSv1"],
  ["ensv2", "ENSv2"],
] as const;

const places = [
  ["false", "Label"],
  ["true", "Full name"],
] as const;

/** The filters of the operation that a form gives as they are. */
const plain = [
  "q",
  "search_full_name",
  "availability_status",
  "min_length",
  "max_length",
  "registrar_owner",
  "wrapper_owner",
  "registry_owner",
  "resolver",
  "is_wrapped",
  "chain",
  "protocol",
] as const;

/** Filters that a form gives as a day, and the operation takes as a second. */
const days = ["expiry_from", "expiry_to"] as const;

type Stats = {
  expired: number;
  expiring_30d: number;
  expiring_90d: number;
  wrapped: number;
  wrapped_pct: number;
};
type Found = Domains & { stats: Stats };

/** Names by all filters of the API. */
export const searchPage: ExplorerPage = {
  path: "/explore/search",
  render: async (visit) => {
    const filters = valuesOf(plain, visit.query);
    const dates = valuesOf(days, visit.query);
    const order = orderOf(visit);
    const place = placeIn(visit);
    const seconds = Object.fromEntries(
      Object.entries(dates).map(([name, day]) => [
        name,
        secondOf(day, name === "expiry_to" ? "last" : "first"),
      ]),
    );
    const [found, now, chains] = await Promise.all([
      visit.tryAsk<Found>("/search-domains", {
        ...filters,
        ...seconds,
        ...order,
        ...place,
        ...readable(order, place),
      }),
      visit.now(),
      visit.chains(),
    ]);
    const urlOf: UrlOf = (values) => withQuery("explore/search", { ...filters, ...dates, ...values });
    return {
      title: filters.q === undefined ? "Names" : `${filters.q}: names`,
      description: "Search ENS names by text, state, length, owner, resolver and expiry.",
      canonical: urlOf({ ...order, ...place, from: visit.query("from") }),
      section: "search",
      status: statusOf(found),
      body: (
        <>
          <h1>Names</h1>
          <Filters
            given={{ ...filters, ...dates, ...order }}
            chains={chains}
            hasProtocols={hasProtocols(found, filters)}
          />
          <Exact text={filters.q} />
          {found instanceof Error ? (
            <Unavailable error={found} />
          ) : (
            <>
              <Totals found={found} />
              <Card id="results" title="Results" isWide>
                <DomainList
                  list={found}
                  first={firstIn(visit, found)}
                  order={order}
                  urlOf={urlOf}
                  now={now}
                  caption="Search results"
                  what="names"
                  empty="No names match these filters."
                />
              </Card>
            </>
          )}
        </>
      ),
    };
  },
};

/** Readable names come before those known only by hash. A page by number is in plain order. */
const readable = (
  { sort_by: sortBy = "full_name" }: ReturnType<typeof orderOf>,
  { page }: ReturnType<typeof placeIn>,
): Given => (sortBy === "full_name" && page === undefined ? { unknown_labels: "last" } : {});

function valuesOf<const Name extends string>(
  names: readonly Name[],
  query: (name: string) => string | undefined,
) {
  return Object.fromEntries(names.map((name) => [name, query(name)])) as Record<Name, string | undefined>;
}

/** The name that the text itself is, which need not be in the index. */
const Exact = ({ text }: { text: string | undefined }) =>
  text === undefined || !/^[\p{L}\p{N}-]{3,64}$/u.test(text) ? null : (
    <p class="exact">
      Exact match: <NameLink name={`${text.toLowerCase()}.eth`} />
    </p>
  );

type FiltersProps = { given: Given; chains: readonly string[]; hasProtocols: boolean };

/** Answers have the protocol of names if ENSv2 is indexed. */
const hasProtocols = (found: Found | Error, { protocol }: Given): boolean =>
  protocol !== undefined ||
  (!(found instanceof Error) && found.results.some((item) => item.protocol !== undefined));

const Filters = ({ given, chains, hasProtocols }: FiltersProps) => (
  <form class="card" action="explore/search" method="get">
    <div class="filters grid">
      <Field name="q" label="Contains" value={given.q} maxlength={255} />
      <Select name="search_full_name" label="Search in" options={places} value={given.search_full_name} />
      <Select name="availability_status" label="State" options={states} value={given.availability_status} />
      <Select name="is_wrapped" label="Wrapped" options={wrappings} value={given.is_wrapped} />
    </div>
    <details {...(hasMore(given) && { open: true })}>
      <summary>More filters</summary>
      <div class="filters grid">
        <Field name="min_length" label="Minimum length" value={given.min_length} type="number" />
        <Field name="max_length" label="Maximum length" value={given.max_length} type="number" />
        <Field name="expiry_from" label="Expires after" value={given.expiry_from} type="date" />
        <Field name="expiry_to" label="Expires before" value={given.expiry_to} type="date" />
        <Field name="registrar_owner" label="Registrar owner" value={given.registrar_owner} hint="0x…" />
        <Field name="wrapper_owner" label="NameWrapper owner" value={given.wrapper_owner} hint="0x…" />
        <Field name="registry_owner" label="Registry owner" value={given.registry_owner} hint="0x…" />
        <Field name="resolver" label="Resolver" value={given.resolver} hint="0x…" />
        <ChainSelect chains={chains} value={given.chain} />
        {hasProtocols && (
          <Select name="protocol" label="Protocol" options={protocols} value={given.protocol} />
        )}
      </div>
    </details>
    <p class="actions">
      <button type="submit" class="first">
        Search
      </button>
      <a class="button" href="explore/search">
        Clear
      </a>
    </p>
  </form>
);

const rare = [
  "min_length",
  "max_length",
  "expiry_from",
  "expiry_to",
  "registrar_owner",
  "wrapper_owner",
  "registry_owner",
  "resolver",
  "chain",
  "protocol",
];

const hasMore = (given: Given): boolean => rare.some((name) => given[name] !== undefined);

/** A count with its share, which stands below where both are too wide for a line. */
const Share = ({ count, percent }: { count: number; percent: number }) => (
  <>
    {count.toLocaleString("en")} <span class="share">{`${percent}%`}</span>
  </>
);

const Totals = ({ found: { total, stats } }: { found: Found }) => (
  <Figures
    figures={[
      ["Found", total.toLocaleString("en")],
      ["Expired", stats.expired.toLocaleString("en")],
      ["Expiring within 30 days", stats.expiring_30d.toLocaleString("en")],
      ["Wrapped", <Share count={stats.wrapped} percent={stats.wrapped_pct} />],
    ]}
  />
);
