import { toDate, toSeconds } from "namedex-client";
import { expect, test } from "vitest";
import { read } from "../../client/src/read.ts";

test.each([
  [{ expiry_timestamp: "1893456000" }, { expiry_timestamp: 1_893_456_000n }],
  [{ block_timestamp: 1_600_000_000 }, { block_timestamp: 1_600_000_000n }],
  [{ expiry_timestamp: "18446744073709551615" }, { expiry_timestamp: 18_446_744_073_709_551_615n }],
  [{ created_at: "2026-01-01T00:00:00.900Z" }, { created_at: 1_767_225_600n }],
  [{ a: [{ since: 1 }] }, { a: [{ since: 1n }] }],
])("%j: times are seconds", (json, expected) => {
  expect(read(json)).toEqual(expected);
});

test("null fields are absent", () => {
  expect(Object.keys(read({ a: null, b: { c: null, d: 0 } }) as object)).toEqual(["b"]);
  expect(read({ b: { c: null, d: 0 } })).toEqual({ b: { d: 0 } });
});

test("keys chosen by strangers are left unchanged", () => {
  const texts = JSON.parse('{"expiry_timestamp":"1","created_at":"x","__proto__":"y","ownership":"z"}');
  const answer = read({ records: { texts, addresses: { 60: "0x" } } }) as { records: { texts: object } };
  expect(answer.records.texts).toBe(texts);
});

test("keys sent by a caller are fields, whatever they are", () => {
  const json = JSON.parse('{"results":{"__proto__":{"query":"__proto__","error":{"code":"X"}}}}');
  const { results } = read(json) as { results: object };
  expect(Object.getOwnPropertyDescriptor(results, "__proto__")?.value).toMatchObject({ known: false });
});

test("an invalid time is left unchanged", () => {
  expect(read({ x_timestamp: "soon", created_at: "2026-99-99T", since: 1.5 })).toEqual({
    x_timestamp: "soon",
    created_at: "2026-99-99T",
    since: 1.5,
  });
});

test.each([
  [{ query: "a.eth", availability_status: "available", source: "indexed" }, false],
  [{ query: "a..b", availability_status: "unknown", error: {} }, false],
  [{ hash: "0x", indexed: false }, false],
  [{ address: "0x", unresolved: [] }, false],
  [{ name: "a.eth", ownership: {}, availability_status: "registered", source: "live" }, true],
  [{ address: "0x", primary_name: null, registrar: null }, true],
  [{ agent_id: "1", indexed: false }, false],
])("%j: known %s", (json, known) => {
  expect(read(json)).toHaveProperty("known", known);
});

test.each([{ address: "0x", code: 1 }, { total: 1 }, { source: "live" }, { name: "a.eth" }])(
  "%j: has no `known`",
  (json) => {
    expect(read(json)).not.toHaveProperty("known");
  },
);

test("times become Dates, and Dates become times", () => {
  expect(toDate(1_893_456_000n).toISOString()).toBe("2030-01-01T00:00:00.000Z");
  expect(toSeconds(new Date("2030-01-01T00:00:00.999Z"))).toBe(1_893_456_000n);
  // An owner can let a subname expire later than any Date.
  expect(toDate(2n ** 64n - 1n).getTime()).toBe(8.64e15);
});
