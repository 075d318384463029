import { expect, test } from "vitest";
import { changes } from "../../engine/changes/index.ts";
import { nodeFlags } from "../../engine/nodeFlags.ts";
import { runTrial } from "./runTrial.ts";

type Place = { id: number; blocks: number; last: number };
type Seen = { block: number; before: number | null; of_block_before: number | null };
type Outcome = { overlapped: number; differed: number; failures: string[]; places: Place[]; seen: Seen[] };

/** What the handler of overlapTrial.ts leaves, if it is called once for each block, and `lost` is not stored of a row. */
function expected(isLost: (block: number) => boolean): Pick<Outcome, "places" | "seen"> {
  const places = new Map<number, Place>();
  const seen: Seen[] = [];
  for (let block = 0; block < 120; block++) {
    const id = block % 7;
    const found = places.get(id);
    seen.push({
      block,
      before: isLost(block) ? null : (found?.last ?? null),
      of_block_before: seen.at(-1)?.before ?? null,
    });
    if (block % 25 === 24) places.delete(id);
    else places.set(id, { id, blocks: (found?.blocks ?? 0) + 1, last: block });
  }
  return { places: [...places.values()].toSorted((a, b) => a.id - b.id), seen };
}

const index = (fault: string, cacheBytes: string) =>
  runTrial<Outcome>("overlapTrial.ts", { flags: nodeFlags(changes), args: [fault, cacheBytes] });

/** All rows are in memory, or each batch forgets those of the one before. */
const memories = ["1e9", "1"];

test.each(memories)(
  "a batch is handled while the one before is written (%s bytes of rows)",
  async (bytes) => {
    const { overlapped, differed, failures, ...tables } = await index("none", bytes);
    expect(tables).toMatchObject(expected(() => false));
    expect({ differed, failures }).toEqual({ differed: 0, failures: [] });
    expect(overlapped).toBeGreaterThan(20);
  },
);

test.each(memories)("batches that cannot be written are handled again (%s bytes of rows)", async (bytes) => {
  const { overlapped, differed, failures, ...tables } = await index("failed", bytes);
  expect(tables).toMatchObject(expected(() => false));
  expect(differed).toBe(0);
  expect(failures.filter((msg) => msg === "Failed to index block range").length).toBeGreaterThan(1);
});

test.each(["lost", "unheard"])("a batch whose commit is %s is in the tables once", async (fault) => {
  for (const bytes of memories) {
    const { overlapped, differed, failures, ...tables } = await index(fault, bytes);
    expect(tables).toMatchObject(expected(() => false));
    expect(differed).toBe(0);
  }
});

test.each(memories)("handlers find what PostgreSQL took of a row (%s bytes of rows)", async (bytes) => {
  const { overlapped, differed, failures, ...tables } = await index("refused", bytes);
  expect(tables).toMatchObject(expected((block) => block === 29 || block === 69));
  expect(differed).toBe(0);
});
