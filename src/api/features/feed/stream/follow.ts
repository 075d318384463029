import type { Db } from "../../../server/postgres/db.ts";
import { limiter } from "../../../server/scheduling/bounded.ts";
import type { ChangeFilters } from "../filters.ts";
import { type ChangePage, readChanges } from "../read.ts";
import type { ChangeRow } from "../rows.ts";
import type { Hub } from "./hub.ts";

/** What a reader of a stream gets next: changes, or after a silence only where it stands. */
export type Part = { rows: ChangeRow[]; at: number };

type Plan = {
  hub: Hub;
  db: Db;
  epoch: string;
  /** The number after which the reader begins. */
  from: number;
  filters: ChangeFilters;
  /** After how long a silence the reader hears where it stands, in milliseconds. */
  silentMs: number;
  signal: AbortSignal;
};

/** Changes of one page of the table, for a reader behind the changes in memory. */
const PAGE = 200;
const LEAST = 10;

/**
 * Bytes of a page that are given at once, about: what a reader has not taken stays in memory, and there may be thousands of readers
 * that take nothing. The others of the page are read again.
 */
export const MOST_OF_PAGE = 65_536;

/**
 * Pages of the table that are read at once in a process, for all readers who are behind: strangers decide how many these are, and
 * what others ask of the database waits behind these few alone.
 */
export const READ_AT_ONCE = 4;
const inTurn = limiter(READ_AT_ONCE);

/**
 * The changes after a number as they come, without end. One part is read when the one before was taken: so a slow reader costs no
 * memory, and one that is far behind reads the table page by page. It ends with the epoch.
 */
export async function* follow({
  hub,
  db,
  epoch,
  from,
  filters,
  silentMs,
  signal,
}: Plan): AsyncGenerator<Part> {
  let at = from;
  /** Whether changes of a block were given and its end was not. */
  let isInside = false;
  let spokenAt = Date.now();
  let limit = PAGE;
  while (!signal.aborted && hub.state().epoch === epoch) {
    const { newest } = hub.state();
    const known = hub.after(at, filters);
    const page =
      known === null
        ? await readInTurn(signal, () => readChanges(db, { after: at, newest, limit, filters }))
        : { rows: known, next: newest };
    if (page === null) return;
    const rows = page.rows.filter((row) => {
      const isWanted = row.type !== "block.ended" || isInside || known === null;
      isInside = row.type === "block.ended" ? false : isInside || row.source !== null;
      return isWanted;
    });
    // Large changes are read a few at a time: those beyond the bytes of a page are read twice.
    limit = Math.min(PAGE, Math.max(LEAST, 2 * page.rows.length));
    const isMoved = page.next > at;
    at = Math.max(at, page.next);
    if (rows.length > 0 || Date.now() - spokenAt >= silentMs) {
      spokenAt = Date.now();
      yield { rows, at };
    } else if (!isMoved) await hub.news(Math.max(0, spokenAt + silentMs - Date.now()), signal);
  }
}

/** A page of the table; null where the reader left before its turn. */
async function readInTurn(signal: AbortSignal, read: () => Promise<ChangePage>): Promise<ChangePage | null> {
  try {
    return within(await inTurn(signal, read), MOST_OF_PAGE);
  } catch (thrown) {
    if (signal.aborted) return null;
    throw thrown;
  }
}

/** The first changes of a page, of this many bytes at most; at least one. */
function within(page: ChangePage, most: number): ChangePage {
  let bytes = 0;
  const end = page.rows.findIndex((row) => {
    bytes += JSON.stringify(row).length;
    return bytes > most;
  });
  const rows = end < 0 ? page.rows : page.rows.slice(0, Math.max(1, end));
  const next = rows.length === page.rows.length ? page.next : (rows.at(-1)?.number ?? page.next);
  return { rows, next };
}
