import { expect, test } from "vitest";
import { describeBytes, describeProgress, startProgress } from "../../ops/commandLine/progress.ts";

const half = { title: "Loading tables", whole: 4_000_000_000, done: 1_000_000_000, show: describeBytes };

test.each([
  [{ ...half, seconds: 10 }, "Loading tables: 25%, 1.0 GB of 4.0 GB, 100.0 MB/s, 30 s left"],
  [{ ...half, seconds: 100 }, "Loading tables: 25%, 1.0 GB of 4.0 GB, 10.0 MB/s, 5 min left"],
  [{ ...half, seconds: 3_650 }, "Loading tables: 25%, 1.0 GB of 4.0 GB, 274.0 kB/s, 3 h 3 min left"],
  [{ ...half, done: 0, seconds: 1 }, "Loading tables: 0%, 0 bytes of 4.0 GB, 0 bytes/s"],
  [{ ...half, done: half.whole, seconds: 40 }, "Loading tables: 4.0 GB in 40 s, 100.0 MB/s"],
  [{ ...half, whole: 0, done: 0, seconds: 0 }, "Loading tables: 0 bytes in 0 s, 0 bytes/s"],
])("a step's line has its rate and the remaining time: %#", (state, line) => {
  expect(describeProgress(state)).toBe(line);
});

test("a step with an estimated total ends with the actual count", () => {
  const lines: string[] = [];
  const screen = { write: (text: string) => lines.push(text) };
  const plan = { title: "Writing rows", whole: 100, show: (rows: number) => `${Math.round(rows)} rows` };
  for (const rows of [88, 120]) {
    const progress = startProgress(screen, plan);
    progress.add(rows);
    progress.finish();
  }
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^Writing rows: 88 rows in 1 s, \d+ rows\/s\n$/);
  expect(lines[1]).toMatch(/^Writing rows: 120 rows in 1 s, \d+ rows\/s\n$/);
});
