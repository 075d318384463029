import { describe, expect, test } from "vitest";
import { feedFile } from "../../src/api/features/explorer/pages/drops/feed.ts";
import { contentUri } from "../../src/api/features/explorer/pages/name/contenthash.ts";
import { appOf } from "../../src/api/features/explorer/parts/apps.ts";
import { toCell } from "../../src/api/features/explorer/parts/csv.ts";
import { TextOrLink } from "../../src/api/features/explorer/parts/link.tsx";
import { askedAs, inspect, listed } from "../../src/api/features/explorer/parts/name.tsx";
import { ListPager } from "../../src/api/features/explorer/parts/pager.tsx";
import { inEth, inTokens, weiInEth, withGroups } from "../../src/api/features/explorer/parts/price.ts";
import { premiumAfter } from "../../src/api/features/explorer/parts/state.tsx";
import { LongText, SHOWN_UNFOLDED, Text } from "../../src/api/features/explorer/parts/text.tsx";
import { inUtc } from "../../src/api/features/explorer/parts/time.tsx";
import type { Paged } from "../../src/api/features/explorer/replies.ts";
import {
  premiumAfter as attoUsdAfter,
  premiumOfEth,
  secondsUntil,
} from "../../src/api/names/rules/premium.ts";
import { nodeOfName } from "../../src/api/names/schemas/input.ts";
import { MAX_PAGE } from "../../src/api/server/http/deepPages.ts";

const htmlOf = (text: string) => String(Text({ children: text }));

describe("paging through a list", () => {
  const pagerOf = (list: Paged, first: number) =>
    String(
      ListPager({
        list,
        first,
        what: "names",
        urlOf: ({ page, cursor, from }) => `?page=${page}&cursor=${cursor}&from=${from}`,
      }),
    );
  const at = (page: number | undefined, next_cursor: string | null): Paged => ({
    total: MAX_PAGE * 25 + 30,
    page_size: 25,
    next_cursor,
    ...(page !== undefined && { page }),
  });

  test("continues by cursor beyond the last numbered page, and back by number", () => {
    expect(pagerOf(at(2, "abc"), 26)).toContain(
      'rel="next" href="?page=undefined&amp;cursor=abc&amp;from=51"',
    );
    expect(pagerOf(at(2, "abc"), 26)).toContain('rel="prev" href="?page=1&amp;cursor=undefined');
    expect(pagerOf(at(undefined, "abc"), MAX_PAGE * 25 + 1)).toContain('rel="next"');
    expect(pagerOf(at(undefined, "abc"), MAX_PAGE * 25 + 51)).toContain(
      `rel="prev" href="?page=${MAX_PAGE}&`,
    );
  });

  test("ends, and a list of one page has no paging", () => {
    expect(pagerOf(at(undefined, null), 51)).not.toContain('rel="next"');
    expect(pagerOf(at(1, null), 1)).toBe("");
  });
});

describe("a text written by a stranger", () => {
  test("is shown as text, even if it contains markup", () => {
    expect(htmlOf(`<img src=x onerror="alert(1)">&amp;`)).toBe(
      '<bdi class="theirs">&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;amp;</bdi>',
    );
  });

  test.each([
    ["a right-to-left override", "a\u202eb", "U+202E"],
    ["a space without width", "pay\u200bpal", "U+200B"],
    ["a byte order mark", "\ufeffalice", "U+FEFF"],
    ["NUL", "a\0b", "U+0000"],
    ["half of a character", "a\ud800", "U+D800"],
    ["a space that is no space", "a\u00a0b", "U+00A0"],
    ["a filler that looks like nothing", "a\u3164b", "U+3164"],
    ["a tag", "a\u{e0041}b", "U+E0041"],
    ["more marks on a letter than any language has", `a${"\u0301".repeat(20)}`, "and 12 more"],
  ])("names %s", (_, text, named) => {
    const html = htmlOf(text);
    expect(html).toContain(named);
    expect(html).not.toContain(text);
  });

  test.each(["an emoji 👩‍🚀 of several", "❤️", "1️⃣", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", "two\nlines", "naïve", "café", "日本語", "مرحبا"])(
    "leaves %s as it is",
    (text) => {
      expect(htmlOf(text)).toBe(`<bdi class="theirs">${text}</bdi>`);
    },
  );

  test("is cut if it is long, with a link to all of it", () => {
    const html = String(LongText({ text: "x".repeat(100_000), url: "domain/a.eth/records/text/b" }));
    expect(html.length).toBeLessThan(SHOWN_UNFOLDED + 1_000);
    expect(html).toContain("of 100,000 characters");
    expect(html).toContain('href="domain/a.eth/records/text/b"');
  });
});

describe("a link", () => {
  test("leads only to https, and shows its host", () => {
    const html = String(TextOrLink({ text: "https://alice.example/?a=1&b=2" }));
    expect(html).toContain('href="https://alice.example/?a=1&amp;b=2" rel="noopener nofollow ugc"');
    expect(html).toContain('<span class="host">alice.example</span>');
  });

  test.each([
    "javascript:alert(1)",
    "http://alice.example",
    "data:text/html,<script>alert(1)</script>",
    "https://user:secret@evil.example/",
    "https://alice.example\\@evil.example",
    "//evil.example",
    " https://alice.example and more",
    "https://",
  ])("%s is only text", (text) => {
    expect(String(TextOrLink({ text }))).not.toContain("<a ");
  });
});

describe("a name", () => {
  test("that is not normalised is linked by its node", () => {
    expect(askedAs("alice.eth")).toBe("alice.eth");
    expect(askedAs("Alice.eth")).toBe(`[namehash:${nodeOfName("Alice.eth").slice(2)}]`);
    expect(askedAs(`[${"ab".repeat(32)}].eth`)).toBe(`[${"ab".repeat(32)}].eth`);
  });

  test("carries a warning if it is not normalised, with the scripts of its letters", () => {
    expect(inspect("alice.eth")).toEqual({ problem: null, mixed: [], foreign: [] });
    expect(inspect("Alice.eth").problem).toContain("alice");
    expect(inspect("\u0430lice.eth")).toMatchObject({ mixed: ["Latin", "Cyrillic"] });
    expect(inspect("\u0430lice.eth").problem).not.toMatch(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    expect(inspect("привет.eth")).toEqual({ problem: null, mixed: [], foreign: ["Cyrillic"] });
    expect(inspect("\u202ealice.eth").problem).not.toBeNull();
  });

  test("is cut in the middle in lists", () => {
    expect(listed(`[${"ab".repeat(32)}].eth`)).toBe("[ababab…ababab].eth");
    expect(listed(`${"a".repeat(200)}.eth`)).toHaveLength(48);
  });
});

test("the premium equals the price oracle's", () => {
  expect(premiumAfter(0)).toBeCloseTo(99_999_952.32, 2);
  expect(premiumAfter(1)).toBeCloseTo(49_999_952.32, 2);
  expect(premiumAfter(20.5)).toBeCloseTo(19.75, 2);
  expect([premiumAfter(21), premiumAfter(22)]).toEqual([0, 0]);
});

test("a content address is a CID of version 1", () => {
  const hash = "0xe3010170122029f2d17be6139079dc48696d1f582a8530eb9805b561eda517e22a892c7e3f1f";
  expect(contentUri(hash)).toBe("ipfs://bafybeibj6lixxzqtsb45ysdjnupvqkufgdvzqbnvmhw2kf7cfkesy7r7d4");
  expect(contentUri("0x1234")).toBeNull();
});

test("an IPNS content address is a key, or the name of DNSLink in its place", () => {
  const ofText = (text: string, length = text.length) =>
    `0xe501017200${length.toString(16).padStart(2, "0")}${Buffer.from(text).toString("hex")}`;
  expect(contentUri("0xe5010172000f6170702e756e69737761702e6f7267")).toBe("ipns://app.uniswap.org");
  expect(contentUri(ofText("docs.Example-1.eth.limo"))).toBe("ipns://docs.Example-1.eth.limo");
  const key = `0xe501017200240801122${"0a1b2c3d".repeat(8)}`.padEnd(2 + 2 * 42, "0");
  for (const other of [
    key,
    ofText("nodot"),
    ofText("a.b", 9),
    ofText("a b.eth"),
    ofText("javascript:x.y"),
    ofText(""),
  ]) {
    expect(contentUri(other)).toMatch(/^ipns:\/\/bafz/);
  }
});

test("a cell is never a formula, even after characters that spreadsheets skip", () => {
  const signs = ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"];
  const before = [
    "",
    "\t",
    "\r",
    "\n",
    "\ufeff",
    " ",
    "\u00a0",
    "\u3000",
    "\u200b",
    "\0",
    "\u2028",
    "\ufeff \n",
  ];
  for (const text of before.flatMap((space) => signs.map((sign) => `${space}${sign}1+1`)))
    expect(toCell(text)).toBe(`"'${text}"`);
  for (const space of before.slice(1)) expect(toCell(`${space}a`)).toBe(`"'${space}a"`);
  for (const text of ["", "alice.eth", "1", "ä.eth", "0xab", "🦊.eth", "日本.eth"])
    expect(toCell(text)).toBe(`"${text}"`);
  expect(toCell("−1"), "a minus that spreadsheets read as one").toBe(`"'−1"`);
  expect(['=cmd|"x"', "+1", "-1", "@a", "a"].map(toCell)).toEqual([
    `"'=cmd|""x"""`,
    `"'+1"`,
    `"'-1"`,
    `"'@a"`,
    `"a"`,
  ]);
});

test("a time beyond JavaScript's range is not an error", () => {
  expect(inUtc(1_700_000_000)).toBe("2023-11-14 22:13 UTC");
  expect(inUtc(Number(2n ** 64n - 1n))).toBe("beyond any calendar");
});

test("a price has no meaningless digits", () => {
  expect(["0.006250000000000123", "0", "3", "0.015625"].map(inEth)).toEqual([
    "0.00625 ETH",
    "0 ETH",
    "3 ETH",
    "0.015625 ETH",
  ]);
});

test.each([
  ["5000000", "USDC", 6, "5 USDC"],
  ["5250000", "USDC", 6, "5.25 USDC"],
  ["1", "USDC", 6, "0 USDC"],
  [`1${"0".repeat(19)}`, "DAI", 18, "10 DAI"],
  ["7", null, null, "7 units of 0x12"],
])("%s of %s is %s", (amount, symbol, decimals, shown) => {
  expect(inTokens({ amount, symbol, decimals, token: "0x12" })).toBe(shown);
});

test("wei is shown rounded to its meaningful digits", () => {
  expect(
    ["3124999999999794420", "399999999999998000", "3170979000000", "0", "1948249843750000000000", "7"].map(
      weiInEth,
    ),
  ).toEqual([
    "3.125 ETH",
    "0.4 ETH",
    "0.00000317 ETH",
    "0 ETH",
    "1,948.2498 ETH",
    "0.000000000000000007 ETH",
  ]);
});

test("dollars have grouped digits, and cents below a thousand", () => {
  expect(["5.00", "999.99", "3117200.31"].map(withGroups)).toEqual(["$5.00", "$999.99", "$3,117,200"]);
});

test("the premium is at most a thousand dollars from the first second at which its curve says so", () => {
  const thousand = 1_000n * 10n ** 18n;
  const seconds = secondsUntil(premiumOfEth, thousand);
  expect(attoUsdAfter(premiumOfEth, seconds)).toBeLessThanOrEqual(thousand);
  expect(attoUsdAfter(premiumOfEth, seconds - 1n)).toBeGreaterThan(thousand);
  expect(Number(seconds) / 86_400).toBeCloseTo(16.54, 2);
});

test("a name is registered and renewed in the app of its network and chain", () => {
  const at = (domain: string, network: string | null, isRenewal: boolean, chain?: string) =>
    appOf({ domain, ...(chain !== undefined && { chain }) }, { network, isRenewal })?.url ?? null;
  expect([
    at("alice.eth", "mainnet", false),
    at("alice.eth", "mainnet", true),
    at("alice.eth", "sepolia", false),
    at("alice.base.eth", "mainnet", false, "base"),
    at("alice.linea.eth", "mainnet", true, "linea"),
    at("alice.eth", "devnet", false),
    at("alice.eth", null, false),
    at("\u6f22/..?x.eth", "mainnet", false),
  ]).toEqual([
    "https://app.ens.domains/alice.eth/register",
    "https://app.ens.domains/alice.eth",
    "https://sepolia.app.ens.domains/alice.eth/register",
    "https://www.base.org/name/alice",
    "https://names.linea.build/alice.linea.eth",
    null,
    null,
    "https://app.ens.domains/%E6%BC%A2%2F..%3Fx.eth/register",
  ]);
});

test("names in a feed are always text", async () => {
  const name = "<script>&\"'\u0000\ud800\u202e]]>";
  const entry = { id: "urn:x", title: name, text: name, updated: 0, path: "explore/name/x?a=1&b=2" };
  const text = await feedFile({ title: name, id: "urn:y", updated: 0, entries: [entry] }).text();
  expect(text).toContain("<title>&lt;script&gt;&amp;&quot;&apos;\ufffd\ufffd\ufffd]]&gt;</title>");
  expect(text).toContain('<link href="../explore/name/x?a=1&amp;b=2"/>');
  expect(["<script", "\0", "\u202e"].filter((part) => text.includes(part))).toEqual([]);
  expect(text.match(/<updated>1970-01-01T00:00:00\.000Z<\/updated>/g)).toHaveLength(2);
});
