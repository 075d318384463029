import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

/** What a figure has to keep to; `of` says whether the figure itself or its ratio. */
export type Target = { of: "value" | "ratio"; atLeast: number } | { of: "value" | "ratio"; atMost: number };

/** One measured figure. */
export type Figure = {
  /** The benchmark: `index`, `api`. */
  bench: string;
  name: string;
  value: number;
  unit: string;
  /** The ratio to another figure of the same run, which holds on any machine; omitted if there is none. */
  ratio?: number | undefined;
  /** Left out for figures that are only shown. */
  target?: Target | undefined;
};

/** One line of a report, as `--json` writes it. */
export type Row = {
  bench: string;
  name: string;
  value: number;
  unit: string;
  ratio: number | null;
  /** In words: `ratio >= 0.6`. */
  target: string | null;
  /** Null for a figure without a target. */
  met: boolean | null;
};

/** Holds a figure against its target. */
export function judge({ bench, name, value, unit, ratio, target }: Figure): Row {
  const rounded = { value: round(value), ratio: ratio === undefined ? null : round(ratio) };
  const kept = { bench, name, ...rounded, unit };
  if (target === undefined) return { ...kept, target: null, met: null };
  const measured = target.of === "ratio" ? ratio : value;
  if (measured === undefined) throw new Error(`${name} has a target for its ratio, and no ratio`);
  if (Number.isNaN(measured)) throw new Error(`${name} was not measured`);
  const met = "atLeast" in target ? measured >= target.atLeast : measured <= target.atMost;
  return { ...kept, target: inWords(target), met };
}

const inWords = (target: Target): string =>
  "atLeast" in target ? `${target.of} >= ${target.atLeast}` : `${target.of} <= ${target.atMost}`;

/** Four significant digits: what comes after them is the noise of the machine. */
const round = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(4)));

const headings = ["bench", "name", "value", "unit", "ratio", "target", "met"] as const;

const cellsOf = (row: Row): string[] => [
  row.bench,
  row.name,
  row.value.toLocaleString("en"),
  row.unit,
  row.ratio === null ? "" : String(row.ratio),
  row.target ?? "",
  row.met === null ? "" : row.met ? "yes" : "NO",
];

/** The rows as a table for a terminal. */
function toTable(rows: readonly Row[]): string {
  const lines = [[...headings], ...rows.map(cellsOf)];
  const widths = headings.map((_, i) => Math.max(...lines.map((cells) => cells[i]?.length ?? 0)));
  const isNumber = (i: number) => headings[i] === "value" || headings[i] === "ratio";
  const pad = (cell: string, i: number) =>
    isNumber(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0);
  return lines.map((cells) => cells.map(pad).join("  ").trimEnd()).join("\n");
}

/** The rows as a table in Markdown. */
const toMarkdown = (rows: readonly Row[]): string =>
  [[...headings], headings.map(() => "---"), ...rows.map(cellsOf)]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");

/** The machine on which figures were taken, in one line. */
const machine = (): string =>
  `${cpus().length} x ${cpus()[0]?.model ?? "unknown processor"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}, Node ${process.versions.node}`;

/**
 * Prints the rows, writes them where the options say, and makes the process end with 1 where a target is missed.
 * `made` says in a few words how the figures came about: the size, above all.
 */
export function report(
  rows: readonly Row[],
  { json, docs, made }: { json?: string | undefined; docs?: string | undefined; made: string },
): void {
  console.log(`${made}\n${machine()}\n\n${toTable(rows)}`);
  if (json) writeFileSync(json, `${JSON.stringify(rows, null, 2)}\n`);
  for (const bench of docs ? new Set(rows.map((row) => row.bench)) : []) {
    writeDocs(docs ?? "", { bench, rows: rows.filter((row) => row.bench === bench), made });
  }
  const missed = rows.filter(({ met }) => met === false);
  if (missed.length === 0) return;
  console.log(`\nMissed: ${missed.map(({ name }) => name).join("; ")}`);
  process.exitCode = 1;
}

/** Replaces what stands between `<!-- bench api -->` and `<!-- end of bench api -->` in a page, or adds it at the end. */
function writeDocs(
  file: string,
  { bench, rows, made }: { bench: string; rows: readonly Row[]; made: string },
): void {
  const marks = [`<!-- bench ${bench} -->`, `<!-- end of bench ${bench} -->`] as const;
  const date = new Date().toISOString().slice(0, 10);
  const section = `${marks[0]}\n\n${date}. ${made}\n${machine()}.\n\n${toMarkdown(rows)}\n\n${marks[1]}`;
  const page = existsSync(file) ? readFileSync(file, "utf8") : "";
  const [before = "", rest] = page.split(marks[0]);
  const after = rest?.slice(rest.indexOf(marks[1]) + marks[1].length);
  writeFileSync(
    file,
    after === undefined ? `${page.trimEnd()}\n\n${section}\n` : `${before}${section}${after}`,
  );
}
