import type { Sheet } from "../pages/statistics/figures.ts";

/*
 * Pictures of sheets, drawn on the server. A drawing is stretched to the width that it has; words stand beside it as text,
 * so that they keep their size on every screen. Lines do not grow with it (`vector-effect`).
 */

const WIDTH = 1_000;
const HEIGHT = 240;

/** The smallest round number that is not lower, at which the scale ends; its half is round too. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].find((step) => value <= step * power) ?? 10) * power;
}

/** A number in the least space: `1.2M`. */
const inShort = (value: number): string => (value < 1 ? fraction : compact).format(value);

const fraction = new Intl.NumberFormat("en", { maximumFractionDigits: 3 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

type Props = { id: string; title: string; sheet: Sheet };

const valuesOf = ({ rows }: Sheet, column: number): number[] =>
  rows.map((row) => Number(row[column + 1] ?? 0));

/** What a picture shows, for those who do not see it; the table has every number. */
function describe({ columns, rows }: Sheet): string {
  const [first, last] = [rows[0]?.[0], rows.at(-1)?.[0]];
  const series = columns.slice(1).map((column, i) => {
    const values = valuesOf({ columns, rows }, i);
    const most = Math.max(0, ...values);
    const at = rows[values.indexOf(most)]?.[0];
    return `${column}: at most ${most.toLocaleString("en")}${at === undefined ? "" : ` (${at})`}`;
  });
  return `From ${first} to ${last}. ${series.join(". ")}.`;
}

type FrameProps = Props & { most: number; children?: unknown };

/** Scales and the drawing between them. */
const Frame = ({ id, title, sheet, most, children }: FrameProps) => {
  const [first, middle, last] = [0, Math.floor(sheet.rows.length / 2), sheet.rows.length - 1].map(
    (i) => sheet.rows[i]?.[0],
  );
  return (
    <figure class="chart" data-chart={`${id}-table`}>
      <div class="plot">
        <div class="scale" aria-hidden="true">
          {[most, most / 2, 0].map((value) => (
            <span>{inShort(value)}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-labelledby={`${id}-picture ${id}-words`}
        >
          <title id={`${id}-picture`}>{title}</title>
          <desc id={`${id}-words`}>{describe(sheet)}</desc>
          {[0, HEIGHT / 2, HEIGHT].map((y) => (
            <line class="rule" x1="0" x2={WIDTH} y1={y} y2={y} vector-effect="non-scaling-stroke" />
          ))}
          {children}
        </svg>
        <div class="span" aria-hidden="true">
          <span>{first}</span>
          {sheet.rows.length > 4 && <span>{middle}</span>}
          {sheet.rows.length > 1 && <span>{last}</span>}
        </div>
      </div>
      <figcaption>
        <ul class="legend">
          {sheet.columns.slice(1).map((column, i) => (
            <li>
              <span class={`swatch series-${i + 1}`} /> {column}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
};

const shorten = (value: number): string => String(Math.round(value * 10) / 10);

/** One line for each column of numbers. A script makes it one that can be pointed at and zoomed. */
export const Lines = (props: Props) => {
  const { rows, columns } = props.sheet;
  const series = columns.slice(1).map((_, i) => valuesOf(props.sheet, i));
  const most = roundUp(Math.max(0, ...series.flat()));
  const step = WIDTH / Math.max(1, rows.length - 1);
  const pointsOf = (values: readonly number[]) =>
    values.map((value, i) => `${shorten(i * step)},${shorten(HEIGHT - (value / most) * HEIGHT)}`).join(" ");
  return (
    <Frame {...props} most={most}>
      {series.map((values, i) =>
        rows.length === 1 ? null : (
          <polyline
            class={`line series-${i + 1}`}
            points={pointsOf(values)}
            vector-effect="non-scaling-stroke"
          />
        ),
      )}
    </Frame>
  );
};

type BarProps = { values: readonly number[]; most: number };

/** Numbers of one row of a table as a bar; the table says them. */
export const Bar = ({ values, most }: BarProps) => (
  <svg
    class="row-bar"
    viewBox={`0 0 ${WIDTH} 10`}
    preserveAspectRatio="none"
    aria-hidden="true"
    focusable="false"
  >
    {values.map((value, i) => {
      const before = values.slice(0, i).reduce((sum, other) => sum + other, 0);
      return (
        <rect
          class={`block series-${i + 1}`}
          x={shorten((before / most) * WIDTH)}
          width={shorten((value / most) * WIDTH)}
          y="0"
          height="10"
        />
      );
    })}
  </svg>
);
