import { expect, test } from "vitest";
import { expected, index, memories } from "./overlapIndex.ts";

test.each(memories)(
  "a batch is handled while the one before is written (%s bytes of rows)",
  async (bytes) => {
    const { overlapped, differed, failures, tables } = await index("none", bytes);
    expect(tables).toEqual(expected());
    expect({ differed, failures }).toEqual({ differed: 0, failures: [] });
    expect(overlapped).toBeGreaterThan(20);
  },
);

test.each(memories)(
  "rows are in the tables once, whatever fails at any moment (%s bytes of rows)",
  async (bytes) => {
    const { differed, failures, tables } = await index("random", bytes);
    expect(tables).toEqual(expected());
    expect(differed).toBe(0);
    expect(failures).not.toEqual([]);
  },
);
