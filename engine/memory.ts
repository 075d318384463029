const MIB = 2 ** 20;

/** What Ponder needs besides its cached rows: a batch of events, and garbage not yet collected. */
const WORKING_BYTES = 1_536 * MIB;

/** Whether V8 has the flag: that of Node 24 has. Node ends at a flag that its V8 does not have. */
export const canCountBuffers = process.versions.v8.startsWith("13.");

/**
 * Flags of V8 for a large heap, unless the operator sets them. What each saves is measured in docs/performance-results.md.
 *
 * - V8 looks through all old objects when buffers outside of its heap have grown by 64 MiB, though they are garbage by then: a
 *   backfill gets such buffers from the node and from PostgreSQL all the time. Counted as a part of the heap, they do not.
 * - A batch of events is garbage before it is as large as 128 MiB. In V8's own new space of 16 MiB much of it would be moved
 *   among the old objects first.
 */
const largeHeapFlags = [
  ...(canCountBuffers ? ["--external-memory-accounted-in-global-limit"] : []),
  "--max-semi-space-size=128",
];

/** Beside a smaller heap that room would be a large part of the memory. */
const LARGE_HEAP_BYTES = 4_096 * MIB;

/** Flags of Node, and settings. */
type NodeMemory = { flags: string[]; env: Record<string, string> };

/**
 * How much memory of a machine an indexer may use. Ponder caches the rows that handlers ask for, up to
 * PONDER_CACHE_BYTES by its own count, or a fifth of Node's heap if that is not set. Rows beyond it are read from the
 * database one by one, which is many times slower. So Node's heap gets three quarters of the memory, and the rows get
 * all of the heap but the working space: 16 GiB hold mainnet. What the operator has set stays as it is.
 */
export function memoryFor(memory: number, env: Record<string, string | undefined>): NodeMemory {
  const set = /--max[-_]old[-_]space[-_]size(?:[= ](\d+))?/.exec(env.NODE_OPTIONS ?? "");
  if (set === null) return memoryForHeap(memory * 0.75, env);
  const [, mebibytes] = set;
  if (mebibytes === undefined) return { flags: [], env: {} }; // A share of the memory, or nothing that Node takes.
  const heap = Number(mebibytes) * MIB;
  return { flags: flagsFor(heap, env), env: rowsEnv(heap, env) };
}

/** The same for a heap of this size. */
export function memoryForHeap(bytes: number, env: Record<string, string | undefined> = {}): NodeMemory {
  const heap = Math.floor(bytes / MIB) * MIB;
  return {
    flags: [`--max-old-space-size=${heap / MIB}`, ...flagsFor(heap, env)],
    env: rowsEnv(heap, env),
  };
}

function flagsFor(heap: number, { NODE_OPTIONS = "" }: Record<string, string | undefined>): string[] {
  const set = NODE_OPTIONS.replaceAll("_", "-");
  return heap < LARGE_HEAP_BYTES
    ? []
    : largeHeapFlags.filter((flag) => !set.includes(flag.split("=")[0] ?? flag));
}

function rowsEnv(heap: number, env: Record<string, string | undefined>): Record<string, string> {
  const rows = heap - WORKING_BYTES;
  const isLeftToPonder = env.PONDER_CACHE_BYTES !== undefined || rows < heap / 5;
  return isLeftToPonder ? {} : { PONDER_CACHE_BYTES: String(rows) };
}
