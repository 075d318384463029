/*
 * What a follower of the feed can hold. Each source is a table of the index; each of its rows holds some values, and each value
 * changes by itself. Triggers, comparison and answers all follow from this table.
 */

/** A row of a source, with numbers beyond 2^53 as text. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** A value in the feed; null if none. */
export type Value = Readonly<Record<string, string | number | boolean | null>>;

/** Types of changes that a block brings. */
export const blockTypes = [
  "subname.created",
  "name.renamed",
  "name.registered",
  "name.renewed",
  "name.expiry_changed",
  "name.transferred",
  "name.wrapped",
  "name.unwrapped",
  "wrapper.changed",
  "resolver.changed",
  "records.cleared",
  "record.text.changed",
  "record.address.changed",
  "record.contenthash.changed",
  "record.name.changed",
  "record.link.changed",
  "primary_name.changed",
  "agent.bound",
  "label.known",
] as const;

export type BlockType = (typeof blockTypes)[number];

/** One of the values that a row holds. */
export type Slot = {
  /** The value of a row; null where it is as if there were no row. */
  value: (row: Row) => Value | null;
  /** The type of a change from one value to another. */
  type: (before: Value | null, after: Value | null) => BlockType;
  /** Events, by their name in the contract, that bring such a change: the last one of the name is named as its cause. */
  causes: readonly string[];
};

/** The columns that say what a row is about. */
export type About = {
  node?: string | null;
  resolver?: string | null;
  /** Addresses by which callers find the change. */
  addresses: (string | null | undefined)[];
  /** What else tells the value apart from others, as answers show it. */
  details: Record<string, string | number | null>;
};

export type Source = {
  table: string;
  /** Columns of the primary key with their PostgreSQL types, by which changes of a row are found. */
  key: readonly (readonly [column: string, type: "int4" | "int8" | "numeric" | "text"])[];
  /** The other columns that are read: SQL, with `r` as the row, by name. */
  columns: Readonly<Record<string, string>>;
  slots: Readonly<Record<string, Slot>>;
  /** What a row is about; `key` has the texts of the key's columns. */
  about: (key: readonly string[], row: Row) => About;
  /** The log that wrote the row last, where the row says it. */
  cause?: (row: Row) => { blockNumber: number; transactionHash: string; logIndex: number | null };
};

export const plain = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `r.${name}`]));

export const texts = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `r.${name}::text`]));

/** Some columns as a value; null where all of them are null or false. */
export const columnsOf =
  (names: readonly string[]) =>
  (row: Row): Value | null =>
    names.some((name) => row[name] !== null && row[name] !== false)
      ? Object.fromEntries(names.map((name) => [name, row[name] ?? null]))
      : null;

export const always = (type: BlockType) => (): BlockType => type;

/** What a row says of the log that wrote it. */
export const writtenBy = (row: Row) => ({
  blockNumber: Number(row.block_number),
  transactionHash: String(row.transaction_hash),
  logIndex: row.log_index == null ? null : Number(row.log_index),
});
