// Draws the charts from the tables of the page: hovering shows the numbers, dragging zooms in, and a double click zooms out.

import uPlot from "./uplot.js";

const style = getComputedStyle(document.documentElement);
const colour = (name) => () => style.getPropertyValue(name).trim();
const dashes = [undefined, undefined, [5, 3]];
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 4 });
const dayOf = (seconds) => new Date(seconds * 1_000).toISOString().slice(0, 10);

const numberIn = (cell) => Number((cell?.textContent ?? "0").replaceAll(",", ""));

/** Columns of the table as uPlot takes them: times, and one list for each series. */
function readTable(table) {
  const titles = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent ?? "");
  const rows = [...table.querySelectorAll("tbody tr")];
  const times = rows.map((row) => Date.parse(`${row.querySelector("th")?.textContent}T00:00:00Z`) / 1_000);
  const series = titles.slice(1).map((_, i) => rows.map((row) => numberIn(row.querySelectorAll("td")[i])));
  return { titles, data: [times, ...series] };
}

/** Says the numbers under the pointer in the legend, or only the names of the series. */
function tell(legend, { data }, index) {
  const items = [...legend.querySelectorAll("li:not(.point)")];
  for (const [i, item] of items.entries()) {
    const readout = item.querySelector(".readout") ?? item.appendChild(document.createElement("span"));
    readout.className = "readout";
    readout.textContent = index == null ? "" : ` ${whole.format(data[i + 1][index])}`;
  }
  const point = legend.querySelector(".point") ?? legend.appendChild(document.createElement("li"));
  point.className = "point";
  point.textContent = index == null ? "" : dayOf(data[0][index]);
}

function draw(figure) {
  const table = document.getElementById(figure.dataset.chart);
  const [place, legend] = [figure.querySelector(".live"), figure.querySelector(".legend")];
  if (!table || !place || !legend) return;
  const sheet = readTable(table);
  const axis = {
    stroke: colour("--faint"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
  const chart = new uPlot(
    {
      width: place.clientWidth,
      height: place.clientHeight,
      legend: { show: false },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC"),
      cursor: { y: false, drag: { x: true, y: false } },
      scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] } },
      axes: [axis, { ...axis, size: 52, values: (_, values) => values.map((value) => short.format(value)) }],
      series: [
        {},
        ...sheet.titles.slice(1).map((label, i) => ({
          label,
          width: 1.75,
          dash: dashes[i],
          points: { show: false },
          stroke: colour(`--series-${i + 1}`),
        })),
      ],
      hooks: { setCursor: [({ cursor }) => tell(legend, sheet, cursor.idx)] },
    },
    sheet.data,
    place,
  );
  new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: place.clientHeight })).observe(
    place,
  );
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chart.redraw());
}

for (const figure of document.querySelectorAll("[data-chart]")) draw(figure);
