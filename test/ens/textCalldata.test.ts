import fc from "fast-check";
import { concat, encodeFunctionData, type Hex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { labelhash } from "../../src/ens/name.ts";
import { textWritesIn, textWritesOf } from "../../src/ens/textCalldata.ts";

const abi = parseAbi([
  "function setText(bytes32 node, string key, string value)",
  "function setAddr(bytes32 node, address a)",
  "function multicall(bytes[] data) returns (bytes[] results)",
  "function multicallWithNodeCheck(bytes32 node, bytes[] data) returns (bytes[] results)",
]);

type Write = { node: Hex; key: string; value: string };

const node = labelhash("a node");
const setText = ({ node, key, value }: Write): Hex =>
  encodeFunctionData({ abi, functionName: "setText", args: [node, key, value] });
const multicall = (data: Hex[]): Hex => encodeFunctionData({ abi, functionName: "multicall", args: [data] });
const checked = (data: Hex[]): Hex =>
  encodeFunctionData({ abi, functionName: "multicallWithNodeCheck", args: [node, data] });
const setAddr = encodeFunctionData({
  abi,
  functionName: "setAddr",
  args: [node, "0x00000000000000000000000000000000000000a1"],
});

const write = (key: string, value: string): Write => ({ node, key, value });

describe("texts in calldata", () => {
  test("are found in a single call", () => {
    expect(textWritesOf(setText(write("url", "https://a.example")))).toEqual([
      write("url", "https://a.example"),
    ]);
  });

  test("are found in multicalls, in order, among other calls", () => {
    const calls = [setText(write("url", "1")), setAddr, setText(write("url", "2"))];
    for (const call of [multicall(calls), checked(calls)]) {
      expect(textWritesOf(call)).toEqual([write("url", "1"), write("url", "2")]);
    }
  });

  test("are found in nested multicalls", () => {
    const inner = multicall([setText(write("a", "1")), checked([setText(write("b", "2"))])]);
    expect(textWritesOf(multicall([inner, setText(write("c", "3"))]))).toEqual([
      write("a", "1"),
      write("b", "2"),
      write("c", "3"),
    ]);
  });

  test("are returned as written, whatever they contain", () => {
    const text = fc.string({ unit: "binary", maxLength: 40 });
    const marked = [
      write("\uFEFFkey", "\uFEFFvalue"),
      write("key", "value"),
      write("\uFEFF", "\uFEFF\uFEFF"),
    ];
    expect(textWritesOf(multicall(marked.map(setText)))).toEqual(marked);
    fc.assert(
      fc.property(fc.array(fc.record({ key: text, value: text }), { maxLength: 5 }), (texts) => {
        const writes = texts.map(({ key, value }) => write(key, value));
        expect(textWritesOf(multicall(writes.map(setText)))).toEqual(writes);
      }),
    );
  });

  test.each<[string, Hex]>([
    ["nothing", "0x"],
    ["another call", setAddr],
    ["a selector alone", "0x10f13a8c"],
    ["a call that is cut off", setText(write("url", "v")).slice(0, 200) as Hex],
    ["bytes of all kinds", concat(["0xac9650d8", labelhash("x"), labelhash("y")])],
  ])("are none in %s", (_, input) => {
    expect(textWritesOf(input)).toEqual([]);
  });

  test("are decoded once for all logs of a transaction", () => {
    const [first, second] = [write("url", "1"), write("url", "2")];
    const transaction = { hash: labelhash("one"), input: setText(first) };
    const found = textWritesIn(transaction);
    expect(found).toEqual([first]);
    expect(textWritesIn({ ...transaction })).toBe(found);
    expect(textWritesIn({ hash: labelhash("two"), input: setText(second) })).toEqual([second]);
    expect(textWritesIn(transaction)).toEqual([first]);
  });

  test("are not found in random bytes, which never cause an error", () => {
    const selectors = ["0x10f13a8c", "0xac9650d8", "0xe32954eb"] as const;
    fc.assert(
      fc.property(fc.constantFrom(...selectors), fc.uint8Array({ maxLength: 300 }), (selector, rest) => {
        const input: Hex = `${selector}${Buffer.from(rest).toString("hex")}`;
        expect(Array.isArray(textWritesOf(input))).toBe(true);
      }),
    );
  });
});
