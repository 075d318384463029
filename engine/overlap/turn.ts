import { failures } from "../failures/failures.ts";
import type { Stage } from "./stage.ts";

// Part of the change overlap: one batch of the backfill, from its first row that is read ahead until its commit.

/**
 * - `handling`: its handlers work, or wait to.
 * - `writing`: the handlers are done, and its transaction is not over. The next batch may be handled.
 * - `broken`: its rows were not written. It is handled again, and so is the next one.
 * - `written`: the database has its rows.
 * - `over`: its transaction was given up.
 */
type State = "handling" | "writing" | "broken" | "written" | "over";

export class Turn<Table> {
  #state: State = "handling";
  #error: unknown;
  /** The handlers worked on rows of the batch before which the database did not take. */
  isStale = false;
  #ofStale: Error | undefined;
  #refusedRows = 0;
  #hasRefused = false;
  #before: Turn<Table> | null;
  readonly #stage: Stage<Table>;

  constructor(stage: Stage<Table>, before: Turn<Table> | null) {
    this.#stage = stage;
    this.#before = before;
  }

  get #stateBefore(): State {
    return this.#before === null ? "written" : this.#before.#state;
  }

  /** Waits for the memory of rows. The batch has it alone until it hands its rows over, or fails. */
  async enter(): Promise<void> {
    await this.#stage.until(() => this.#stateBefore === "over" || this.#tryEnter());
    this.#throwOf(this.#before);
    if (this.#before !== null) this.#before.#before = null;
  }

  #tryEnter(): boolean {
    const before = this.#stateBefore;
    const isNext = before === "written" || (before === "writing" && this.#stage.isPossible);
    return isNext && this.#stage.tryUse(this);
  }

  /** The handlers begin, in their transaction. After one that failed, the batch before may have to be handled again first. */
  async begin(): Promise<void> {
    // Its rows were written, and only the commit failed.
    if (this.#state === "writing") await this.#break();
    else if (this.#stateBefore === "broken") this.leave();
    await this.enter();
    this.#state = "handling";
    this.isStale = false;
    this.#stage.forgetWaiting();
  }

  /**
   * Waits until the batch before is written: what this one does in the database itself comes after that.
   *
   * @throws an error after which Ponder tries the batch again, if the rows that its handlers found are not in the database
   */
  async settle(): Promise<void> {
    const before = this.#before;
    if (before === null) return;
    await this.#stage.until(() => before.#state !== "writing");
    if (before.#state === "written") {
      this.#stage.dropWriting();
      if (!before.#hasRefused) return;
      before.#hasRefused = false;
    }
    this.isStale = true;
    throw this.#stage.errors.stale();
  }

  /** The handlers are done: gives the rows that they wrote, and lets the handlers of the next batch begin. */
  async handOver<Transaction>(qb: Transaction) {
    await this.settle();
    const rows = { qb, ...this.#stage.takeRows() };
    this.#refusedRows = failures().rows;
    this.#state = "writing";
    this.leave();
    return rows;
  }

  /** To be called first where the batch failed: the next one may work with its rows, and must stop before they are forgotten. */
  async failed(): Promise<void> {
    if (this.#state === "writing") await this.#break();
    else if (this.#stateBefore === "broken") this.isStale = true;
  }

  /** The error with which a transaction ends whose handlers worked on rows that are not in the database: `run` begins another one. */
  staleError(): Error {
    this.#ofStale = this.#stage.errors.again();
    return this.#ofStale;
  }

  /**
   * Runs the batch's transaction. Ponder tries one that fails again, ten times, with longer and longer pauses. Failures of the batch
   * before are not among these: after one the transaction begins again as soon as the handlers of that batch are done again.
   */
  async run(transaction: () => Promise<unknown>): Promise<unknown> {
    for (;;) {
      try {
        return await transaction();
      } catch (error) {
        if (error !== this.#ofStale) throw error;
      }
      await this.enter();
    }
  }

  async #break(): Promise<void> {
    this.#state = "broken";
    this.#stage.tell();
    await this.#stage.until(() => this.#stage.tryUse(this));
    this.#stage.forgetRows();
  }

  /** The memory of rows is for others. */
  leave(): void {
    this.#stage.endUse(this);
  }

  /** Follows the batch's transaction; the work is done once it is committed. */
  watch(transaction: Promise<unknown>, afterCommit: () => void): void {
    const end = (state: State) => {
      this.#state = state;
      this.leave();
    };
    transaction.then(
      () => {
        this.#hasRefused = failures().rows > this.#refusedRows;
        end("written");
        afterCommit();
      },
      (error) => {
        this.#error = error;
        end("over");
      },
    );
  }

  /** Waits until the handlers of this batch are done. @throws the error for which it, or the one before, was given up */
  async isHandled(): Promise<void> {
    await this.#stage.until(
      () => ["writing", "written", "over"].includes(this.#state) || this.#stateBefore === "over",
    );
    this.#throwOf(this.#before);
    this.#throwOf(this);
  }

  /** Waits until the database has the rows. @throws the error for which the batch was given up */
  async isWritten(): Promise<void> {
    await this.#stage.until(() => this.#state === "written" || this.#state === "over");
    this.#throwOf(this);
  }

  #throwOf(turn: Turn<Table> | null): void {
    if (turn !== null && turn.#state === "over") throw turn.#error;
  }
}
