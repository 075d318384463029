import fc from "fast-check";
import { bytesToHex, concat, type Hex, keccak256, namehash, stringToBytes, zeroHash } from "viem";
import { packetToBytes } from "viem/ens";
import { describe, expect, test } from "vitest";
import {
  ADDR_REVERSE_NODE,
  childNode,
  codePoints,
  decodeDnsName,
  ETH_NODE,
  fitsInBytes,
  hashOfTokenId,
  isPrintable,
  joinName,
  labelhash,
  MAX_NAME_BYTES,
  nameByNode,
  nodeOfLabels,
  nodeOfNameByNode,
  ROOT_NODE,
  unknownLabel,
} from "../../src/ens/name.ts";
import { wellKnownLabels } from "../../src/ens/wellKnownLabels.ts";

/** Stands for any node. */
const node = labelhash("node");

/** Labels of any script that a dotted name can show. */
const printable = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
  .filter((text) => isPrintable(text));

/** Labels as bytes that the wire format can carry. */
const rawLabel = fc.uint8Array({ minLength: 1, maxLength: 255 });

const packetOf = (labels: readonly Uint8Array[]): Hex =>
  concat([...labels.map((label) => bytesToHex(Uint8Array.from([label.length, ...label]))), "0x00"]);

describe("a node", () => {
  test("of known names equals the contracts' node", () => {
    expect(ROOT_NODE).toBe(zeroHash);
    expect(ETH_NODE).toBe("0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae");
    expect(ADDR_REVERSE_NODE).toBe("0x91d1777781884d03a6757a803996e38de2a42967fb37eeaca72729271025a9e2");
  });

  test("of any name is its namehash, built label by label", () => {
    fc.assert(
      fc.property(fc.array(printable, { maxLength: 6 }), (labels) => {
        const hashes = labels.map(labelhash);
        const byLabel = labels.reduceRight<Hex>(
          (parent, label) => childNode(parent, labelhash(label)),
          ROOT_NODE,
        );
        expect(nodeOfLabels(hashes)).toBe(byLabel);
        expect(byLabel).toBe(namehash(labels.join(".")));
      }),
    );
  });

  test("differs for a label in capitals: nothing is normalised", () => {
    expect(childNode(ETH_NODE, labelhash("Alice"))).not.toBe(childNode(ETH_NODE, labelhash("alice")));
  });
});

describe("a name written by its node", () => {
  test("gives its node, in any case of letters", () => {
    expect(nameByNode(ETH_NODE)).toBe(
      "[namehash:93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae]",
    );
    expect(nodeOfNameByNode(nameByNode(ETH_NODE))).toBe(ETH_NODE);
    expect(nodeOfNameByNode(nameByNode(ETH_NODE).toUpperCase())).toBe(ETH_NODE);
  });

  test.each([
    "",
    "alice.eth",
    unknownLabel(ETH_NODE),
    `sub.${nameByNode(ETH_NODE)}`,
    `${nameByNode(ETH_NODE)}.eth`,
    nameByNode(ETH_NODE).slice(0, -2),
    `[namehash:${"0".repeat(63)}]`,
  ])("is not %j", (name) => {
    expect(nodeOfNameByNode(name)).toBeNull();
  });
});

test.each(["", "abc", "ünï", "☃☃☃", "🎉🎉🎉"])("%j fits in exactly its number of bytes", (text) => {
  const bytes = stringToBytes(text).length;
  expect(fitsInBytes(text, bytes)).toBe(true);
  expect(fitsInBytes(`${text}a`, bytes)).toBe(false);
});

describe("a token id", () => {
  test("is the hash of 32 bytes, with its leading zeros", () => {
    expect(hashOfTokenId(0n)).toBe(zeroHash);
    expect(hashOfTokenId(255n)).toBe(`0x${"0".repeat(62)}ff`);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(hashOfTokenId(BigInt(bytesToHex(bytes)))).toBe(bytesToHex(bytes));
      }),
    );
  });
});

describe("a label", () => {
  test("is written as its hash in brackets if it is unknown", () => {
    expect(unknownLabel(labelhash("alice"))).toBe(
      "[9c0257114eb9399a2985f8e75dad7600c5d89fe3824ffa99ec1c3eb8bf3b0501]",
    );
  });

  test.each([
    ["alice", true],
    ["Ünnormal ☃", true],
    ["with space", true],
    ["_", true],
    ["", false],
    ["nul\0", false],
    ["dot.", false],
    ["[", false],
    ["]", false],
    [unknownLabel(zeroHash), false],
    ["a".repeat(255), true],
    ["a".repeat(256), false],
    ["☃".repeat(85), true],
    ["☃".repeat(86), false],
    ["🎉".repeat(63), true],
    ["🎉".repeat(64), false],
    ["a".repeat(30_000), false],
  ])("%j can be shown as its text: %s", (label, shown) => {
    expect(isPrintable(label)).toBe(shown);
  });

  test.each([
    ["", 0],
    ["abc", 3],
    ["ünï", 3],
    ["👨‍👩‍👧", 5],
    ["🎉🎉🎉", 3],
    ["e\u0301", 2],
  ])("%j has %i code points", (label, length) => {
    expect(codePoints(label)).toBe(length);
  });

  test("precedes its parent's name, and stands alone at the root", () => {
    expect(joinName(node, "alice", "eth")).toBe("alice.eth");
    expect(joinName(node, "eth", "")).toBe("eth");
  });

  test("that is too long for its name writes it, and all names below, by node", () => {
    const longest = "a".repeat(MAX_NAME_BYTES - "b.".length);
    expect(joinName(node, "b", longest)).toBe(`b.${longest}`);
    expect(joinName(node, "bc", longest)).toBe(nameByNode(node));
    expect(joinName(node, "☃", longest.slice(1))).toBe(nameByNode(node));
    expect(joinName(node, "b", nameByNode(ETH_NODE))).toBe(nameByNode(node));
    // A label can look like this only if it cannot be shown as its text.
    expect(isPrintable(nameByNode(node))).toBe(false);
  });

  test("that is well known is found by its hash", () => {
    for (const [hash, text] of wellKnownLabels) expect(labelhash(text)).toBe(hash);
    for (const text of ["eth", "reverse", "addr"]) expect(wellKnownLabels.get(labelhash(text))).toBe(text);
  });
});

describe("a name in DNS wire format", () => {
  test("is decoded label by label, whatever its bytes", () => {
    fc.assert(
      fc.property(fc.array(rawLabel, { maxLength: 6 }), (labels) => {
        const decoded = decodeDnsName(packetOf(labels));
        expect(decoded?.map(({ labelhash }) => labelhash)).toEqual(labels.map((label) => keccak256(label)));
      }),
    );
  });

  test("has its text if it is UTF-8, including a byte order mark", () => {
    fc.assert(
      fc.property(fc.array(printable, { minLength: 1, maxLength: 5 }), (labels) => {
        const decoded = decodeDnsName(packetOf(labels.map((label) => stringToBytes(label))));
        expect(decoded?.map(({ label }) => label)).toEqual(labels);
      }),
    );
    const marked = "\uFEFFabc";
    expect(decodeDnsName(packetOf([stringToBytes(marked)]))).toEqual([
      { label: marked, labelhash: labelhash(marked) },
    ]);
  });

  test("is decoded as viem encodes it", () => {
    const name = "sub.alice.eth";
    const decoded = decodeDnsName(bytesToHex(packetToBytes(name)));
    expect(decoded?.map(({ label }) => label).join(".")).toBe(name);
  });

  test("of bytes that are not UTF-8 has a text whose hash differs from its own", () => {
    const [label] = decodeDnsName("0x03fffefd00") ?? [];
    expect(label?.labelhash).toBe(keccak256("0xfffefd"));
    expect(labelhash(label?.label ?? "")).not.toBe(label?.labelhash);
  });

  test.each<[string, Hex]>([
    ["without its end", "0x03616263"],
    ["that ends within a label", "0x0461626300"],
    ["that goes on after its end", "0x0361626300036465660000"],
    ["with an empty label within", "0x036162630000"],
  ])("%s is no name", (_, packet) => {
    expect(decodeDnsName(packet)).toBeNull();
  });

  test("that is empty, or an end alone, is the root", () => {
    expect(decodeDnsName("0x")).toEqual([]);
    expect(decodeDnsName("0x00")).toEqual([]);
    expect(nodeOfLabels([])).toBe(ROOT_NODE);
  });

  test("is read wholly or not at all: encoding the result gives the same bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 600 }), (bytes) => {
        const decoded = decodeDnsName(bytesToHex(bytes));
        if (decoded === null) return;
        let offset = 0;
        for (const { labelhash } of decoded) {
          const length = bytes[offset] ?? 0;
          expect(keccak256(bytes.slice(offset + 1, offset + 1 + length))).toBe(labelhash);
          offset += 1 + length;
        }
        expect(bytes[offset]).toBe(0);
        expect(offset).toBe(bytes.length - 1);
      }),
    );
  });
});
