import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/projectFiles.ts";
import { type Screen, type ScreenId, screenIds, screens } from "./screens.ts";

/* The table of screens in docs/apps.md, written from the screens and their counted requests. */

const page = join(root, "docs/apps.md");
const BEGIN = "<!-- screens: written by test/apps, see there -->";
const END = "<!-- end of screens -->";

/** Requests that a screen made on the story, and those that ENS's own index needs. */
export type Count = { theirs: number; ours: number };

/** Parameters for the next page of a list: the document explains them once. */
const withoutPaging = (request: string): string =>
  request.replace(/[?&](cursor=\{cursor\}&total=\{total\})$/, "");

function rowOf(id: ScreenId, { theirs, ours }: Count): string {
  const { job, theirs: formula, requests }: Screen = screens[id];
  const asked = requests.map((request) => `\`${withoutPaging(request)}\``).join("<br>");
  return `| ${id} | ${job} | ${asked} | ${formula} | ${ours} of ${theirs} |`;
}

/** The expected table. A screen that was not played has no row, so the table differs. */
export function tableOf(counted: ReadonlyMap<ScreenId, Count>): string {
  const rows = screenIds.flatMap((id) => {
    const count = counted.get(id);
    return count === undefined ? [] : [rowOf(id, count)];
  });
  return [
    "| | screen or job | requests to Namedex | requests to ENS's own index | counted |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

const parts = (): [before: string, table: string, after: string] => {
  const [before = "", rest = ""] = readFileSync(page, "utf8").split(BEGIN);
  const [table = "", after = ""] = rest.split(END);
  return [before, table.trim(), after];
};

export const readTable = (): string => parts()[1];

export function writeTable(table: string): void {
  const [before, , after] = parts();
  writeFileSync(page, `${before}${BEGIN}\n\n${table}\n\n${END}${after}`);
}
