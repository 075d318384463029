import type { Contracts } from "../../../../../abis/contracts.ts";
import { toChangeRecord } from "../changeRecord.ts";
import { writePosition } from "../position.ts";
import type { ChangeRow } from "../rows.ts";

/**
 * A change as streams send it. All readers of a process share the rows in memory, so each text is made once for all of them. A value
 * as it is now has no `id`: a reader that loses the stream among these begins with them again.
 */
export function createEventTexts(contracts: Contracts): (row: ChangeRow, epoch: string) => string {
  const known = new WeakMap<ChangeRow, string>();
  return (row, epoch) => {
    const found = known.get(row);
    if (found !== undefined) return found;
    const record = toChangeRecord(row, { contracts, now: 0, epoch });
    const id = row.state === "now" ? "" : `id: ${record.position}\n`;
    const text = `event: change\n${id}data: ${JSON.stringify(record)}\n\n`;
    known.set(row, text);
    return text;
  };
}

/** Where a reader stands: a comment with a position, which a browser that connects again sends. */
export const standing = (epoch: string, { number, count }: { number: number; count: number }): string =>
  `: ${count}\nid: ${writePosition({ epoch, number })}\n\n`;

/** The most letters of one write. */
const MAX_WRITE = 65_536;

/** Texts joined into few writes, none of them large, because a slow reader holds one in memory. */
export function* inWrites(texts: Iterable<string>): Generator<string> {
  let write = "";
  for (const text of texts) {
    if (write !== "" && write.length + text.length > MAX_WRITE) {
      yield write;
      write = "";
    }
    write += text;
  }
  if (write !== "") yield write;
}

/** Waits for work, or for the end of its reader. Nothing of it is held afterwards, however long the reader stays. */
export async function orAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let end = () => {};
  const aborted = new Promise<void>((resolve) => {
    end = resolve;
    signal.addEventListener("abort", end);
  });
  await Promise.race([work, aborted]).finally(() => signal.removeEventListener("abort", end));
}
