import { type Hex, hexToBytes, keccak256, stringToBytes } from "viem";
import type { BlockType, Row, Source, Value } from "./source.ts";

/** Values of at most this many bytes are in the feed themselves; of a longer one its hash and its length. */
export const MAX_TEXT_BYTES = 1_024;

/** A change of one value of one row. */
export type Difference = {
  slot: string;
  type: BlockType;
  before: Value | null;
  after: Value | null;
};

/** Values of a row by slot; empty without a row. */
export type Values = ReadonlyMap<string, Value>;

/** The values that a row holds, in the order of the slots. */
export function valuesOf(source: Source, row: Row | null): Values {
  if (row === null) return new Map();
  const found = Object.entries(source.slots).flatMap(([name, slot]) => {
    const value = slot.value(row);
    return value === null ? [] : [[name, shortened(value)] as const];
  });
  return new Map(found);
}

/** What is different between two states of a row. */
export function differencesOf(source: Source, before: Values, after: Values): Difference[] {
  return Object.entries(source.slots).flatMap(([slot, { type }]) => {
    const [old = null, now = null] = [before.get(slot), after.get(slot)];
    return sameValue(old, now) ? [] : [{ slot, type: type(old, now), before: old, after: now }];
  });
}

/** Whether two values are the same. PostgreSQL's JSON has its own order of fields. */
const sameValue = (one: Value | null, other: Value | null): boolean =>
  one === other || (one !== null && other !== null && inOrder(one) === inOrder(other));

const inOrder = (value: Value): string =>
  JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

/** A value with hash and length in place of a long text. */
export function shortened(value: Value): Value {
  const isLong = (one: Value[string] | undefined): one is string =>
    typeof one === "string" && Buffer.byteLength(one) > MAX_TEXT_BYTES;
  if (!Object.values(value).some(isLong)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]): [string, Value[string]][] => {
      if (!isLong(one)) return [[name, one]];
      const bytes = bytesOf(name, one);
      return [
        [name, null],
        [`${name}_keccak256`, keccak256(bytes)],
        [`${name}_bytes`, bytes.length],
      ];
    }),
  );
}

/** What is bytes on chain and hexadecimal in the tables. */
const hexFields: ReadonlySet<string> = new Set(["contenthash", "address"]);

const bytesOf = (name: string, text: string): Uint8Array =>
  hexFields.has(name) ? hexToBytes(text as Hex) : stringToBytes(text);
