import { html, raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { ApiError } from "../../../server/errors/errors.ts";
import type { ExplorerPage, Visit } from "../page.ts";
import { Card, Empty, Figures, Unavailable } from "../parts/card.tsx";
import { Bar, Columns, Lines } from "../parts/chart.tsx";
import { AddressLink, shortHash } from "../parts/hash.tsx";
import { Icon } from "../parts/icon.tsx";
import { NameLink } from "../parts/name.tsx";
import { withQuery } from "../parts/pager.tsx";
import { Table } from "../parts/table.tsx";
import { intervalOf, rankingOf } from "./statistics/csv.ts";
import {
  dollars,
  expiries,
  type Figure,
  holders,
  type Interval,
  intervals,
  largest,
  lengths,
  type Purchases,
  primaryNames,
  type Ranking,
  rankings,
  referrers,
  revenue,
  type Sheet,
  sales,
  sellers,
  states,
  tokenRevenue,
} from "./statistics/sheets.ts";

type Totals = {
  total_domains: number;
  active_domains: number;
  unique_owners: number;
  wrapped_percentage: number;
  generated_at: string;
};

/** Rows of the list of holders on the page; the CSV has all. */
const HOLDERS_SHOWN = 25;

/** Rows of the list of referrers on the page; the CSV has all. */
const REFERRERS_SHOWN = 10;

/** Charts of ENS, each with its table, its CSV and its operation. */
export const statisticsPage: ExplorerPage = {
  path: "/explore/statistics",
  render: async (visit) => {
    const interval = intervalOf(visit);
    const ranking = rankingOf(visit);
    const [totals, sold, ranked, cards] = await Promise.all([
      visit.tryAsk<Totals>("/ens-stats"),
      visit.tryAsk<Purchases>("/ens-stats/purchases", { interval }),
      rankingCard(ranking, interval)(visit),
      Promise.all(plainCards.map((card) => card(visit))),
    ]);
    return {
      title: "Statistics",
      description:
        "ENS in figures: registrations, renewals and revenue over time, names by state and length, expiries, holders.",
      canonical: withQuery("explore/statistics", {
        interval: interval === "day" ? undefined : interval,
        days: ranking === "30" ? undefined : ranking,
      }),
      section: "statistics",
      styles: ["statistics.css"],
      scripts: ["statistics.js"],
      body: (
        <>
          <h1>Statistics</h1>
          {totals instanceof Error ? <Unavailable error={totals} /> : <TotalFigures totals={totals} />}
          <div class="cards">
            <SeriesCards sold={sold} interval={interval} ranking={ranking} />
            {ranked}
            {cards}
          </div>
        </>
      ),
    };
  },
};

const TotalFigures = ({ totals }: { totals: Totals }) => (
  <Figures
    figures={[
      ["Names", totals.total_domains.toLocaleString("en")],
      ["Active", totals.active_domains.toLocaleString("en")],
      ["Owners", totals.unique_owners.toLocaleString("en")],
      ["Wrapped", `${totals.wrapped_percentage}%`],
    ]}
  />
);

const intervalWords: Record<Interval, string> = {
  day: "Days",
  week: "Weeks",
  month: "Months",
  quarter: "Quarters",
  year: "Years",
};

type Chosen = { interval: Interval; ranking: Ranking };

const Intervals = ({ interval, ranking }: Chosen) => (
  <nav class="choices" aria-label="Length of a period">
    {intervals.map((one) => (
      <a
        href={withQuery("explore/statistics", { interval: one, days: ranking })}
        {...(one === interval && { "aria-current": "true" as const })}
      >
        {intervalWords[one]}
      </a>
    ))}
  </nav>
);

const rankingWords: Record<Ranking, string> = { "7": "7 days", "30": "30 days", "365": "A year" };

const Rankings = ({ interval, ranking }: Chosen) => (
  <nav class="choices" aria-label="Days of the ranking">
    {rankings.map((one) => (
      <a
        href={`${withQuery("explore/statistics", { interval, days: one })}#largest`}
        {...(one === ranking && { "aria-current": "true" as const })}
      >
        {rankingWords[one]}
      </a>
    ))}
  </nav>
);

type SeriesProps = Chosen & { sold: Purchases | ApiError };

const UPPER_BOUND = " Only an upper bound is known for some renewals.";

const SeriesCards = ({ sold, interval, ranking }: SeriesProps) => {
  if (sold instanceof Error) return <Unavailable error={sold} />;
  const isBound = sold.periods.some((period) => period.cost_is_upper_bound);
  const counts = { id: "sales", title: "Registrations and renewals", sheet: sales(interval).sheetOf(sold) };
  const inTokens = {
    id: "tokens",
    title: "Revenue from ENSv2 names",
    sheet: tokenRevenue(interval).sheetOf(sold),
  };
  const inDollars = {
    id: "dollars",
    title: "Revenue in dollars",
    sheet: dollars(interval).sheetOf(sold),
  };
  const paid = { id: "revenue", title: "Revenue in ether", sheet: revenue(interval).sheetOf(sold) };
  return (
    <>
      <Card
        id="sales"
        title={counts.title}
        isWide
        aside={<Intervals interval={interval} ranking={ranking} />}
      >
        <Periods {...counts} interval={interval} />
        <Below id="sales" figure={sales(interval)} sheet={counts.sheet} title={counts.title} />
      </Card>
      <Card id="revenue" title={paid.title} isWide>
        <p class="faint">
          In ether, as logged by the controllers. Registrations include premiums.
          {isBound && UPPER_BOUND}
        </p>
        <Periods {...paid} interval={interval} />
        <Below id="revenue" figure={revenue(interval)} sheet={paid.sheet} title={paid.title} />
      </Card>
      {inDollars.sheet.rows.length > 0 && (
        <Card id="dollars" title={inDollars.title} isWide>
          <p class="faint">
            At the price of ether when each name was sold. Registrations include premiums.
            {inDollars.sheet.rows.length < sold.periods.length &&
              " Periods without a known price of ether are left out."}
            {isBound && UPPER_BOUND}
          </p>
          <Periods {...inDollars} interval={interval} />
          <Below id="dollars" figure={dollars(interval)} sheet={inDollars.sheet} title={inDollars.title} />
        </Card>
      )}
      {inTokens.sheet.columns.length > 1 && (
        <Card id="tokens" title={inTokens.title} isWide>
          <p class="faint">In whole tokens, as logged by the registrars. Registrations include premiums.</p>
          <Lines {...inTokens} />
          <Below id="tokens" figure={tokenRevenue(interval)} sheet={inTokens.sheet} title={inTokens.title} />
        </Card>
      )}
    </>
  );
};

/** Days with a bar each in the chart: more would be indistinguishable on a phone. The table has all. */
const DAYS_DRAWN = 60;

/** Numbers that add up in a bar; later ones are parts of them. */
const ADDED = 2;

type PeriodsProps = { id: string; title: string; sheet: Sheet; interval: Interval };

/** The last days as bars, because a line over days with few sales would be all spikes. Longer periods as lines. */
const Periods = ({ id, title, sheet, interval }: PeriodsProps) => {
  if (interval !== "day") return <Lines id={id} title={title} sheet={sheet} />;
  const columns = sheet.columns.slice(0, ADDED + 1);
  const rows = sheet.rows
    .slice(-DAYS_DRAWN)
    .map(([day, ...values]): Sheet["rows"][number] => [day, ...values.slice(0, ADDED)]);
  return (
    <>
      {sheet.rows.length > DAYS_DRAWN && (
        <p class="faint">{`The chart shows the last ${DAYS_DRAWN} days, the table all ${sheet.rows.length}.`}</p>
      )}
      <Columns id={id} title={title} sheet={{ columns, rows }} interactive="bars" />
    </>
  );
};

type BelowProps = { id: string; figure: Figure<never>; sheet?: Sheet; title: string };

/** The table of a chart, its CSV and its operation. Charts that are tables need no second one. */
const Below = ({ id, figure: { operation, given }, sheet, title }: BelowProps) => (
  <div class="below">
    {sheet && (
      <details>
        <summary>Table</summary>
        <SheetTable id={id} sheet={sheet} caption={`${title}: numbers`} />
      </details>
    )}
    <p class="sources">
      <a href={withQuery(`explore/statistics/${id}.csv`, given ?? {})}>
        <Icon name="download" /> CSV<span class="unseen">{` of ${title}`}</span>
      </a>
      <a class="mono" href={withQuery(operation.slice(1), given ?? {})}>
        {withQuery(operation, given ?? {})}
        <span class="unseen">{`: ${title} as JSON`}</span>
      </a>
    </p>
  </div>
);

const shown = new Intl.NumberFormat("en", { maximumFractionDigits: 4 });

/** A cell with a number, as text: a year of days has 2,000, which elements of their own would make slow. */
const numberCell = (value: number): string => `<td class="number">${shown.format(value)}</td>`;

/** A script reads this table to redraw the chart on hover and zoom. */
const SheetTable = ({ id, sheet, caption }: { id: string; sheet: Sheet; caption: string }) => (
  <div class="sheet" id={`${id}-table`}>
    <Table caption={caption} columns={sheet.columns.map((title) => ({ title }))}>
      {sheet.rows.map(
        ([name, ...values]) =>
          html`<tr><th scope="row">${name}</th>${raw(values.map(numberCell).join(""))}</tr>`,
      )}
    </Table>
  </div>
);

type CardPlan<Reply> = { id: string; title: string; note?: string; figure: Figure<Reply>; isWide?: boolean };

/** A card with a column chart. */
const columnsCard =
  <Reply,>({ id, title, note, figure, isWide = false }: CardPlan<Reply>) =>
  async (visit: Visit): Promise<Child> => {
    const reply = await visit.tryAsk<Reply>(figure.operation, figure.given);
    const sheet = reply instanceof Error ? null : figure.sheetOf(reply);
    return (
      <Card id={id} title={title} isWide={isWide}>
        {note !== undefined && <p class="faint">{note}</p>}
        {reply instanceof Error && <Unavailable error={reply} />}
        {sheet && <Columns id={id} title={title} sheet={sheet} />}
        {sheet && <Below id={id} title={title} figure={figure} sheet={sheet} />}
      </Card>
    );
  };

type BarsPlan<Reply> = CardPlan<Reply> & {
  /** Numbers of a row that the bar shows; the first ones. With 0 there are no bars. */
  drawn?: number;
  shown?: number;
  aside?: Child;
  nameOf?: (name: string) => Child;
};

/** A card whose table has a bar in each row. */
const barsCard =
  <Reply,>({
    id,
    title,
    note,
    figure,
    isWide = false,
    drawn = 1,
    shown,
    aside,
    nameOf = (name) => name,
  }: BarsPlan<Reply>) =>
  async (visit: Visit): Promise<Child> => {
    const reply = await visit.tryAsk<Reply>(figure.operation, figure.given);
    if (reply instanceof Error) {
      return (
        <Card id={id} title={title} isWide={isWide}>
          <Unavailable error={reply} />
        </Card>
      );
    }
    const { columns, rows } = figure.sheetOf(reply);
    const barOf = (values: readonly number[]) => values.slice(0, drawn);
    const sums = rows.map(([, ...values]) => barOf(values).reduce((sum, value) => sum + value, 0));
    const most = Math.max(1, ...sums);
    return (
      <Card id={id} title={title} isWide={isWide} aside={aside}>
        {note !== undefined && <p class="faint">{note}</p>}
        {rows.length === 0 && <Empty>None.</Empty>}
        <div class="bars">
          <Table caption={`${title}: numbers`} columns={columns.map((column) => ({ title: column }))}>
            {rows.slice(0, shown).map(([name, ...values]) => (
              <tr>
                <th scope="row">
                  {nameOf(name)}
                  {drawn > 0 && <Bar values={barOf(values)} most={most} />}
                </th>
                {raw(values.map(numberCell).join(""))}
              </tr>
            ))}
          </Table>
        </div>
        <Below id={id} title={title} figure={figure} />
      </Card>
    );
  };

/** Registrations of a ranking on the page; the CSV has all. */
const RANKED_SHOWN = 25;

const rankingCard = (ranking: Ranking, interval: Interval) =>
  barsCard({
    id: "largest",
    title: "Largest registrations",
    figure: largest(ranking),
    drawn: 0,
    isWide: true,
    aside: <Rankings ranking={ranking} interval={interval} />,
    shown: RANKED_SHOWN,
    note: `The ${RANKED_SHOWN} registrations that cost the most ether, any premium included. The CSV lists 100.`,
    nameOf: (name) => <NameLink name={name} />,
  });

/** Characters of an address; other referrers have 66. */
const ADDRESS_LENGTH = 42;

const plainCards: readonly ((visit: Visit) => Promise<Child>)[] = [
  barsCard({
    id: "states",
    title: "Names by state",
    figure: states,
    note: "Names with an owner on the registry's chain.",
  }),
  columnsCard({
    id: "lengths",
    title: "Names by length",
    figure: lengths,
    note: "Active second-level .eth names by number of characters.",
  }),
  columnsCard({
    id: "expiries",
    title: "Expiries ahead",
    figure: expiries,
    isWide: true,
    note: "Names by month of expiry. A renewal moves a name to a later month.",
  }),
  barsCard({
    id: "sellers",
    title: "Sales by contract",
    figure: sellers,
    drawn: 2,
    note: "Registrations and renewals at each controller. A name registered twice counts twice.",
  }),
  barsCard({
    id: "primary-names",
    title: "Primary names by chain",
    figure: primaryNames,
    note: "Addresses that claim a name, whether or not the name resolves to them. Claims on Base from before ENSIP-19 do not count.",
  }),
  barsCard({
    id: "referrers",
    title: "Referrers",
    figure: referrers,
    drawn: 2,
    shown: REFERRERS_SHOWN,
    isWide: true,
    note: `The ${REFERRERS_SHOWN} referrers with the most registrations and renewals. Buyers can name any referrer. The CSV lists 100.`,
    nameOf: (referrer) =>
      referrer.length === ADDRESS_LENGTH ? (
        <AddressLink address={referrer} />
      ) : (
        <span class="mono" title={referrer}>
          {shortHash(referrer)}
        </span>
      ),
  }),
  barsCard({
    id: "holders",
    title: "Largest holders",
    figure: holders,
    shown: HOLDERS_SHOWN,
    isWide: true,
    note: `The ${HOLDERS_SHOWN} addresses that own the most active names. The CSV lists 100.`,
    nameOf: (address) => <AddressLink address={address} />,
  }),
];
