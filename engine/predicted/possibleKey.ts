// Part of the patch predictedRows: whether a key that Ponder predicts can be the key of a row.

/** What a test of a value needs to know of a column. */
type Column = { columnType: string };

type Row = Record<string, unknown>;

/** No key has a longer text: the longest are hashes, of 32 bytes in hexadecimal. */
export const MAX_KEY_LENGTH = 66;

/** More digits than a column of 78 has. */
const NUMERIC_LIMIT = 10n ** 78n;

const isText = (value: unknown): boolean =>
  typeof value === "string" && value.length <= MAX_KEY_LENGTH && !value.includes("\0");

/** Whether a value is a whole number from -limit to below limit. */
const isWholeBelow = (limit: bigint) => (value: unknown) => {
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) return false;
  const number = BigInt(value as bigint | number);
  return number >= -limit && number < limit;
};

const tests: Record<string, (value: unknown) => boolean> = {
  PgInteger: isWholeBelow(2n ** 31n),
  PgBigInt53: isWholeBelow(2n ** 63n),
  PgEvmBigint: isWholeBelow(NUMERIC_LIMIT),
  PgHex: isText,
  PgText: isText,
};

/** Makes the test of a table's keys. A key with a column of another type is not asked for ahead: its handler asks. */
export function possibleKeys<Table extends object>(
  columnsOf: (table: Table) => readonly { js: string; column: Column }[],
): (table: Table, key: Row) => boolean {
  const known = new WeakMap<Table, (key: Row) => boolean>();
  const makeTest = (table: Table) => {
    const columns = columnsOf(table).map(({ js, column }) => ({ js, isPossible: tests[column.columnType] }));
    const test = (key: Row) => columns.every(({ js, isPossible }) => isPossible?.(key[js]) ?? false);
    known.set(table, test);
    return test;
  };
  return (table, key) => (known.get(table) ?? makeTest(table))(key);
}
