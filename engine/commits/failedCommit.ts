// Part of the patch failedCommit: what happens if the work of a transaction succeeded and only its commit failed.

/** Checks before the work of a transaction is repeated. */
type Plan<Transaction> = {
  /** Whether the database has the work: the commit was done, and only its reply was lost. */
  isStored: (tx: Transaction) => Promise<boolean>;
  /** Forgets the rows of the work, which memory has as if they were stored. */
  forget: () => void;
};

/**
 * The work of a transaction that is tried again whenever the transaction fails. An error of the work itself is left to it; after
 * one of the commit the memory of rows and the tables differ, or the tables have the work already.
 */
export function unlessStored<Transaction>(
  { isStored, forget }: Plan<Transaction>,
  work: (tx: Transaction) => Promise<void>,
): (tx: Transaction) => Promise<void> {
  let isDone = false;
  return async (tx) => {
    if (isDone) {
      if (await isStored(tx)) return;
      forget();
      isDone = false;
    }
    await work(tx);
    isDone = true;
  };
}
