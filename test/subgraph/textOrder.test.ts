import { describe, expect, inject, test } from "vitest";
import { chanceOf } from "../../bench/api/chance.ts";
import {
  type BlockRange,
  rangesBeyond,
  rangesInTextOrder,
} from "../../src/api/features/subgraph/query/textOrder.ts";

const blocksIn = (ranges: readonly BlockRange[]): number[] =>
  ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i));

/** Blocks in id order. */
const byText = (from: number, to: number): number[] =>
  blocksIn([{ from, to }])
    .map((block) => `${block}-`)
    .sort()
    .map((text) => Number(text.slice(0, -1)));

describe("blocks in the order of their ids as text", () => {
  test("on mainnet are three ranges", () => {
    expect(rangesInTextOrder({ from: 3_327_417, to: 24_500_000 })).toEqual([
      { from: 10_000_000, to: 24_500_000 },
      { from: 3_327_417, to: 9_999_999 },
    ]);
    expect(rangesInTextOrder({ from: 3_702_721, to: 9_400_000 })).toEqual([
      { from: 3_702_721, to: 9_400_000 },
    ]);
  });

  test("that overlap in their first digits are too many", () => {
    expect(rangesInTextOrder({ from: 1, to: 20_000_000 })).toBeNull();
  });

  test("match a sort", () => {
    const chance = chanceOf(inject("seed"));
    let found = 0;
    for (let run = 0; run < 400; run++) {
      const from = chance.below(2_000);
      const to = from + chance.below(12_000);
      const ranges = rangesInTextOrder({ from, to });
      if (ranges === null) continue;
      found++;
      expect(blocksIn(ranges)).toEqual(byText(from, to));
    }
    expect(found).toBeGreaterThan(20);
  });

  test("after and before an id are those that can have an id there", () => {
    const chance = chanceOf(inject("seed"));
    const [from, to] = [950, 1_400];
    const ranges = rangesInTextOrder({ from, to }) ?? [];
    const texts = ["", "1", "-", "~", "99-", "999-5", "1000-", "1000.", "10", "é", "1001-7-0"];
    for (let run = 0; run < 200; run++) texts.push(`${from + chance.below(to - from)}-${chance.below(30)}`);
    for (const text of texts) {
      expect(blocksIn(rangesBeyond(ranges, { text, direction: "asc" }))).toEqual(
        byText(from, to).filter((block) => `${block}-9999` > text || `${block}-` > text),
      );
      expect(blocksIn(rangesBeyond(ranges, { text, direction: "desc" }))).toEqual(
        byText(from, to).filter((block) => `${block}-` <= text),
      );
    }
  });
});
