import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeyKind, Position } from "../../src/api/names/query/keyset.ts";
import { type ListOf, MAX_CURSOR, readCursor, writeCursor } from "../../src/api/names/schemas/cursor.ts";
import { partOf } from "../../src/api/names/schemas/paging.ts";

const list: ListOf = {
  operation: "/search-domains",
  input: { q: "ali", sort_by: "full_name", sort_dir: "asc", page_size: 25, total: true },
};
const kinds: KeyKind[] = ["text", "decimal", "integer", "bigint", "hash", "address"];
const position: Position = [
  "älice \n=-\u{1f600}.eth",
  "115792089237316195423570985008687907853269984665640564039457584007913129639935",
  "-2147483648",
  "9223372036854775807",
  `0x${"ab".repeat(32)}`,
  `0x${"cd".repeat(20)}`,
];

const read = (cursor: string, of = list, as = kinds) => readCursor(of, as, cursor);
const refused = (cursor: string, of = list, as = kinds) => {
  try {
    read(cursor, of, as);
    return null;
  } catch (error) {
    return (error as { code: string; message: string }).message;
  }
};
const DAMAGED = "`cursor` is damaged";
const FOREIGN = "`cursor` belongs to another list";

test("a cursor returns the position, for any texts", () => {
  expect(read(writeCursor(list, position))).toEqual(position);
  expect(read(writeCursor(list, [null, ...position.slice(1)]))).toEqual([null, ...position.slice(1)]);
});

test("it is short, and fits a URL as it is", () => {
  const longest = writeCursor(list, ["\u{1f600}".repeat(256), `0x${"f".repeat(64)}`, "2147483647"]);
  expect(longest.length).toBeLessThan(MAX_CURSOR);
  expect(longest).toMatch(/^[A-Za-z0-9_-]+$/);
});

describe("a cursor belongs to its list", () => {
  const cursor = writeCursor(list, position);
  test.each([
    ["another operation", { ...list, operation: "/agents" }],
    ["another filter", { ...list, input: { ...list.input, q: "bob" } }],
    ["one filter more", { ...list, input: { ...list.input, is_wrapped: false } }],
    ["one filter less", { ...list, input: { ...list.input, q: undefined } }],
    ["another order", { ...list, input: { ...list.input, sort_dir: "desc" } }],
  ])("not to %s", (_, other) => {
    expect(refused(cursor, other)).toContain(FOREIGN);
  });

  test.each([
    ["the size of pages", { page_size: 200 }],
    ["the total", { total: false }],
    ["what is shown of items", { include: "roles", partial: true }],
  ])("%s may differ", (_, input) => {
    expect(read(cursor, { ...list, input: { ...list.input, ...input } })).toEqual(position);
  });

  test("a name is the same however it is written", () => {
    const of = (query: string) => ({
      operation: "/x",
      input: { name: { query, node: "0x01", name: "alice.eth" } },
    });
    expect(read(writeCursor(of("Alice.eth"), ["a"]), of("alice.eth"), ["text"])).toEqual(["a"]);
  });
});

describe("what is no cursor of ours is refused", () => {
  const cursor = writeCursor(list, position);
  test.each([
    "",
    "a",
    "!",
    "cursor",
    "AAAA",
    "=".repeat(10),
    "A".repeat(MAX_CURSOR + 1),
    `${cursor}A`,
    cursor.slice(0, -1),
  ])("%s", (text) => expect(refused(text)).toContain(DAMAGED));

  test("each single character matters", () => {
    for (let i = 0; i < cursor.length; i++) {
      const other = cursor[i] === "A" ? "B" : "A";
      const changed = cursor.slice(0, i) + other + cursor.slice(i + 1);
      // The last character of base64 has bits that say nothing.
      if (Buffer.from(changed, "base64url").equals(Buffer.from(cursor, "base64url"))) continue;
      expect(refused(changed), changed).toContain(DAMAGED);
    }
  });

  test.each<[KeyKind, string]>([
    ["integer", "2147483648"],
    ["integer", "1.5"],
    ["integer", ""],
    ["integer", "1; drop table domains"],
    ["bigint", "9223372036854775808"],
    ["decimal", `1${"0".repeat(78)}`],
    ["decimal", "NaN"],
    ["hash", `0x${"AB".repeat(32)}`],
    ["hash", "0x12"],
    ["address", `0x${"ab".repeat(32)}`],
  ])("with the right checksum, but no %s: %s", (kind, value) => {
    expect(refused(writeCursor(list, [value]), list, [kind])).toContain(DAMAGED);
  });

  test("null is allowed for the first key only", () => {
    expect(read(writeCursor(list, [null, "1"]), list, ["text", "integer"])).toEqual([null, "1"]);
    expect(refused(writeCursor(list, ["a", null]), list, ["text", "integer"])).toContain(DAMAGED);
  });

  test("NUL, which PostgreSQL cannot take, ends a value and is in none", () => {
    expect(refused(writeCursor(list, ["a\0b"]), list, ["text"])).toContain(DAMAGED);
    expect(refused(writeCursor(list, ["a\0=b"]), list, ["text"])).toContain(DAMAGED);
  });

  test("more or fewer values than the list has keys", () => {
    expect(refused(writeCursor(list, ["a"]), list, ["text", "text"])).toContain(DAMAGED);
    expect(refused(writeCursor(list, ["a", "b"]), list, ["text"])).toContain(DAMAGED);
    expect(refused(writeCursor(list, []), list, ["text"])).toContain(DAMAGED);
  });
});

describe("any other text", () => {
  const cursor = Buffer.from(writeCursor(list, position), "base64url");

  test("bytes are no cursor", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
        expect(refused(Buffer.from(bytes).toString("base64url"))).toContain(DAMAGED);
      }),
      { numRuns: 5_000 },
    );
  });

  test("a cursor with changed bytes is damaged", () => {
    const change = fc.tuple(fc.nat(cursor.length - 1), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(change, fc.nat(cursor.length), ([place, bits], length) => {
        const bytes = Buffer.from(cursor);
        bytes[place] = (bytes[place] as number) ^ bits;
        expect(refused(bytes.toString("base64url"))).toContain(DAMAGED);
        if (length < cursor.length) {
          expect(refused(cursor.subarray(0, length).toString("base64url"))).toContain(DAMAGED);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("values with the right checksum are of their kind, or refused", () => {
    const value = fc.oneof(fc.string({ unit: "binary" }), fc.integer().map(String), fc.constant(null));
    const forms: Record<KeyKind, RegExp> = {
      text: /^[^\0]*$/,
      hash: /^0x[0-9a-f]{64}$/,
      address: /^0x[0-9a-f]{40}$/,
      integer: /^-?\d{1,10}$/,
      bigint: /^-?\d{1,19}$/,
      decimal: /^-?\d{1,78}$/,
    };
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        value,
        fc.constantFrom(...kinds),
        value,
        (kind, one, other, two) => {
          const text = writeCursor(list, [one, two]);
          const outcome = refused(text, list, [kind, other]);
          if (outcome !== null) {
            expect(outcome).toContain(DAMAGED);
            return;
          }
          const [first, second] = read(text, list, [kind, other]);
          if (first !== null) expect(first).toMatch(forms[kind]);
          expect(second).toMatch(forms[other]);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});

test("a page and a cursor exclude each other", () => {
  const input = { ...list.input, page: 1, cursor: writeCursor(list, ["a"]), total: true };
  expect(() => partOf({ ...list, input }, [{ kind: "text" }])).toThrow("exclude each other");
});
