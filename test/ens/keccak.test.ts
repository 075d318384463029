import fc from "fast-check";
import { type Hex, keccak256 as keccak256ByViem, stringToBytes, toHex } from "viem";
import { expect, test } from "vitest";
import { keccak256, keccak256OfHex } from "../../src/ens/keccak.ts";

test("bytes of any length have the hash that another program computes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      expect(keccak256(bytes)).toBe(keccak256ByViem(bytes));
    }),
  );
  const long = new Uint8Array(100_000).fill(7);
  expect(keccak256(long)).toBe(keccak256ByViem(long));
});

test("a part of a larger buffer is hashed alone", () => {
  const bytes = Buffer.from("abcdefgh");
  expect(keccak256(bytes.subarray(2, 5))).toBe(keccak256ByViem(stringToBytes("cde")));
});

test("texts are hashed as UTF-8, including those with lone surrogates", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(keccak256(text)).toBe(keccak256ByViem(stringToBytes(text)));
    }),
  );
  for (const text of ["", "ünï", "👩‍🚀", "\ud800", "a\udc00b", "\0"]) {
    expect(keccak256(text)).toBe(keccak256ByViem(stringToBytes(text)));
  }
});

test("hexadecimal parts are hashed as their concatenated bytes", () => {
  const [one, two] = [toHex(1, { size: 32 }), toHex(2n ** 255n, { size: 32 })];
  expect(keccak256OfHex(one, two)).toBe(keccak256ByViem(`${one}${two.slice(2)}` as Hex));
  expect(keccak256OfHex("0x")).toBe(keccak256ByViem("0x"));
});
