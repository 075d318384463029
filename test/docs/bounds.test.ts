import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { rpcVariables } from "../../settings/rpc.ts";
import { MAX_WAIT_MS } from "../../src/api/live/rateLimiter.ts";
import { MAX_ENTRIES } from "../../src/api/query/section.ts";
import { MAX_SHOWN } from "../../src/api/rules/shown.ts";

const text = readFileSync(fileURLToPath(new URL("../../docs/security.md", import.meta.url)), "utf8");
const [, section = ""] = text.split("\n## Bounds\n");
const rows = section.split("\n## ")[0]?.split("\n") ?? [];

/** What each row of the table says of its bound. Numbers come from the code. */
const bounds: [what: string, bound: string][] = [
  ["requests to the nodes of live answers", `${rpcVariables.LIVE_REQUESTS_PER_SECOND.example} a second`],
  ["wait for that turn", `${MAX_WAIT_MS / 1_000} s`],
  ["entries of a history in an answer without `page`", MAX_ENTRIES.toLocaleString("en")],
  ["texts, keys and names in events, histories and the feed", `${MAX_SHOWN.toLocaleString("en")} characters`],
  ["contenthashes and addresses in events", `${MAX_SHOWN.toLocaleString("en")} bytes`],
];

test.each(bounds)("the bound of %s is %s, in docs/security.md too", (what, bound) => {
  const row = rows.find((line) => line.startsWith(`| ${what} |`)) ?? "no such row";
  expect(row).toContain(bound);
});

test("every row of docs/security.md is checked here", () => {
  const documented = rows
    .filter((line) => /^\| (?!what )[^-]/.test(line))
    .map((line) => line.split(" | ")[0]);
  expect(documented.sort()).toEqual(bounds.map(([what]) => `| ${what}`).sort());
});
