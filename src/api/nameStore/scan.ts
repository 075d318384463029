import type { SearchCounts } from "../query/search.ts";
import type { NameTable } from "./nameTable.ts";
import type { Test, TimeColumn } from "./tests.ts";

/** What a search counts besides its total. */
export const sorts = ["expired", "expiring30d", "expiring90d", "wrapped"] as const;

export type Sort = (typeof sorts)[number];

/** Counts to add to. */
export const noCounts = (): SearchCounts => ({
  ...{ total: 0, expired: 0, expiring30d: 0, expiring90d: 0, wrapped: 0 },
});

/** A search as the store decides it. */
export type Question = {
  chainIds: readonly number[];
  /** Texts in lower case, of which a label has to hold one; null for any label. */
  texts: readonly string[] | null;
  /** Whether the whole name may hold it. */
  isFullName: boolean;
  where: Test;
  sorts: Readonly<Record<Sort, Test>>;
  /** In code points; labels of unknown length are of none. */
  length: { from: number; to: number } | null;
  resolver: string | null;
  /** Times of a column, both ends inside; a name has to be in one range. `to` may be infinite. */
  times: { column: TimeColumn; ranges: readonly { from: number; to: number }[] } | null;
};

/** A rule for the rows of one class: the same for all, or a comparison of times. */
type RowTest = boolean | ((row: number) => boolean);

/** What is left of a rule for rows with these bits. */
function testFor(test: Test, bits: number, table: NameTable): RowTest {
  switch (test.kind) {
    case "bit":
      return Math.floor(bits / 2 ** test.bit) % 2 === 1;
    case "time":
      return timeTest(test, table.columns[test.column]);
    case "not": {
      const of = testFor(test.of, bits, table);
      return typeof of === "boolean" ? !of : (row) => !of(row);
    }
    default: {
      const neutral = test.kind === "all";
      const of = test.of.map((one) => testFor(one, bits, table));
      if (of.includes(!neutral)) return !neutral;
      return joined(
        of.filter((one) => typeof one !== "boolean"),
        neutral,
      );
    }
  }
}

function joined(of: readonly ((row: number) => boolean)[], neutral: boolean): RowTest {
  const [first, second, ...others] = of;
  if (first === undefined) return neutral;
  if (second === undefined) return first;
  if (others.length > 0)
    return neutral ? (row) => of.every((one) => one(row)) : (row) => of.some((one) => one(row));
  return neutral ? (row) => first(row) && second(row) : (row) => first(row) || second(row);
}

function timeTest({ operator, at }: Extract<Test, { kind: "time" }>, times: Uint32Array): RowTest {
  switch (operator) {
    case "<":
      return (row) => (times[row] as number) < at;
    case "<=":
      return (row) => (times[row] as number) <= at;
    case ">":
      return (row) => (times[row] as number) > at;
    case ">=":
      return (row) => (times[row] as number) >= at;
  }
}

/** Counts what a search finds among the names of one chain. Null if the table cannot decide it. */
export function countNames(table: NameTable, question: Question): SearchCounts | null {
  const counts = noCounts();
  if (question.texts !== null && question.isFullName && table.rests.isFull()) return null;
  const resolver = question.resolver === null ? 0 : table.findResolver(question.resolver);
  if (resolver === null) return null;
  if (resolver === -1) return counts;
  const { columns, NO_CLASS } = table;
  const { classOf } = columns;
  const testsFor = (test: Test) => table.classBits.map((bits) => testFor(test, bits, table));
  const where = testsFor(question.where);
  const ofSorts = sorts.map((sort) => testsFor(question.sorts[sort]));
  const found = sorts.map(() => 0);
  const passes = filterOf(table, question, resolver);
  const look = (row: number): void => {
    const of = classOf[row] as number;
    if (of === NO_CLASS) return;
    const test = where[of];
    if (test === false || (test !== true && !test?.(row)) || !passes(row)) return;
    counts.total++;
    for (let i = 0; i < ofSorts.length; i++) {
      const sort = ofSorts[i]?.[of];
      if (sort === true || (sort !== false && sort?.(row))) (found[i] as number)++;
    }
  };
  if (question.texts === null) for (let row = 0; row < table.state.rows; row++) look(row);
  else (question.isFullName ? eachNameWithText : eachWithText)(table, question.texts, look);
  for (const [i, sort] of sorts.entries()) counts[sort] = found[i] as number;
  return counts;
}

/** The filters that are no rules: a resolver, a length, times. */
function filterOf(
  { columns }: NameTable,
  { length, times }: Question,
  resolver: number,
): (row: number) => boolean {
  const filters: ((row: number) => boolean)[] = [];
  if (resolver > 0) filters.push((row) => columns.resolver[row] === resolver);
  if (length !== null) {
    const { from, to } = length;
    const lengths = columns.labelLength;
    filters.push((row) => {
      const one = lengths[row] as number;
      return one >= 0 && one >= from && one <= to;
    });
  }
  if (times !== null) {
    const { ranges } = times;
    const values = columns[times.column];
    filters.push((row) => {
      const time = values[row] as number;
      return ranges.some(({ from, to }) => time >= from && time <= to);
    });
  }
  const filter = joined(filters, true);
  return typeof filter === "boolean" ? () => true : filter;
}

/** Looks at each row once whose label has one of these texts. */
function eachWithText(table: NameTable, texts: readonly string[], look: (row: number) => void): void {
  const { entries, textEnd } = table.state;
  const { text, entryAt, entryRow, labelAt } = table.columns;
  const all = Buffer.from(text.buffer, text.byteOffset, textEnd);
  const seen = texts.length > 1 ? new Uint8Array(entries) : null;
  for (const one of texts) {
    const wanted = Buffer.from(one);
    let entry = 0;
    for (let at = all.indexOf(wanted); at !== -1; ) {
      entry = entryOf(entryAt, at, { from: entry, entries });
      const row = entryRow[entry] as number;
      if (labelAt[row] === entryAt[entry] && seen?.[entry] !== 1) {
        if (seen !== null) seen[entry] = 1;
        look(row);
      }
      const next = entry + 1;
      if (next >= entries) break;
      at = all.indexOf(wanted, entryAt[next] as number);
    }
  }
}

/** A label's end in `text`. */
const END = "\0";

/**
 * Looks at each row once whose name has one of these texts: in its label, in what stands after that, or where the two meet. They meet
 * at the first dot of a text, because a label has none.
 */
function eachNameWithText(table: NameTable, texts: readonly string[], look: (row: number) => void): void {
  const { restOf } = table.columns;
  const { rests } = table.rests;
  const found = new Uint8Array(table.state.rows);
  const isInRest = Uint8Array.from(rests, ({ text }) => (texts.some((one) => text.includes(one)) ? 1 : 0));
  for (const one of texts) {
    const dot = one.indexOf(".");
    const [ofLabel, ofRest] = dot > 0 ? [one.slice(0, dot) + END, one.slice(dot)] : [one, ""];
    const goesOn = Uint8Array.from(rests, ({ text, isJoined }) =>
      isJoined && text.startsWith(ofRest) ? 1 : 0,
    );
    eachWithText(table, [ofLabel], (row) => {
      if (goesOn[restOf[row] as number] === 1) found[row] = 1;
    });
  }
  for (let row = 0; row < found.length; row++)
    if (found[row] === 1 || isInRest[restOf[row] as number] === 1) look(row);
}

/** The last entry that begins at or before a byte. Steps grow, since the next hit is mostly near. */
function entryOf(
  entryAt: Uint32Array,
  at: number,
  { from, entries }: { from: number; entries: number },
): number {
  let low = from;
  let step = 1;
  while (low + step < entries && (entryAt[low + step] as number) <= at) {
    low += step;
    step *= 2;
  }
  let high = Math.min(entries, low + step);
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((entryAt[middle] as number) <= at) low = middle;
    else high = middle;
  }
  return low;
}
