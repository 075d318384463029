/** Modules that are loaded before Ponder's own. */
const preloads = ["linearQueue.ts", "ponderPools.ts", "quickStore.ts"];

/** Flags of Node for a process that runs Ponder. */
export const nodeFlags = (): string[] =>
  preloads.flatMap((file) => ["--import", new URL(file, import.meta.url).href]);

const MIB = 2 ** 20;

/** What Ponder needs besides the rows that it keeps: a batch of events, and what waits for the collector. */
const WORKING_BYTES = 1_536 * MIB;

/**
 * How much of a machine's memory an indexer may take. Ponder keeps the rows that handlers ask for, up to
 * PONDER_CACHE_BYTES by its own count, a fifth of Node's heap unless told; what has no room is asked of the database
 * row by row, which is many times slower. Three quarters of the memory go to the heap, and of the heap all but the
 * working space to rows: on 16 GiB that holds mainnet. What an operator says himself stays as it is.
 */
export function memoryFor(
  memory: number,
  env: Record<string, string | undefined>,
): { flags: string[]; env: Record<string, string> } {
  const isHeapSaid = /--max[-_]old[-_]space[-_]size/.test(env.NODE_OPTIONS ?? "");
  if (isHeapSaid) return { flags: [], env: {} };
  const heap = Math.floor((memory * 0.75) / MIB) * MIB;
  const rows = heap - WORKING_BYTES;
  const isLeftToPonder = env.PONDER_CACHE_BYTES !== undefined || rows < heap / 5;
  return {
    flags: [`--max-old-space-size=${heap / MIB}`],
    env: isLeftToPonder ? {} : { PONDER_CACHE_BYTES: String(rows) },
  };
}
