import { createKeyTable } from "./keyTable.ts";
import { createRestTable, NO_REST, type Rest } from "./restTable.ts";
import { LAST_TIME, type TimeColumn } from "./tests.ts";
import { createTextCounts } from "./textCounts.ts";

/** A row of `domains` as the store reads it. */
export type NameRow = {
  node: string;
  /** The bits of `tests.ts`. */
  bits: number;
  /** In lower case as PostgreSQL has it; null where only the hash is known, or the name is in no search. */
  label: string | null;
  /** The known texts of its name in lower case, without the label if they begin with it (`isJoined`). */
  rest: string;
  isJoined: boolean;
  /** In code points; null if unknown. */
  labelLength: number | null;
  resolver: string | null;
} & Readonly<Record<TimeColumn, number>>;

/** Of a row that is not, or not any more, one of `domains`. */
const NO_CLASS = 0xffff;
const MOST_CLASSES = NO_CLASS;

/** Resolvers that are told apart. Those beyond have this number, and none can be searched for then. */
const OTHER_RESOLVER = 0xffff;

/** More names of one chain are not stored: offsets have 32 bits, and so have rows. */
const MOST_TEXT = 2 ** 31;

/** Why names cannot be stored. */
export class NameStoreFull extends Error {}

/** The names of one chain in columns: some 75 bytes a name, with its label. */
export type NameTable = ReturnType<typeof createNameTable>;

/** @param expected how many names to make room for at first; the columns grow */
export function createNameTable(expected: number) {
  const room = Math.max(16, Math.ceil(expected * 1.05));
  const keys = createKeyTable(room);
  const rests = createRestTable();
  const textCounts = createTextCounts();
  const encoder = new TextEncoder();
  const classes = new Map<number, number>();
  const resolvers = new Map<string, number>();
  const columns = {
    /** The class of a row: its number in `classBits`. */
    classOf: new Uint16Array(room).fill(NO_CLASS),
    expiryTimestamp: new Uint32Array(room),
    wrapperExpiryTimestamp: new Uint32Array(room),
    pathExpiryTimestamp: new Uint32Array(room),
    /** -1 if unknown. */
    labelLength: new Int32Array(room),
    resolver: new Uint16Array(room),
    /** What stands in a row's name after its label: its number in `rests`. */
    restOf: new Uint32Array(room),
    /** Where the label of a row begins in `text`; 0 if it has none. */
    labelAt: new Uint32Array(room),
    /** Where each label begins, in order, and the row that it was written for. */
    entryAt: new Uint32Array(room),
    entryRow: new Uint32Array(room),
    /** All labels, each after a zero. Bytes of a label that is no longer a row's are zero. */
    text: new Uint8Array(Math.max(64, room * 12)),
  };
  type Column = keyof typeof columns;
  const state = { rows: 0, entries: 0, textEnd: 1 };
  const classBits: number[] = [];

  const grow = (names: readonly Column[], needed: number): void => {
    for (const name of names) {
      const old = columns[name];
      if (old.length >= needed) continue;
      const Larger = old.constructor as new (length: number) => typeof old;
      const larger = new Larger(Math.ceil(needed * 1.3) + 16);
      larger.set(old);
      if (name === "classOf") larger.fill(NO_CLASS, old.length);
      Object.assign(columns, { [name]: larger });
    }
  };

  const classNumber = (bits: number): number => {
    const known = classes.get(bits);
    if (known !== undefined) return known;
    if (classBits.length === MOST_CLASSES) throw new NameStoreFull("Names are of too many classes.");
    classes.set(bits, classBits.length);
    return classBits.push(bits) - 1;
  };

  /** 0 is none. */
  const resolverNumber = (resolver: string | null): number => {
    if (resolver === null) return 0;
    const known = resolvers.get(resolver);
    if (known !== undefined) return known;
    if (resolvers.size + 1 === OTHER_RESOLVER) return OTHER_RESOLVER;
    resolvers.set(resolver, resolvers.size + 1);
    return resolvers.size;
  };

  const labelEnd = (at: number): number => {
    let end = at;
    while (columns.text[end] !== 0) end++;
    return end;
  };

  const writeLabel = (row: number, label: string | null): void => {
    const at = columns.labelAt[row] as number;
    const bytes = label === null || label === "" ? null : encoder.encode(label);
    if (at > 0) {
      columns.text.fill(0, at, labelEnd(at));
      columns.labelAt[row] = 0;
    }
    if (bytes === null) return;
    const next = state.textEnd + bytes.length + 1;
    if (next > MOST_TEXT) throw new NameStoreFull("Labels take too much memory.");
    grow(["text"], next + 1);
    grow(["entryAt", "entryRow"], state.entries + 1);
    columns.text.set(bytes, state.textEnd);
    columns.labelAt[row] = state.textEnd;
    columns.entryAt[state.entries] = state.textEnd;
    columns.entryRow[state.entries] = row;
    state.entries++;
    state.textEnd = next;
  };

  const labelOf = (row: number): string => {
    const at = columns.labelAt[row] as number;
    return at === 0 ? "" : Buffer.from(columns.text.buffer).toString("utf8", at, labelEnd(at));
  };

  const countTexts = (label: string, rest: Rest | undefined, by: 1 | -1): void => {
    const { text, isJoined } = rest ?? { text: "", isJoined: false };
    for (const one of isJoined ? [label + text] : [label, text]) textCounts.add(one, by);
  };

  const writeTexts = (row: number, label: string | null, restNumber: number): void => {
    const before = columns.restOf[row] as number;
    const old = labelOf(row);
    if (before === restNumber && old === (label ?? "")) return;
    countTexts(old, rests.rests[before], -1);
    writeLabel(row, label);
    columns.restOf[row] = restNumber;
    countTexts(label ?? "", rests.rests[restNumber], 1);
  };

  const ofRows = (Object.keys(columns) as Column[]).filter(
    (name) => !["text", "entryAt", "entryRow"].includes(name),
  );

  return {
    columns,
    state,
    rests,
    textCounts,
    /** The bits of each class. */
    classBits: classBits as readonly number[],
    NO_CLASS,
    /** The number of a resolver; null where some are not told apart; -1 if no name has it. */
    findResolver: (resolver: string): number | null =>
      resolvers.get(resolver) ?? (resolvers.size + 1 === OTHER_RESOLVER ? null : -1),
    /** Writes a name, in place of what there was of it. */
    put: (name: NameRow): void => {
      const row = keys.add(name.node);
      grow(ofRows, row + 1);
      state.rows = Math.max(state.rows, row + 1);
      columns.classOf[row] = classNumber(name.bits);
      columns.expiryTimestamp[row] = Math.min(LAST_TIME, name.expiryTimestamp);
      columns.wrapperExpiryTimestamp[row] = Math.min(LAST_TIME, name.wrapperExpiryTimestamp);
      columns.pathExpiryTimestamp[row] = Math.min(LAST_TIME, name.pathExpiryTimestamp);
      columns.labelLength[row] = name.labelLength ?? -1;
      columns.resolver[row] = resolverNumber(name.resolver);
      writeTexts(row, name.label, rests.add(name.rest, name.isJoined));
    },
    /** Takes out a name, if there is one. */
    remove: (node: string): void => {
      const row = keys.rowOf(node);
      if (row === -1) return;
      columns.classOf[row] = NO_CLASS;
      writeTexts(row, null, NO_REST);
    },
    /** Bytes of memory. */
    bytes: (): number =>
      [keys, rests, textCounts].reduce(
        (sum, one) => sum + one.bytes(),
        Object.values(columns).reduce((sum, one) => sum + one.byteLength, 0),
      ),
  };
}
