import fc from "fast-check";
import { concat, encodeAbiParameters, type Hex, numberToHex, stringToHex } from "viem";
import { describe, expect, test } from "vitest";
import { AbiError, readAbi, type Shape } from "../../src/api/names/live/liveAbi.ts";
import { textOfBytes } from "../../src/ens/utf8.ts";

/** A batch of look-ups, as the contracts encode it. */
const requests = [
  {
    type: "tuple[]",
    components: [{ type: "bytes32" }, { type: "bytes[]" }, { type: "bytes" }],
  },
] as const;
const shapeOfRequests = [
  {
    list: { struct: ["word", { list: "bytes", most: 1_000 }, "bytes"] },
    most: 1_000,
  },
] as const satisfies Shape[];

const hex = (least: number, most: number) =>
  fc
    .uint8Array({ minLength: least, maxLength: most })
    .map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`);

const word = (number: number): Hex => numberToHex(number, { size: 32 });

/** All hexadecimal digits of a value, however deep. */
const digitsIn = (value: unknown): number =>
  Array.isArray(value) ? value.reduce((sum, one) => sum + digitsIn(one), 0) : String(value).length - 2;

const refusal = (shapes: readonly Shape[], data: Hex): string | null => {
  try {
    readAbi(shapes, data);
    return null;
  } catch (error) {
    if (error instanceof AbiError) return error.message;
    throw error;
  }
};

describe("ABI data", () => {
  test("with any values is read as it was encoded", () => {
    const request = fc.tuple(hex(32, 32), fc.array(hex(0, 70), { maxLength: 4 }), hex(0, 100));
    fc.assert(
      fc.property(fc.array(request, { maxLength: 6 }), (all) => {
        const data = encodeAbiParameters(requests, [all]);
        expect(readAbi(shapeOfRequests, data)).toEqual([all]);
        expect(readAbi(shapeOfRequests, concat(["0x11223344", data]), 4)).toEqual([all]);
      }),
    );
  });

  test("may have structs of words in its lists, without offsets", () => {
    const parameters = [{ type: "tuple[]", components: [{ type: "uint256" }, { type: "bool" }] }] as const;
    const data = encodeAbiParameters(parameters, [[[7n, true]]]);
    expect(readAbi([{ list: { struct: ["word", "word"] }, most: 1 }], data)).toEqual([[[word(7), word(1)]]]);
  });

  test("ends at its last byte, without padding", () => {
    expect(readAbi(["bytes"], concat([word(32), word(3), "0x010203"]))).toEqual(["0x010203"]);
  });

  test("as text is UTF-8, with U+FFFD for anything else", () => {
    expect(textOfBytes(stringToHex("né👍"))).toBe("né👍");
    expect(textOfBytes("0x61ff")).toBe("a\ufffd");
    expect(textOfBytes("0xefbbbf61")).toBe("\ufeffa");
  });
});

describe("hostile ABI data", () => {
  const list = [{ list: "bytes", most: 1_000 }] as const;

  test.each<[what: string, data: Hex, because: string]>([
    ["nothing", "0x", "ends too early"],
    ["an offset beyond the end", word(1_000), "ends too early"],
    ["an offset of 2²⁵⁶−1", `0x${"ff".repeat(32)}`, "beyond the end"],
    ["a length beyond the end", concat([word(32), word(1_000)]), "ends too early"],
    ["a length of 2³²−1", concat([word(32), word(2 ** 32 - 1)]), "more than 1000 values"],
    ["a length of 2²⁵⁶−1", concat([word(32), `0x${"ff".repeat(32)}`]), "beyond the end"],
    ["a list that holds itself", concat([word(32), word(3), word(0), word(0), word(0)]), "overlap"],
    ["an offset at itself", concat([word(0), word(0)]), ""],
    [
      "many offsets at one value",
      concat([word(32), word(9), ...Array<Hex>(9).fill(word(9 * 32)), word(64), `0x${"ab".repeat(64)}`]),
      "overlap",
    ],
  ])("%s is refused", (_, data, because) => {
    expect(refusal(list, data) ?? "").toContain(because);
  });

  test("decodes to no more than came in, whatever it is", () => {
    const words = fc.array(
      fc.oneof(
        fc.integer({ min: 0, max: 24 }).map((number) => word(number * 32)),
        fc.integer({ min: 0, max: 8 }).map(word),
        hex(32, 32),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(words, (all) => {
        const data = concat(["0x", ...all]);
        if (refusal(shapeOfRequests, data) !== null) return;
        expect(digitsIn(readAbi(shapeOfRequests, data))).toBeLessThanOrEqual(data.length - 2);
      }),
      { numRuns: 5_000 },
    );
  });
});
