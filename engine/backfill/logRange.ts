// Part of the patch logSync: how many blocks one request for logs may span.

/**
 * Whether a node refused a request for logs because of its range or its result. Ponder knows the words of many providers; with others
 * it would repeat the request for a minute. Refusals by rate, and of blocks that the node does not have yet, are worth repeating.
 */
export function isAboutRange({ message, details = message }: Error & { details?: string }): boolean {
  if (/\b(?:rate|requests?|second|head|beyond|found|available)\b/i.test(details)) return false;
  return /\b(?:range|blocks|results)\b|\b(?:response|logs?)\b.*\b(?:size|large|big|many|limit|exceed)/i.test(
    details,
  );
}

/** Blocks of the first request; nearly every provider takes that many. */
const FIRST = 2_000;
/** Ponder fetches at most this many blocks at a time, so larger requests cannot come. */
export const MOST_BLOCKS = 100_001;
/** Answers at one size before a larger one is tried again, and the most of them. */
const CALM = 20;
const MOST_CALM = 640;
const GROWTH = 1.25;

/**
 * Learns the largest range that a provider answers. Until the first refusal it doubles with each answer. A refusal shrinks it to
 * the range that the provider suggests, or by half. It grows again after a number of answers, which doubles while larger ranges
 * are refused: so neither a limit of the plan nor a dense part of the chain is run into again and again.
 */
export class LogRange {
  readonly #most: number;
  #size: number;
  #lastGood: number | null = null;
  #wasRefused = false;
  #answers = 0;
  #calm = CALM;

  /** @param configured the range that the chain's configuration names; it is where requests begin, and never exceeded */
  constructor(configured?: number) {
    this.#most = configured ?? MOST_BLOCKS;
    this.#size = configured ?? FIRST;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Blocks of the next request, if `left` remain. Only a whole request tries a new size: the last one of an interval may be hardly
   * larger than the limit.
   */
  next(left: number): number {
    return left < this.#size ? Math.min(left, this.#lastGood ?? left) : this.#size;
  }

  /** A request of this many blocks was answered. */
  answered(blocks: number): void {
    // Ends of an interval say nothing about larger ranges.
    if (blocks < this.#size) return;
    if (this.#lastGood !== null && this.#lastGood < this.#size) this.#calm = CALM;
    this.#lastGood = this.#size;
    this.#answers++;
    if (this.#wasRefused && this.#answers < this.#calm) return;
    this.#grow(this.#wasRefused ? GROWTH : 2);
  }

  /** A request of this many blocks was refused; the provider may say how many it takes. */
  refused(blocks: number, suggested: number | null): void {
    // Requests of the larger size that were under way.
    if (blocks > this.#size) return;
    const isNewSize = this.#lastGood !== null && this.#lastGood < this.#size;
    if (isNewSize && this.#wasRefused) this.#calm = Math.min(this.#calm * 2, MOST_CALM);
    else this.#calm = CALM;
    const half = Math.floor(blocks / 2);
    const smaller = suggested ?? (isNewSize ? Math.max(this.#lastGood ?? 0, half) : half);
    this.#wasRefused = true;
    this.#size = Math.max(1, Math.min(smaller, blocks - 1));
    this.#lastGood = this.#size;
    this.#answers = 0;
  }

  #grow(factor: number): void {
    this.#answers = 0;
    this.#size = Math.min(this.#most, Math.ceil(this.#size * factor));
  }
}
