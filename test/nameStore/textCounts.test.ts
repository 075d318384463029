import fc from "fast-check";
import { expect, test } from "vitest";
import { createNameTable, type NameRow } from "../../src/api/nameStore/nameTable.ts";

const text = fc.stringMatching(/^[ab.]{0,7}$/);
const nodes = [1, 2, 3, 4, 5, 6].map((number) => `0x${String(number).repeat(64)}`);
const row: fc.Arbitrary<NameRow> = fc.record({
  ...{
    node: fc.constantFrom(...nodes),
    bits: fc.constant(1),
    label: fc.option(text),
    labelLength: fc.constant(1),
  },
  ...{ rest: fc.oneof(text, fc.constant("b😀a")), isJoined: fc.boolean(), resolver: fc.constant(null) },
  ...{ expiryTimestamp: fc.constant(0), wrapperExpiryTimestamp: fc.constant(0) },
  pathExpiryTimestamp: fc.constant(0),
});
const write = fc.oneof({ weight: 4, arbitrary: row }, { weight: 1, arbitrary: fc.constantFrom(...nodes) });

/** The texts by which a name is found. */
const textsOf = ({ label, rest, isJoined }: NameRow): string[] =>
  isJoined ? [(label ?? "") + rest] : [label ?? "", rest];

test("no more names have a part than is said, whatever was written and taken out, and in the end none is left", () => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 30 }), text, (writes, part) => {
      const table = createNameTable(0);
      const names = new Map<string, NameRow>();
      for (const one of writes) {
        if (typeof one === "string") {
          table.remove(one);
          names.delete(one);
        } else {
          table.put(one);
          names.set(one.node, one);
        }
      }
      const having = [...names.values()].filter((name) => textsOf(name).some((one) => one.includes(part)));
      expect(table.textCounts.mostWith(part)).toBeGreaterThanOrEqual(having.length);
      for (const node of nodes) table.remove(node);
      expect(table.textCounts.mostWith("aba")).toBe(0);
      expect(table.textCounts.mostWith("bba")).toBe(0);
    }),
    { numRuns: 500 },
  );
});

test("a text that few names have is known to be of few", () => {
  const table = createNameTable(0);
  const put = (i: number, label: string) =>
    table.put({
      ...{
        node: `0x${i.toString(16).padStart(8, "0").repeat(8)}`,
        bits: 1,
        label,
        rest: ".eth",
        isJoined: true,
      },
      ...{
        labelLength: 1,
        resolver: null,
        expiryTimestamp: 0,
        wrapperExpiryTimestamp: 0,
        pathExpiryTimestamp: 0,
      },
    });
  for (let i = 0; i < 1_000; i++) put(i, i < 7 ? "wxyz" : "abcd");
  const { mostWith } = table.textCounts;
  expect([mostWith("xyz"), mostWith("wxyz.e"), mostWith("abc"), mostWith("eth")]).toEqual([7, 7, 993, 1_000]);
  expect([mostWith("xq"), mostWith("xyzabcd")]).toEqual([Number.POSITIVE_INFINITY, 0]);
});
