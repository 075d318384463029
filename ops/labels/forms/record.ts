/**
 * A record of a table. `texts` are the labels that it may mean, as bytes: a line of a CSV file means one text with its quotes
 * and another without. Each is hashed, so a wrong one does no harm.
 */
export type TableRecord = {
  texts: readonly Uint8Array[];
  /** The 32 bytes of the hash that the table gives; null if it gives none. It is compared, and never believed. */
  stated: Uint8Array | null;
};

/** What a part of a table says: a record, or where one ends to which a later run can go back. */
export type Part = TableRecord & {
  /** The first byte behind the record, in the table as it is without compression. */
  end: number;
};

/** A table that says its own name: ENSRainbow's files do. */
export type LabelSet = { id: string; version: number };

/** A form of tables. It reads the bytes of a table, in pieces as they come, from its beginning or behind a record. */
export type Form = {
  name: "ensrainbow" | "sql" | "csv" | "list";
  /** `set` is called for a table that says its own name. @throws DamagedRecord */
  read: (pieces: AsyncIterable<Buffer>, from: Start) => AsyncGenerator<Part[]>;
};

/** Where to begin: at the table's first byte, or behind a record. */
export type Start = { byte: number; onLabelSet?: (set: LabelSet) => void };

/** The longest record, in bytes. A label in a name has at most 255. */
export const MAX_RECORD_BYTES = 16 * 1_024 * 1_024;

/** A record that cannot be what its form says. What came before it is done. */
export class DamagedRecord extends Error {
  override readonly name = "DamagedRecord";
  /** The first byte of the record, in the table without compression. */
  readonly byte: number;

  constructor(byte: number, message: string) {
    super(message);
    this.byte = byte;
  }
}

/** The parts of a piece: those before a damaged one are given before its error is thrown. */
export function* untilDamaged(parts: Iterable<Part>): Generator<Part[]> {
  const read: Part[] = [];
  try {
    for (const part of parts) read.push(part);
  } catch (error) {
    yield read;
    throw error;
  }
  yield read;
}
