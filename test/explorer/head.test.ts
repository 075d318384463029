import { describe, expect, test } from "vitest";
import { coinAddress } from "../../src/api/features/explorer/pages/name/coinAddress.ts";
import { socialsOf } from "../../src/api/features/explorer/pages/name/socials.ts";

const urlsOf = (texts: Record<string, string>) => socialsOf(texts).map(({ url }) => url);

describe("accounts at other services", () => {
  test("lead to the service's own host", () => {
    expect(
      socialsOf({ "com.github": "@alice", "com.x": "https://x.com/alice/", "org.telegram": "alice_t" }),
    ).toEqual([
      { service: "X", shown: "alice", url: "https://x.com/alice" },
      { service: "GitHub", shown: "alice", url: "https://github.com/alice" },
      { service: "Telegram", shown: "alice_t", url: "https://t.me/alice_t" },
    ]);
    expect(urlsOf({ "com.linkedin": "https://www.linkedin.com/in/alice", "com.youtube": "@alice" })).toEqual([
      "https://www.linkedin.com/in/alice",
      "https://www.youtube.com/@alice",
    ]);
  });

  test.each([
    "https://github.com.evil.example/alice",
    "https://github.com@evil.example/alice",
    "https://evil.example/github.com/alice",
    "https://evil.example/?github.com/alice",
    "http://github.com/alice",
    "https://github.com:8443/alice",
    "https://github.com/alice/repository",
    "//evil.example",
    "../evil",
    ".hidden",
    "alice?next=https://evil.example",
    "alice#top",
    "alice evil.example",
    "al\u0456ce",
    "javascript:alert(1)",
    "\u202ealice",
    "a".repeat(65),
  ])("that are not handles are text: %s", (text) => {
    expect(socialsOf({ "com.github": text })).toEqual([{ service: "GitHub", shown: text, url: null }]);
  });

  test("without a page by handle are text, and one account with two keys appears once", () => {
    expect(socialsOf({ "com.discord": "alice" })).toEqual([
      { service: "Discord", shown: "alice", url: null },
    ]);
    expect(urlsOf({ "com.twitter": "Alice", "com.x": "alice" })).toHaveLength(1);
    expect(socialsOf({ "com.github": " ", "com.unknown": "alice" })).toEqual([]);
  });
});

describe("an address of another coin", () => {
  test.each([
    ["0", "0x76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
    ["0", "0x0014751e76e8199196d454941c45d1b3a323f1433bd6", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"],
    ["2", "0x76a914a5f4d12ce3685781b227c1f39548ddef429e978388ac", "LaMT348PWRnrqeeWArpwQPbuanpXDZGEUz"],
    ["501", `0x${"00".repeat(32)}`, "1".repeat(32)],
  ])("of coin type %s is written as its wallets write it", (coinType, bytes, text) => {
    const written = coinAddress(coinType, bytes);
    expect(written).toBe(text);
  });

  test.each([
    ["0", "0x1234"],
    ["0", "0x"],
    ["0", "not hexadecimal"],
    ["0", `0x${"ab".repeat(10_000)}`],
    ["501", "0x12"],
    ["987654321", "0x1234"],
    ["x", "0x1234"],
  ])("of coin type %s that is invalid is not written: %s", (coinType, bytes) => {
    expect(coinAddress(coinType, bytes)).toBeNull();
  });
});
