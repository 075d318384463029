import { dropWriting, forgetRows, forgetWaiting, type Store, takeRows } from "./writingRows.ts";

// Part of the change overlap: what the batches have in common.

/** A batch that uses the memory of rows. */
type User = { settle: () => Promise<void> };

/** The memory of rows, which one batch uses at a time, and news of the batches. */
export class Stage<Table> {
  /** Whether a batch can be handled while another one is written: each needs a connection. */
  isPossible = false;
  readonly staleError: () => Error;
  readonly #store: Store<Table>;
  /** The batch that has the memory of rows. */
  user: User | null = null;
  #waiting: (() => void)[] = [];

  constructor(store: Store<Table>, staleError: () => Error) {
    this.#store = store;
    this.staleError = staleError;
  }

  /** Waits until something is true, which is asked whenever there are news. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((goOn) => this.#waiting.push(goOn));
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
