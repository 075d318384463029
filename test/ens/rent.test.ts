import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { knownDeployments, priceFeedOf } from "../../abis/deployments.ts";
import { type PriceFeed, phasesAt } from "../../abis/priceFeed.ts";
import { oracleLength, rentInWei } from "../../src/ens/rent.ts";

const feed = priceFeedOf(knownDeployments.mainnet()) as PriceFeed;
const rents = feed.rents.map(BigInt);

const [, header = "", ...lines] = readFileSync(new URL("./prices.csv", import.meta.url), "utf8")
  .trim()
  .split("\n");
const rows = lines.map((line) =>
  Object.fromEntries(line.split(",").map((value, i) => [header.split(",")[i] ?? "", value])),
);

describe("the price of a registration or renewal on mainnet", () => {
  test.each(rows)("$block $log_index $label: $kind by controller $generation", (row) => {
    const length = oracleLength(Buffer.from(row.label ?? ""));
    expect(length).toBe(Number(row.length));
    const price = rentInWei(rents, { length, seconds: BigInt(row.seconds ?? "") }, BigInt(row.answer ?? ""));
    expect(String(price)).toBe(row.paid);
  });

  test("of two renewals matches what their transactions also say", () => {
    const sumOf = (part: (row: (typeof rows)[number]) => boolean) =>
      rows.filter(part).reduce((sum, { paid = "" }) => sum + BigInt(paid), 0n);
    const hash = "0x6162687e58d0df792ae72c46c75b658cc9a4db4a7a897710e534ed16c2eef6dc";
    expect(sumOf(({ transaction_hash }) => transaction_hash === hash)).toBe(3_029_134_647_177_018n);
    expect(rows).toHaveLength(55);
    expect(rows.filter(({ logged, paid }) => logged !== paid).length).toBeGreaterThan(10);
  });

  test("is rounded down once, and is zero for two characters or fewer", () => {
    expect(rentInWei([1n], { length: 1, seconds: 3n }, 200_000_000n)).toBe(1n);
    for (const length of [0, 1, 2]) expect(rentInWei(rents, { length, seconds: 10n ** 9n }, 1n)).toBe(0n);
  });
});

describe("the length of a label for the oracle", () => {
  test.each([
    ["", 0],
    ["é", 1],
    ["♥♥♥", 3],
    ["0⃣9⃣0⃣0⃣", 8],
    ["🦄", 1],
    ["\u{FEFF}a", 2],
  ])("of %j is %i", (label, length) => expect(oracleLength(Buffer.from(label))).toBe(length));

  test.each([
    ["six lead bytes of two", Array(6).fill(0xc3), 3],
    ["a continuation byte", [0x80, 0x61, 0x61], 2],
    ["lead bytes of four, five and six", [0xf0, 1, 1, 1, 0xf8, 1, 1, 1, 1, 0xfc, 1, 1, 1, 1, 1], 3],
    ["a character that is cut off", [0x61, 0xff], 2],
  ])("that is not UTF-8 counts lead bytes: %s", (_, bytes: number[], length) =>
    expect(oracleLength(Uint8Array.from(bytes))).toBe(length),
  );
});

describe("the phase of mainnet's feed", () => {
  const phases = (block: number) => phasesAt(feed, block).map(({ phase }) => phase);

  test.each([
    [16_925_618, [5]],
    [17_212_057, [5]],
    [17_212_058, [5, 6]],
    [17_219_172, [5, 6]],
    [17_219_173, [6]],
    [18_000_014, [6]],
    [20_816_703, [6]],
    [20_816_704, [6, 7]],
    [20_823_767, [7]],
    [26_072_207, [7]],
    [90_000_000, [7]],
  ])("at block %i is %j", (block, expected) => expect(phases(block)).toEqual(expected));

  test("has answers before the first price that needs them", () => {
    for (const { phase, after } of feed.phases) {
      const entry = knownDeployments
        .mainnet()
        .contracts.find(({ role, generation }) => role === "price-feed" && generation === phase);
      expect(entry?.startBlock).toBeLessThanOrEqual(after + 1);
    }
  });
});
