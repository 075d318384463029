import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { operations } from "../support/operations.ts";
import { root } from "../support/projectFiles.ts";

const page = readFileSync(join(root, "docs/moving.md"), "utf8");

test("docs/moving.md names existing operations, with parameters that they accept", () => {
  const named = [...page.matchAll(/`(GET|POST) (\/[^`?]*)(?:\?([^`]*))?`/g)];
  expect(named.length).toBeGreaterThan(30);
  for (const [line, method = "", path, query = ""] of named) {
    if (path === "/changes/stream") continue;
    const operation = operations.find((one) => one.path === path && one.method === method.toLowerCase());
    expect(operation, line).toBeDefined();
    for (const name of new URLSearchParams(query).keys()) {
      expect(Object.keys(operation?.query.shape ?? {}), line).toContain(name);
    }
  }
});

test("it has every function with which ensjs reads names", () => {
  const index = readFileSync(new URL("public.d.ts", import.meta.resolve("@ensdomains/ensjs")), "utf8");
  const subgraph = readFileSync(new URL("subgraph.d.ts", import.meta.resolve("@ensdomains/ensjs")), "utf8");
  const functions = [...`${index}${subgraph}`.matchAll(/\bas (get\w+|batch)\b/g)].map(
    ([, name = ""]) => name,
  );
  expect(functions.length).toBeGreaterThan(15);
  expect(functions.filter((name) => name !== "getWrapperName" && !page.includes(`\`${name}\``))).toEqual([]);
});
