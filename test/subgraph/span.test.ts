import { describe, expect, test } from "vitest";
import { spanOfHex, spanOfTexts } from "../../src/api/features/subgraph/query/span.ts";

/* Parts of an order: where a list begins, and how much of all comes after it. */

describe("of hashes", () => {
  test.each([
    ["asc", [], { from: null, to: "0x40000000" }],
    ["asc", ["0x10"], { from: "0x10", to: "0x50000000" }],
    ["asc", ["0x20", "0x30aa"], { from: "0x30aa", to: "0x70aa0000" }],
    ["asc", ["0xd0"], { from: "0xd0", to: null }],
    ["asc", ["0x"], { from: "0x", to: "0x40000000" }],
    ["desc", [], { from: "0xc0000000", to: null }],
    ["desc", ["0x50", "0x90"], { from: "0x10000000", to: "0x50" }],
    ["desc", ["0x30"], { from: null, to: "0x30" }],
  ] as const)("%s, from %j", (direction, starts, span) => {
    expect(spanOfHex({ direction, starts, share: 1 / 4 })).toEqual(span);
  });

  test.each(["a", "0xg0", "0xAB", ""])("none, from %j", (start) => {
    expect(spanOfHex({ direction: "asc", starts: [start], share: 1 / 4 })).toBeNull();
  });
});

describe("of texts", () => {
  const spread = Array.from({ length: 100 }, (_, i) => `n${String(i).padStart(2, "0")}`);
  const share = 1 / 50;

  test.each([
    ["asc", [], { from: null, to: "n02" }],
    ["asc", ["n10"], { from: "n10", to: "n13" }],
    ["asc", ["n10x", "n05"], { from: "n10x", to: "n13" }],
    ["asc", ["n99"], { from: "n99", to: null }],
    ["desc", [], { from: "n97", to: null }],
    ["desc", ["n10", "n50"], { from: "n07", to: "n10" }],
    ["desc", ["a"], { from: null, to: "a" }],
  ] as const)("%s, from %j", (direction, starts, span) => {
    expect(spanOfTexts({ direction, starts, share }, spread)).toEqual(span);
  });

  test("begin where an index has a long text", () => {
    const long = `n${"\u{10000}".repeat(200)}`;
    const { from } = spanOfTexts({ direction: "asc", starts: [long], share }, spread) ?? {};
    expect(from).toBe(`n${"\u{10000}".repeat(127)}`);
  });

  test("none where few are known", () => {
    expect(spanOfTexts({ direction: "asc", starts: [], share }, spread.slice(60))).toBeNull();
  });
});
