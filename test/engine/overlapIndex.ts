import { nodeFlags } from "../../engine/nodeFlags.ts";
import { runTrial } from "./runTrial.ts";

type Place = { id: number; blocks: number; last: number };
type Seen = { block: number; before: number | null; of_block_before: number | null };
type Tables = { places: Place[]; seen: Seen[] };
type Outcome = Tables & Record<"overlapped" | "differed" | "stopSeconds", number> & { failures: string[] };

/** What the handler of overlapTrial.ts leaves, if it is called once for each block, and `lost` is not stored of a row. */
export function expected(isLost: (block: number) => boolean = () => false): Tables {
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

/** All rows are in memory, or each batch forgets those of the one before. */
export const memories = ["1e9", "1"];

/** Indexes on a PostgreSQL that fails as named, with so much memory for rows. */
export async function index(fault: string, cacheBytes: string) {
  const { places, seen, ...outcome } = await runTrial<Outcome>("overlapTrial.ts", {
    flags: nodeFlags(),
    args: [fault, cacheBytes],
  });
  return { ...outcome, tables: { places, seen } };
}
