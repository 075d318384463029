import { expect, test } from "vitest";
import { contracts as withEnsv2 } from "../query/ensv2.ts";
import { playHistories } from "./histories.ts";

test.each([
  { title: "without ENSv2" },
  { title: "with ENSv2", ensv2: withEnsv2.ensv2 },
  { title: "in a database that knows the case of ASCII alone", locale: "C" as const },
])(
  "totals are those of PostgreSQL at each block, reorganisation and start: $title",
  async ({ ensv2, locale }) => {
    const seen = await playHistories({
      ...{ runs: 3, steps: 12, ...(ensv2 && { ensv2 }), ...(locale && { locale }) },
    });
    expect(seen.memory, JSON.stringify(seen)).toBeGreaterThan(100);
    expect(seen.found, JSON.stringify(seen)).toBeGreaterThan(20);
  },
  120_000,
);

test("a thread that dies, and writes that are not noted, cost time and no truth", async () => {
  const seen = await playHistories({ runs: 3, steps: 10, hasFaults: true });
  expect(seen.memory, JSON.stringify(seen)).toBeGreaterThan(5);
}, 120_000);
