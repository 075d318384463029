// What goes wrong while blocks are indexed, for the API of the same process: Ponder loads our code several times, so
// only `globalThis` is common to all.

/** A block that the indexer tries again and again. */
export type FailingBlock = {
  chainId: number;
  blockNumber: number | null;
  /** How often it was tried in vain. */
  attempts: number;
  /** Unix seconds of the first time. */
  since: number;
  /** The first line of the error. It may hold a URL of the settings. */
  why: string;
};

type Failures = {
  block: FailingBlock | null;
  /** Attempts to index a block or a range that failed, since the start. */
  attempts: number;
  /** Logs whose handler failed, since the start; they are in the event log with their reason. */
  logs: number;
};

declare global {
  var namedexFailures: Failures | undefined;
}

const MAX_WHY_LENGTH = 200;

/** What went wrong in this process; a process that does not index has nothing to tell. */
export function failures(): Failures {
  globalThis.namedexFailures ??= { block: null, attempts: 0, logs: 0 };
  return globalThis.namedexFailures;
}

/** Notes that a block (or a range, without a number) could not be indexed and is tried again. */
export function noteFailedBlock(chainId: number, blockNumber: number | null, error: unknown): void {
  const known = failures();
  const { block } = known;
  const isSame = block?.chainId === chainId && block.blockNumber === blockNumber;
  const before = isSame ? block : { attempts: 0, since: Math.floor(Date.now() / 1_000) };
  known.attempts++;
  known.block = {
    chainId,
    blockNumber,
    since: before.since,
    attempts: before.attempts + 1,
    why: firstLineOf(error),
  };
}

/** A line that Ponder logs of a query that failed. Those of a transaction say how often it was tried. */
type FailedQuery = { msg: string; retry_count?: number; error?: unknown };
type Logger = { warn: (line: FailedQuery, ...more: unknown[]) => void };

/**
 * The logger of a block's transaction, which also notes each of its attempts that failed: also those that failed before the
 * first row, or at the commit, as where the disk is full.
 */
export function notingFailures<Kind extends Logger>(
  logger: Kind,
  chainId: number,
  blockNumber: number,
): Kind {
  const warn: Logger["warn"] = (line, ...more) => {
    if (line.retry_count !== undefined) noteFailedBlock(chainId, blockNumber, line.error);
    logger.warn(line, ...more);
  };
  return { ...logger, warn };
}

/** Notes that blocks of a chain are indexed again. */
export function noteIndexed(chainId: number): void {
  const known = failures();
  if (known.block?.chainId === chainId) known.block = null;
}

/** The first line of an error, cut: the others may be long, and quote what strangers wrote. */
export function firstLineOf(error: unknown): string {
  const [line = ""] = textOf(error).split("\n");
  return line.slice(0, MAX_WHY_LENGTH);
}

/** Where all addresses of a host refuse, the error has a code and no message. */
const textOf = (error: unknown): string =>
  error instanceof Error
    ? `${error.name}: ${error.message.trim() || (error as { code?: string }).code}`
    : String(error);
