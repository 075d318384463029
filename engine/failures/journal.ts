// Part of the patch failedLogs: what an event's handler replaced among the rows that wait to be written.

type Entry = { row: unknown };
/** The rows of each table that wait to be written. */
type Buffer<Table> = Map<Table, Map<string, Entry>>;

type Replaced<Table> = {
  table: Table;
  key: string;
  inserted: Entry | undefined;
  row: unknown;
  updated: Entry | undefined;
};

export class Journal<Table> {
  #replaced: Replaced<Table>[] = [];
  #isUndoable = true;
  readonly #inserts: Buffer<Table>;
  readonly #updates: Buffer<Table>;

  constructor(inserts: Buffer<Table>, updates: Buffer<Table>) {
    this.#inserts = inserts;
    this.#updates = updates;
  }

  /** Forgets the event before. */
  begin(): void {
    if (this.#replaced.length > 0) this.#replaced = [];
    this.#isUndoable = true;
  }

  /** Records the present row before it is replaced. */
  remember(table: Table, key: string): void {
    const inserted = this.#inserts.get(table)?.get(key);
    const updated = this.#updates.get(table)?.get(key);
    this.#replaced.push({ table, key, inserted, row: inserted?.row, updated });
  }

  /** From here on this event has changed the database itself. */
  reachDatabase(): void {
    this.#isUndoable = false;
  }

  /** Puts back all that the event replaced; false if it has changed the database. */
  undo(): boolean {
    if (!this.#isUndoable) return false;
    for (const { table, key, inserted, row, updated } of this.#replaced.reverse()) {
      if (inserted !== undefined) inserted.row = row;
      putBack(this.#inserts.get(table), key, inserted);
      putBack(this.#updates.get(table), key, updated);
    }
    this.#replaced = [];
    return true;
  }
}

function putBack(entries: Map<string, Entry> | undefined, key: string, entry: Entry | undefined): void {
  if (entry === undefined) entries?.delete(key);
  else entries?.set(key, entry);
}
