import { expect, test } from "vitest";
import { hintFor, inBrief } from "../../src/api/features/mcp/brief.ts";

const chains = { main: 1, nameOf: (id: number) => ({ 1: "mainnet", 8453: "base" })[id] ?? String(id) };
const block = (chain_id: number, source = "indexed") => ({ chain_id, source, block_number: 5 });

test("positions cover the chains in the answer, and where the chain was read", () => {
  const as_of = [block(1), block(8453), block(10), block(10, "live")];
  expect(inBrief({ name: "a.eth", as_of }, chains).as_of).toEqual([block(1), block(10, "live")]);
  const onBase = { results: [{ name: "a.base.eth", chain: "base" }], as_of };
  expect(inBrief(onBase, chains).as_of).toEqual([block(1), block(8453), block(10, "live")]);
  expect(inBrief({ name: "a.eth" }, chains)).not.toHaveProperty("as_of");
});

test("seconds have their date beside them, unless they are not a date", () => {
  const times = { expiry_timestamp: "1893456000", created_timestamp: 1_700_000_000, to_timestamp: null };
  expect(inBrief({ ...times, until_timestamp: "18446744073709551615" }, chains)).toEqual({
    expiry_timestamp: "1893456000",
    expiry_date: "2030-01-01",
    created_timestamp: 1_700_000_000,
    created_date: "2023-11-14",
    to_timestamp: null,
    until_timestamp: "18446744073709551615",
  });
});

test("lists omit hashes that follow from the name, and answers about one name keep them", () => {
  const hashes = { namehash: "0x1", labelhash: "0x2", token_id: "3" };
  expect(inBrief({ name: "a.eth", ...hashes }, chains)).toEqual({ name: "a.eth", ...hashes });
  const results = ["a.eth", "Ünnormal ☃.eth", `[${"ab".repeat(32)}].eth`].map((name) => ({
    name,
    ...hashes,
  }));
  expect(inBrief({ results }, chains)).toEqual({
    results: [
      { name: "a.eth" },
      { name: "Ünnormal ☃.eth", namehash: "0x1" },
      { name: `[${"ab".repeat(32)}].eth`, namehash: "0x1" },
    ],
  });
});

test("what owners wrote stays, under every key", () => {
  const texts = JSON.parse('{"token_id":"1","x_timestamp":"5","__proto__":"y","labelhash":"z"}');
  const brief = inBrief({ results: [{ records: { texts } }] }, chains);
  expect(JSON.stringify(brief)).toBe(JSON.stringify({ results: [{ records: { texts } }] }));
});

test.each([
  [{ name: "alice" }, { query: "alice", availability_status: "unknown" }, "Did you mean alice.eth?"],
  [{ name: "Alice" }, { results: [], total: 0 }, "Did you mean alice.eth?"],
  [{ name: "alice" }, { records: { texts: {}, addresses: {} } }, "Did you mean alice.eth?"],
  [{ address: "alice" }, { error: { code: "INVALID_ADDRESS" } }, "Did you mean alice.eth?"],
  [{ name: "eth" }, { name: "eth", availability_status: "registered" }, null],
  [{ name: "alice" }, { records: { texts: { url: "x" } } }, null],
  [{ name: "alice.eth" }, { availability_status: "unknown" }, null],
  [{ name: 'a" b' }, { error: {} }, null],
])("%j answered by %j: %s", (given, answer, hint) => {
  expect(hintFor(given, answer as Record<string, unknown>)).toBe(hint);
});
