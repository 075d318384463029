import { expect, test } from "vitest";
import { MAX_WATCHED, namesIn, watchUrl } from "../../src/api/features/explorer/pages/watch/watched.ts";

test("a list of names is read from commas, spaces and lines, each name once", () => {
  expect(namesIn("a.eth, b.eth\r\na.eth  c.eth,")).toEqual({ names: ["a.eth", "b.eth", "c.eth"], others: 0 });
  expect(namesIn(undefined)).toEqual({ names: [], others: 0 });
});

test("it has a limit, and says how many names are left out", () => {
  const many = Array.from({ length: MAX_WATCHED + 3 }, (_, i) => `n${i}.eth`);
  expect(namesIn(many.join(","))).toEqual({ names: many.slice(0, MAX_WATCHED), others: 3 });
  expect(namesIn(`${"x".repeat(256)}.eth`).names).toEqual([]);
});

test("its address leads back to the same list", () => {
  const names = ["a.eth", "ü&b.eth"];
  const url = new URL(watchUrl("watch.ics", names), "https://names.example/");
  expect(url.pathname).toBe("/explore/watch.ics");
  expect(namesIn(url.searchParams.get("names") ?? "").names).toEqual(names);
});
