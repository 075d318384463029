import {
  DamagedRecord,
  type Form,
  type LabelSet,
  MAX_RECORD_BYTES,
  type Part,
  untilDamaged,
} from "./record.ts";

const HASH_BYTES = 32;
/** The longest length as a varint: 16 MiB takes four bytes. */
const MAX_LENGTH_BYTES = 5;

/**
 * ENSRainbow's files: protobuf messages, each behind its length as a varint. The first one names the label set, all others
 * are records: the hash in field 1, the label in field 2. Source: ensnode, apps/ensrainbow/src/utils/protobuf-schema.ts.
 */
export const ensrainbow: Form = {
  name: "ensrainbow",
  async *read(pieces, { byte, onLabelSet }) {
    const state: State = { rest: Buffer.alloc(0), start: byte, onLabelSet };
    for await (const piece of pieces) yield* untilDamaged(partsOf(piece, state));
    if (state.start === 0 && state.rest.length === 0) throw new DamagedRecord(0, "an empty file");
    if (state.rest.length > 0)
      throw new DamagedRecord(state.start, "a record that is cut short by the end of the file");
  },
};

/** Bytes of an incomplete record, and where it begins. */
type State = { rest: Buffer; start: number; onLabelSet: ((set: LabelSet) => void) | undefined };

function* partsOf(piece: Buffer, state: State): Generator<Part> {
  const bytes = state.rest.length === 0 ? piece : Buffer.concat([state.rest, piece]);
  const { start } = state;
  let at = 0;
  for (let next = messageAt(bytes, at, start); next !== null; next = messageAt(bytes, at, start + at)) {
    const message = bytes.subarray(next.from, next.end);
    if (start + at === 0) state.onLabelSet?.(labelSetOf(message));
    else yield { ...recordOf(message, start + at), end: start + next.end };
    at = next.end;
  }
  state.rest = Buffer.from(bytes.subarray(at));
  state.start = start + at;
}

/** Where the message behind a length is; null if not all of it is there yet. */
function messageAt(bytes: Buffer, at: number, place: number): { from: number; end: number } | null {
  const length = varintAt(bytes, at, place);
  if (length === null) return null;
  if (length.value > MAX_RECORD_BYTES) throw new DamagedRecord(place, "a record of more than 16 MiB");
  const end = length.end + length.value;
  return end > bytes.length ? null : { from: length.end, end };
}

function varintAt(bytes: Buffer, at: number, place: number): { value: number; end: number } | null {
  let value = 0;
  for (let i = 0; i < MAX_LENGTH_BYTES; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return null;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, end: at + i + 1 };
  }
  throw new DamagedRecord(place, "a number of more than five bytes");
}

type Fields = Map<number, Buffer | number>;

/** The fields of a message by their number. Those with a length are bytes, the others numbers. */
function fieldsOf(message: Buffer, place: number): Fields {
  const fields: Fields = new Map();
  const must = (read: { value: number; end: number } | null) => {
    if (read === null) throw new DamagedRecord(place, "a record that ends inside of a field");
    return read;
  };
  for (let at = 0; at < message.length; ) {
    const tag = must(varintAt(message, at, place));
    const value = must(varintAt(message, tag.end, place));
    const [number, kind] = [Math.floor(tag.value / 8), tag.value % 8];
    if (kind !== 0 && kind !== 2) throw new DamagedRecord(place, `a field of the kind ${kind}`);
    at = kind === 0 ? value.end : value.end + value.value;
    if (at > message.length) throw new DamagedRecord(place, "a record that ends inside of a field");
    fields.set(number, kind === 0 ? value.value : message.subarray(value.end, at));
  }
  return fields;
}

const HASH_TAG = 0x0a;
const LABEL_TAG = 0x12;
const LABEL_AT = 2 + HASH_BYTES;

function recordOf(message: Buffer, place: number): Omit<Part, "end"> {
  return usualRecordOf(message) ?? anyRecordOf(message, place);
}

/** A record with its two fields in their order, and a label of at most 127 bytes; null for any other one. */
function usualRecordOf(message: Buffer): Omit<Part, "end"> | null {
  const isUsual =
    message[0] === HASH_TAG &&
    message[1] === HASH_BYTES &&
    message[LABEL_AT] === LABEL_TAG &&
    message[LABEL_AT + 1] === message.length - LABEL_AT - 2 &&
    message.length - LABEL_AT - 2 < 0x80;
  return isUsual ? { texts: [message.subarray(LABEL_AT + 2)], stated: message.subarray(2, LABEL_AT) } : null;
}

function anyRecordOf(message: Buffer, place: number): Omit<Part, "end"> {
  const fields = fieldsOf(message, place);
  const hash = fields.get(1);
  // The empty text has no field.
  const label = fields.get(2) ?? Buffer.alloc(0);
  if (!Buffer.isBuffer(hash) || hash.length !== HASH_BYTES || !Buffer.isBuffer(label))
    throw new DamagedRecord(place, "a record without a hash of 32 bytes and a label");
  return { texts: [label], stated: hash };
}

function labelSetOf(message: Buffer): LabelSet {
  const fields = fieldsOf(message, 0);
  const [name, format, id, version] = [1, 2, 3, 4].map((number) => fields.get(number));
  if (String(name) !== "ensrainbow" || format !== 1)
    throw new DamagedRecord(0, "a first record that does not say `ensrainbow`, form 1");
  if (!Buffer.isBuffer(id)) throw new DamagedRecord(0, "a first record that does not name its label set");
  return { id: id.toString("utf8"), version: typeof version === "number" ? version : 0 };
}
