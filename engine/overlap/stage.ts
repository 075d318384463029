import { dropWriting, forgetRows, forgetWaiting, type Store, takeRows } from "./writingRows.ts";

// Part of the change overlap: what the batches have in common.

/** A batch that uses the memory of rows. */
type User = { settle: () => Promise<void> };

/** Errors with which the work at a batch stops. */
type Errors = {
  /** Its handlers worked on rows that are not in the database. Ponder notices it although a handler catches it. */
  stale: () => Error;
  /** The same, for the end of the transaction: Ponder does not try it again by itself. */
  again: () => Error;
  /** The program ends. */
  stopped: () => Error;
};

/** The memory of rows, which one batch uses at a time, and news of the batches. */
export class Stage<Table> {
  /** Whether a batch can be handled while another one is written: each needs a connection. */
  isPossible = false;
  #isStopped = false;
  readonly errors: Errors;
  readonly #store: Store<Table>;
  /** The batch that has the memory of rows. */
  user: User | null = null;
  #waiting: (() => void)[] = [];

  constructor(store: Store<Table>, errors: Errors) {
    this.#store = store;
    this.errors = errors;
  }

  /** Waits until something is true, which is asked whenever there are news. @throws an error if the program ends before */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      if (this.#isStopped) throw this.errors.stopped();
      await new Promise<void>((goOn) => this.#waiting.push(goOn));
    }
  }

  /** The program ends: nothing waits any longer. */
  stop(): void {
    this.#isStopped = true;
    this.tell();
  }

  /** There are news. */
  tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const goOn of waiting) goOn();
  }

  /** Takes the memory, if nothing else has it. */
  tryUse(user: User): boolean {
    this.user ??= user;
    return this.user === user;
  }

  endUse(user: User): void {
    if (this.user === user) this.user = null;
    this.tell();
  }

  takeRows = () => takeRows(this.#store);
  dropWriting = () => dropWriting(this.#store);
  forgetWaiting = () => forgetWaiting(this.#store);
  forgetRows = () => forgetRows(this.#store);
}
