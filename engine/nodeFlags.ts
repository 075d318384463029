import type { Change } from "./change.ts";
import { usualChanges } from "./changes/index.ts";

/**
 * Flags of Node that load Ponder with changes of ours.
 *
 * @example
 * spawn(process.execPath, [...nodeFlags(), ponderProgram, "start"]);
 */
export function nodeFlags(changes: readonly Change[] = usualChanges): string[] {
  const loader = new URL("load.ts", import.meta.url);
  if (changes !== usualChanges) loader.searchParams.set("changes", changes.map(({ name }) => name).join(","));
  return ["--import", loader.href];
}

const MIB = 2 ** 20;

/** What Ponder needs besides its cached rows: a batch of events, and garbage that is not collected yet. */
const WORKING_BYTES = 1_536 * MIB;

/**
 * How much memory of a machine an indexer may use. Ponder caches the rows that handlers ask for, up to
 * PONDER_CACHE_BYTES by its own count, or a fifth of Node's heap if that is not set. Rows beyond it are read from the
 * database one by one, which is many times slower. So Node's heap gets three quarters of the memory, and the rows get
 * all of the heap but the working space: 16 GiB hold mainnet. What the operator has set stays as it is.
 */
export function memoryFor(
  memory: number,
  env: Record<string, string | undefined>,
): { flags: string[]; env: Record<string, string> } {
  const isHeapSet = /--max[-_]old[-_]space[-_]size/.test(env.NODE_OPTIONS ?? "");
  if (isHeapSet) return { flags: [], env: {} };
  return memoryForHeap(memory * 0.75, env);
}

/** The same for a heap of this size. */
export function memoryForHeap(
  bytes: number,
  env: Record<string, string | undefined> = {},
): { flags: string[]; env: Record<string, string> } {
  const heap = Math.floor(bytes / MIB) * MIB;
  const rows = heap - WORKING_BYTES;
  const isLeftToPonder = env.PONDER_CACHE_BYTES !== undefined || rows < heap / 5;
  return {
    flags: [`--max-old-space-size=${heap / MIB}`],
    env: isLeftToPonder ? {} : { PONDER_CACHE_BYTES: String(rows) },
  };
}
