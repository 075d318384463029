import { expect, test } from "vitest";
import "./overlap.test.ts";
import { expected, index, memories } from "./overlapIndex.ts";

test.each(memories)("batches that cannot be written are handled again (%s bytes of rows)", async (bytes) => {
  const { differed, failures, tables } = await index("failed", bytes);
  expect(tables).toEqual(expected());
  expect(differed).toBe(0);
  expect(failures.filter((msg) => msg === "Failed to index block range").length).toBeGreaterThan(1);
});

test.each(["lost", "unheard"])("a batch whose commit is %s is in the tables once", async (fault) => {
  for (const bytes of memories) {
    const { differed, tables } = await index(fault, bytes);
    expect(tables).toEqual(expected());
    expect(differed).toBe(0);
  }
});

test.each(memories)("handlers find what PostgreSQL took of a row (%s bytes of rows)", async (bytes) => {
  const { differed, tables } = await index("refused", bytes);
  expect(tables).toEqual(expected((block) => block === 29 || block === 69));
  expect(differed).toBe(0);
});

test("failures of a batch take no attempts from the next one", async () => {
  const { differed, failures, tables } = await index("often", "1e9");
  expect(tables).toEqual(expected());
  expect(differed).toBe(0);
  expect(failures.filter((msg) => msg === "Failed to index block range")).toHaveLength(12);
});

test("Ponder ends at once while a batch waits for the one before, which cannot be written", async () => {
  const { stopSeconds, differed, tables } = await index("stopped", "1e9");
  expect(stopSeconds).toBeGreaterThan(0);
  expect(stopSeconds).toBeLessThan(1);
  expect({ differed, blocks: tables.seen.length }).toEqual({ differed: 0, blocks: 0 });
});
