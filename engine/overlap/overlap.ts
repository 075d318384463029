import { Stage } from "./stage.ts";
import { Turn } from "./turn.ts";
import { forgetWaiting, leaveOutWriting, noteDeleted, type Store } from "./writingRows.ts";

// Part of the change overlap.

/** A connection of Ponder: of PostgreSQL with a pool, or of PGlite. */
type Database = { $dialect: string; $client: { options?: { max?: number } } };

/** Errors of Ponder: it tries a transaction again after the first, and not after the others. */
type Errors = Record<
  "RetryableError" | "NonRetryableUserError" | "ShutdownError",
  new (
    message?: string,
  ) => Error
>;

const STALE = "The batch before was not stored as it was handled";

/**
 * Lets the handlers of one batch work while the rows of the batch before are written. Each batch is a transaction on a connection of
 * its own, which writes only after the one before is committed: so the tables never have a batch without those before it. If a batch
 * cannot be written, it is handled again, and then the one after it.
 */
export class Overlap<Table> {
  #last: Turn<Table> | null = null;
  readonly #store: Store<Table>;
  readonly #stage: Stage<Table>;

  constructor(store: Omit<Store<Table>, "deleted">, errors: Errors) {
    this.#store = { ...store, deleted: new Map() };
    this.#stage = new Stage(this.#store, {
      stale: () => new errors.RetryableError(STALE),
      again: () => new errors.NonRetryableUserError(STALE),
      stopped: () => new errors.ShutdownError(),
    });
  }

  /** A batch that has to be handled again sees to it that its rows are forgotten, once no other batch works with them. */
  get forgetsRows(): boolean {
    return this.#last !== null;
  }

  /** The next batch, once the handlers of the one before are done. From here on it has the memory of rows. */
  async next({ $dialect, $client }: Database): Promise<Turn<Table>> {
    this.#stage.isPossible = $dialect === "postgres" && ($client.options?.max ?? 0) > 1;
    const turn = new Turn(this.#stage, this.#last);
    await turn.enter();
    this.#last = turn;
    return turn;
  }

  /** See `Turn.settle`; without a batch that is handled there is nothing to wait for. */
  async settle(): Promise<void> {
    await this.#stage.user?.settle();
  }

  /** A handler deletes a row, which is done in the database at once. */
  async deletes(table: Table, key: string): Promise<void> {
    await this.settle();
    if (this.#stage.user !== null) noteDeleted(this.#store, table, key);
  }

  /** Waits until the last batch is written. */
  async end(): Promise<void> {
    await this.#last?.isWritten();
    this.#last = null;
    this.#stage.dropWriting();
  }

  /** The program ends: no batch waits any longer for another one, with a connection that is to be closed. */
  stop(): void {
    this.#stage.stop();
  }

  /** Forgets what the handlers of a batch wrote that is to be handled again. The rows that they found stay. */
  forgetWaiting(): void {
    forgetWaiting(this.#store);
  }

  leaveOutWriting(prediction: ReadonlyMap<Table, Map<string, unknown>>): void {
    leaveOutWriting(prediction, this.#store);
  }
}
