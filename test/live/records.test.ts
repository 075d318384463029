import { keccak256, stringToBytes, toHex } from "viem";
import { packetToBytes } from "viem/ens";
import { describe, expect, test } from "vitest";
import { encodeDnsName } from "../../src/api/names/live/liveRecords.ts";

describe("a name in DNS wire format", () => {
  test.each(["", "eth", "alice.eth", "a.b.c.example.com", "☃.eth", `${"x".repeat(255)}.eth`])(
    "%s",
    (name) => {
      expect(encodeDnsName(name)).toBe(toHex(packetToBytes(name)));
    },
  );

  test("writes a label that is too long as its hash, which no resolver takes for another name", () => {
    const long = "ü".repeat(200);
    const hash = keccak256(stringToBytes(long)).slice(2);
    expect(encodeDnsName(`${long}.eth`)).toBe(encodeDnsName(`[${hash}].eth`));
  });
});
