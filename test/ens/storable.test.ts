import fc from "fast-check";
import { expect, test } from "vitest";
import { exactText, storable } from "../../src/ens/storable.ts";

const text = fc
  .array(fc.oneof(fc.constantFrom("\0", "0", "\u2400"), fc.string({ unit: "binary" })))
  .map((parts) => parts.join(""));

test("NUL and U+2400 are stored as two characters, all others unchanged", () => {
  expect(storable("a\0b")).toBe("a\u24000b");
  expect(storable("a\u2400b")).toBe("a\u2400\u2400b");
  expect(storable("a\u24000")).toBe("a\u2400\u24000");
  expect(storable("0 alice.eth \ufffd")).toBe("0 alice.eth \ufffd");
  expect(exactText(null)).toBeNull();
});

test("every text can be read back, and none is stored with NUL", () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(storable(given)).not.toContain("\0");
      expect(exactText(storable(given))).toBe(given);
    }),
  );
});
