import { hashIn } from "./hashIn.ts";
import { type Line, linesOf } from "./lines.ts";
import { DamagedRecord, type Form, type Part, untilDamaged } from "./record.ts";

const BACKSLASH = 92;
const TAB = 9;

/** `COPY public.ens_names (hash, name) FROM stdin;` */
const COPY = /^COPY .*\(\s*"?hash"?\s*,\s*"?name"?\s*\) FROM stdin;\s*$/i;

/**
 * A dump of The Graph's table `ens_names`: lines of `hash TAB name` between `COPY … FROM stdin;` and `\.`, in PostgreSQL's
 * text form. Source: PostgreSQL's documentation of COPY, "Text Format".
 */
export const sql: Form = {
  name: "sql",
  async *read(pieces, { byte }) {
    // A later run begins behind a record, so inside of the rows.
    const state: State = { in: byte === 0 ? "head" : "rows", end: byte };
    for await (const lines of linesOf(pieces, byte)) yield* untilDamaged(partsOf(lines, state));
    if (state.in === "head")
      throw new DamagedRecord(state.end, "no line like COPY … (hash, name) FROM stdin;");
    if (state.in === "rows") throw new DamagedRecord(state.end, "no line \\. that ends the rows");
  },
};

type State = { in: "head" | "rows" | "tail"; end: number };

function* partsOf(lines: readonly Line[], state: State): Generator<Part> {
  for (const line of lines) {
    state.end = line.end;
    if (state.in === "rows" && isEnd(line)) state.in = "tail";
    else if (state.in === "rows") yield partOf(line);
    else if (state.in === "head" && COPY.test(line.bytes.toString("latin1", 0, 1_000))) state.in = "rows";
  }
}

const isEnd = ({ bytes }: Line): boolean => bytes.length === 2 && bytes[0] === BACKSLASH && bytes[1] === 46;

function partOf({ bytes, start, end }: Line): Part {
  const tab = bytes.indexOf(TAB);
  if (tab < 0 || bytes.indexOf(TAB, tab + 1) >= 0)
    throw new DamagedRecord(start, "a row without two columns");
  const name = bytes.subarray(tab + 1);
  const texts = name.indexOf(BACKSLASH) < 0 ? [name] : unescaped(name, start);
  return { texts, stated: hashIn(bytes.subarray(0, tab)), end };
}

const letters: Readonly<Record<string, number>> = { b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** The bytes of a column; none for null, which is written `\N`. */
function unescaped(bytes: Buffer, start: number): Buffer[] {
  const text = bytes.toString("latin1");
  if (text === "\\N") return [];
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(text))
    throw new DamagedRecord(start, "a row that ends with a backslash");
  const plain = text.replace(/\\(x[0-9a-f]{1,2}|[0-7]{1,3}|[\s\S])/gi, (_, code: string) => {
    if (/^x./i.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff);
    const control = letters[code];
    return control === undefined ? code : String.fromCharCode(control);
  });
  return [Buffer.from(plain, "latin1")];
}
