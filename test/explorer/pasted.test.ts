import { expect, test } from "vitest";
import { meantBy } from "../../src/api/features/explorer/pages/pasted.ts";

const address = `0x${"aB".repeat(20)}`;
const hash = `0x${"0c".repeat(32)}`;

test.each([
  ["https://app.ens.domains/alice.eth", "alice.eth"],
  ["https://app.ens.domains/alice.eth?tab=records", "alice.eth"],
  ["https://app.ens.domains/name/sub.alice.eth/details", "sub.alice.eth"],
  ["https://app.ens.domains/%F0%9F%A6%8A.eth", "🦊.eth"],
  [`https://etherscan.io/address/${address}#code`, address],
  [`https://etherscan.io/tx/${hash}`, hash],
  ["https://etherscan.io/name-lookup-search?id=alice.eth", "alice.eth"],
  ["https://alice.eth.limo/blog", "alice.eth"],
  ["HTTPS://sub.alice.eth.link", "sub.alice.eth"],
])("the URL %s is searched as %s", (text, meant) => {
  expect(meantBy(text)).toBe(meant);
});

test.each([
  ["alice.eth/", "alice.eth"],
  ["alice//", "alice"],
  [" Alice.ETH ", "Alice.ETH"],
  [`" Alice.ETH "`, "Alice.ETH"],
  [" “https://alice.eth.limo/blog”\n", "alice.eth"],
  ["alice.eth", "alice.eth"],
  [address, address],
])("%s is searched as %s", (text, meant) => {
  expect(meantBy(text)).toBe(meant);
});

test.each(["https://example.com/%E0%A4%A", "https://example.com/", "two words"])(
  "%s names nothing and stays as it is",
  (text) => expect(meantBy(text)).toBe(text),
);
