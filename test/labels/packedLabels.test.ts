import { expect, test } from "vitest";
import { packLabels } from "../../src/api/names/labels/packedLabels.ts";
import { labelhash } from "../../src/ens/name.ts";

const labelAt = (i: number) => ({
  position: 1_700_000_000_000_000 + i,
  label: i % 7 === 0 ? `🦊${i}` : `label-${i}`,
  source: `table:words@${i % 3}`,
});
const given = Array.from({ length: 5_000 }, (_, i) => {
  const one = labelAt(i);
  return { ...one, labelhash: labelhash(one.label) };
});

test("every label is found by its own hash only", () => {
  const packed = packLabels();
  for (const one of given) expect(packed.add(one)).toBe(true);
  for (const one of given) expect(packed.find(one.labelhash)).toEqual(one);
  expect(packed.find(labelhash("other"))).toBeNull();
  expect(packed.find(`0x${"0".repeat(64)}`)).toBeNull();
  expect(packLabels().find(labelhash("other"))).toBeNull();
});

test("labels come in order, in pieces", () => {
  const packed = packLabels();
  for (const one of given) packed.add(one);
  expect(packed.newest()).toBe(given.at(-1)?.position);
  expect(packed.after(0, 3)).toEqual(given.slice(0, 3));
  expect(packed.after(given[9]?.position ?? 0, 2)).toEqual(given.slice(10, 12));
  expect(packed.after(packed.newest(), 5)).toEqual([]);
  expect(packLabels().newest()).toBe(0);
});

test("memory is bounded: labels beyond the limit are left out", () => {
  const few = packLabels({ max: 2 });
  expect(given.slice(0, 3).map(few.add)).toEqual([true, true, false]);
  expect(few.newest()).toBe(given[1]?.position);
  const short = packLabels({ maxBytes: 20 });
  expect(given.slice(1, 4).map(short.add)).toEqual([true, true, false]);
});

test("a label takes little more memory than its hash and its text", () => {
  const packed = packLabels();
  for (const one of given) packed.add(one);
  expect(packed.bytes() / given.length).toBeLessThan(140);
});
