import { expect, test } from "vitest";
import { createLabelMemory } from "../../src/api/names/labels/labelMemory.ts";
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
  const memory = createLabelMemory();
  for (const one of given) expect(memory.add(one)).toBe(true);
  for (const one of given) expect(memory.find(one.labelhash)).toEqual(one);
  expect(memory.find(labelhash("other"))).toBeNull();
  expect(memory.find(`0x${"0".repeat(64)}`)).toBeNull();
  expect(createLabelMemory().find(labelhash("other"))).toBeNull();
});

test("labels come in order, in pieces", () => {
  const memory = createLabelMemory();
  for (const one of given) memory.add(one);
  expect(memory.newest()).toBe(given.at(-1)?.position);
  expect(memory.after(0, 3)).toEqual(given.slice(0, 3));
  expect(memory.after(given[9]?.position ?? 0, 2)).toEqual(given.slice(10, 12));
  expect(memory.after(memory.newest(), 5)).toEqual([]);
  expect(createLabelMemory().newest()).toBe(0);
});

test("memory is bounded: labels beyond the limit are left out", () => {
  const few = createLabelMemory({ max: 2 });
  expect(given.slice(0, 3).map(few.add)).toEqual([true, true, false]);
  expect(few.newest()).toBe(given[1]?.position);
  const short = createLabelMemory({ maxBytes: 20 });
  expect(given.slice(1, 4).map(short.add)).toEqual([true, true, false]);
});
