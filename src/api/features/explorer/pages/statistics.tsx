import { raw } from "hono/html";
import { ApiError } from "../../../server/errors/errors.ts";
import type { ExplorerPage, Given, Visit } from "../page.ts";
import { Card, Empty, Figures, Unavailable } from "../parts/card.tsx";
import { csvFile } from "../parts/csv.ts";
import { AddressLink, shortHash } from "../parts/hash.tsx";
import { Icon } from "../parts/icon.tsx";
import { NameLink } from "../parts/name.tsx";
import { withQuery } from "../parts/pager.tsx";
import { Table } from "../parts/table.tsx";
import { type Choice, choices, type Figure, figures, type Sheet } from "./statistics/figures.ts";

type Totals = {
  total_domains: number;
  active_domains: number;
  unique_owners: number;
  wrapped_percentage: number;
};

type Chosen = Record<Choice, string>;

/** What the visit chooses; the usual unless it says otherwise. */
function chosenIn({ query }: Visit): Chosen {
  const chosen = (choice: Choice): string => {
    const { options, usual } = choices[choice];
    const asked = query(choice) ?? usual;
    return Object.hasOwn(options, asked) ? asked : usual;
  };
  return { interval: chosen("interval"), days: chosen("days") };
}

const givenOf = ({ choice }: Figure, chosen: Chosen): Given => (choice ? { [choice]: chosen[choice] } : {});

/** Charts of ENS, each with its table, its CSV and its operation. */
export const statisticsPage: ExplorerPage = {
  path: "/explore/statistics",
  render: async (visit) => {
    const chosen = chosenIn(visit);
    const asked = new Map(figures.map((figure) => [figure.operation, givenOf(figure, chosen)]));
    const [totals, replies] = await Promise.all([
      visit.tryAsk<Totals>("/ens-stats"),
      Promise.all(
        [...asked].map(async ([path, given]) => [path, await visit.tryAsk<object>(path, given)] as const),
      ),
    ]);
    const replyTo = new Map(replies);
    return {
      title: "Statistics",
      description:
        "ENS in figures: registrations, renewals and revenue over time, names by state and length, expiries, holders.",
      canonical: urlOf(chosen),
      section: "statistics",
      styles: ["statistics.css"],
      scripts: ["statistics.js"],
      body: (
        <>
          <h1>Statistics</h1>
          {totals instanceof Error ? <Unavailable error={totals} /> : <TotalFigures totals={totals} />}
          <div class="cards">
            {figures.map((figure) => (
              <FigureCard figure={figure} chosen={chosen} reply={replyTo.get(figure.operation) ?? {}} />
            ))}
          </div>
        </>
      ),
    };
  },
};

/** Each figure of the page as a table for spreadsheets. */
export const statisticsCsvPage: ExplorerPage = {
  path: "/explore/statistics/:file",
  render: async (visit) => {
    const figure = figures.find(({ id }) => `${id}.csv` === visit.param("file"));
    if (figure === undefined) throw new ApiError("NOT_FOUND", "The explorer has no page at this address.");
    const { operation, sheetOf, id } = figure;
    const { columns, rows } = sheetOf(await visit.ask<never>(operation, givenOf(figure, chosenIn(visit))));
    return csvFile(
      `ens-${id}.csv`,
      [columns, ...rows].map((row) => row.map(String)),
    );
  },
};

/** The page with these choices; the usual ones are left out. */
const urlOf = ({ interval, days }: Chosen): string =>
  withQuery("explore/statistics", {
    interval: interval === choices.interval.usual ? undefined : interval,
    days: days === choices.days.usual ? undefined : days,
  });

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

type CardProps = { figure: Figure; chosen: Chosen; reply: object };

/** A chart or a table, its CSV and its operation. */
const FigureCard = ({ figure, chosen, reply }: CardProps) => {
  const { id, title, note, choice, isChart, isRare } = figure;
  const sheet = reply instanceof ApiError ? null : figure.sheetOf(reply as never);
  if (isRare && (sheet === null || sheet.rows.length === 0 || sheet.columns.length === 1)) return null;
  return (
    <Card
      id={id}
      title={title}
      isWide={figure.isWide ?? false}
      aside={choice && <Choices figure={figure} choice={choice} chosen={chosen} />}
    >
      <p class="faint">{note}</p>
      {reply instanceof ApiError && <Unavailable error={reply} />}
      {sheet?.rows.length === 0 && <Empty>None.</Empty>}
      {sheet && isChart && <Chart id={id} title={title} sheet={sheet} />}
      {sheet && !isChart && <Numbers figure={figure} sheet={sheet} />}
      <div class="below">
        {sheet && isChart && (
          <details>
            <summary>Table</summary>
            <Numbers figure={figure} sheet={sheet} />
          </details>
        )}
        <Sources figure={figure} given={givenOf(figure, chosen)} />
      </div>
    </Card>
  );
};

type ChoicesProps = { figure: Figure; choice: Choice; chosen: Chosen };

const Choices = ({ figure: { id, title }, choice, chosen }: ChoicesProps) => (
  <nav class="choices" aria-label={`Periods of ${title}`}>
    {Object.entries(choices[choice].options).map(([key, label]) => (
      <a
        href={`${urlOf({ ...chosen, [choice]: key })}#${id}`}
        {...(key === chosen[choice] && { "aria-current": "true" as const })}
      >
        {label}
      </a>
    ))}
  </nav>
);

const Sources = ({ figure: { id, title, operation }, given }: { figure: Figure; given: Given }) => (
  <p class="sources">
    <a href={withQuery(`explore/statistics/${id}.csv`, given)}>
      <Icon name="download" /> CSV<span class="unseen">{` of ${title}`}</span>
    </a>
    <a class="mono" href={withQuery(operation.slice(1), given)}>
      {withQuery(operation, given)}
      <span class="unseen">{`: ${title} as JSON`}</span>
    </a>
  </p>
);

type ChartProps = { id: string; title: string; sheet: Sheet };

/** One line for each column of numbers. A script draws it from the table; without JavaScript there is the table alone. */
const Chart = ({ id, title, sheet: { columns } }: ChartProps) => (
  <figure class="chart" data-chart={`${id}-table`}>
    <div class="live" role="img" aria-label={`${title}: the table below has the numbers.`} />
    <ul class="legend">
      {columns.slice(1).map((column, i) => (
        <li>
          <span class={`swatch series-${i + 1}`} /> {column}
        </li>
      ))}
    </ul>
  </figure>
);

const shown = new Intl.NumberFormat("en", { maximumFractionDigits: 4 });

/** A cell with a number, as text: a year of days has 2,000, which elements of their own would make slow. */
const numberCell = (value: string | number): string =>
  `<td class="number">${shown.format(Number(value))}</td>`;

/** Rows of a table on the page; its CSV has all. */
const ROWS_SHOWN = 24;

/** The numbers of a figure, with a bar in each row. A script reads those of a chart. */
const Numbers = ({ figure, sheet: { columns, rows } }: { figure: Figure; sheet: Sheet }) => {
  const { id, title, bars = 0, names, isChart } = figure;
  const drawnIn = ([, ...values]: Sheet["rows"][number]) => values.slice(0, bars);
  const most = Math.max(1, ...rows.map((row) => drawnIn(row).reduce((sum, value) => sum + value, 0)));
  return (
    <div class={isChart ? "sheet" : "bars"} id={`${id}-table`}>
      <Table caption={`${title}: numbers`} columns={columns.map((column) => ({ title: column }))}>
        {rows.slice(0, isChart ? undefined : ROWS_SHOWN).map((row) => (
          <tr>
            <th scope="row">
              <Named name={row[0]} as={names} />
              {bars > 0 && <Bar values={drawnIn(row)} most={most} />}
            </th>
            {raw(row.slice(1).map(numberCell).join(""))}
          </tr>
        ))}
      </Table>
      {!isChart && rows.length > ROWS_SHOWN && (
        <p class="faint">{`The first ${ROWS_SHOWN} of ${rows.length}. The CSV has all.`}</p>
      )}
    </div>
  );
};

type BarProps = { values: readonly number[]; most: number };

/** Numbers of one row of a table, side by side; the table says them. */
const Bar = ({ values, most }: BarProps) => (
  <svg
    class="row-bar"
    viewBox={`0 0 ${most} 1`}
    preserveAspectRatio="none"
    aria-hidden="true"
    focusable="false"
  >
    {values.map((value, i) => {
      const before = values.slice(0, i).reduce((sum, other) => sum + other, 0);
      return <rect class={`block series-${i + 1}`} x={before} width={value} height="1" />;
    })}
  </svg>
);

/** Characters of an address; other referrers have 66. */
const ADDRESS_LENGTH = 42;

const Named = ({ name, as }: { name: string; as: Figure["names"] }) => {
  if (as === undefined) return <>{name}</>;
  if (as === "domain") return <NameLink name={name} />;
  return name.length === ADDRESS_LENGTH ? (
    <AddressLink address={name} />
  ) : (
    <span class="mono" title={name}>
      {shortHash(name)}
    </span>
  );
};
