import { statusOf } from "../errorWords.ts";
import type { ExplorerPage, Given } from "../page.ts";
import { Card, Figures, Unavailable } from "../parts/card.tsx";
import { secondOf } from "../parts/days.ts";
import { DomainList } from "../parts/domainList.tsx";
import { ChainSelect, Field, type Options, Select } from "../parts/form.tsx";
import { NameLink } from "../parts/name.tsx";
import { firstIn, placeIn, withQuery } from "../parts/pager.tsx";
import { orderOf, type UrlOf } from "../parts/sort.ts";
import type { Domains } from "../replies.ts";

type Filter = {
  name: string;
  label: string;
  /** The choices; a text without them. */
  options?: Options;
  type?: "number" | "date";
  hint?: string;
  /** Folded unless the visitor uses it. */
  isRare?: true;
};

/** The filters of the operation, in the order of the form. Those with a day are given to it as seconds. */
const filters: readonly Filter[] = [
  { name: "q", label: "Contains" },
  {
    name: "search_full_name",
    label: "Search in",
    options: [
      ["false", "Label"],
      ["true", "Full name"],
    ],
  },
  {
    name: "availability_status",
    label: "State",
    options: [
      ["", "Any"],
      ["registered", "Registered"],
      ["grace", "Grace period"],
      ["premium", "Premium"],
      ["available", "Available"],
    ],
  },
  {
    name: "is_wrapped",
    label: "Wrapped",
    options: [
      ["", "Any"],
      ["true", "Yes"],
      ["false", "No"],
    ],
  },
  { name: "min_length", label: "Minimum length", type: "number", isRare: true },
  { name: "max_length", label: "Maximum length", type: "number", isRare: true },
  { name: "expiry_from", label: "Expires after", type: "date", isRare: true },
  { name: "expiry_to", label: "Expires before", type: "date", isRare: true },
  { name: "registrar_owner", label: "Registrar owner", hint: "0x…", isRare: true },
  { name: "wrapper_owner", label: "NameWrapper owner", hint: "0x…", isRare: true },
  { name: "registry_owner", label: "Registry owner", hint: "0x…", isRare: true },
  { name: "resolver", label: "Resolver", hint: "0x…", isRare: true },
  {
    name: "protocol",
    label: "Protocol",
    options: [
      ["", "Any"],
      ["ensv1", "ENSv1"],
      ["ensv2", "ENSv2"],
    ],
    isRare: true,
  },
];

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
    const given = Object.fromEntries(
      ["chain", ...filters.map(({ name }) => name)].map((name) => [name, visit.query(name)]),
    );
    const order = orderOf(visit);
    const place = placeIn(visit);
    const [found, now, chains] = await Promise.all([
      visit.tryAsk<Found>("/search-domains", {
        ...given,
        expiry_from: secondOf(given.expiry_from, "first"),
        expiry_to: secondOf(given.expiry_to, "last"),
        ...order,
        ...place,
        ...readable(order, place),
      }),
      visit.now(),
      visit.chains(),
    ]);
    const urlOf: UrlOf = (values) => withQuery("explore/search", { ...given, ...values });
    return {
      title: given.q === undefined ? "Names" : `${given.q}: names`,
      description: "Search ENS names by text, state, length, owner, resolver and expiry.",
      canonical: urlOf({ ...order, ...place, from: visit.query("from") }),
      section: "search",
      status: statusOf(found),
      body: (
        <>
          <h1>Names</h1>
          <Filters given={given} chains={chains} />
          <Exact text={given.q} />
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

/** The name that the text itself is, which need not be in the index. */
const Exact = ({ text }: { text: string | undefined }) =>
  text === undefined || !/^[\p{L}\p{N}-]{3,64}$/u.test(text) ? null : (
    <p class="exact">
      Exact match: <NameLink name={`${text.toLowerCase()}.eth`} />
    </p>
  );

const FilterField = ({
  filter: { name, options, isRare, ...shown },
  given,
}: {
  filter: Filter;
  given: Given;
}) =>
  options ? (
    <Select name={name} options={options} value={given[name]} {...shown} />
  ) : (
    <Field name={name} value={given[name]} maxlength={255} {...shown} />
  );

type FiltersProps = { given: Given; chains: readonly string[] };

const Filters = ({ given, chains }: FiltersProps) => {
  const [rare, usual] = [filters.filter(({ isRare }) => isRare), filters.filter(({ isRare }) => !isRare)];
  const isOpen = given.chain !== undefined || rare.some(({ name }) => given[name] !== undefined);
  return (
    <form class="card" action="explore/search" method="get">
      <div class="filters grid">
        {usual.map((filter) => (
          <FilterField filter={filter} given={given} />
        ))}
      </div>
      <details {...(isOpen && { open: true })}>
        <summary>More filters</summary>
        <div class="filters grid">
          {rare.map((filter) => (
            <FilterField filter={filter} given={given} />
          ))}
          <ChainSelect chains={chains} value={given.chain} />
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
};

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
