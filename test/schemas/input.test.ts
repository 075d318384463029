import { ens_normalize } from "@adraffy/ens-normalize";
import fc from "fast-check";
import { keccak256, namehash, stringToBytes } from "viem";
import { describe, expect, test } from "vitest";
import { ancestorNodes, isEthSecondLevel, parseName } from "../../src/api/names/schemas/input.ts";
import { ApiError } from "../../src/api/server/errors/errors.ts";

const fault = (name: string): ApiError => {
  try {
    parseName(name);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`${name} was accepted`);
};

test("the ancestors of a name are those of its labels, nearest first, without the root", () => {
  expect(ancestorNodes("eth")).toEqual([]);
  expect(ancestorNodes("a.b.alice.eth")).toEqual(
    ["b.alice.eth", "alice.eth", "eth"].map((name) => namehash(name)),
  );
  const long = Array.from({ length: 501 }, (_, i) => (i % 10).toString()).join(".");
  const nodes = ancestorNodes(long);
  expect(nodes).toHaveLength(500);
  expect(nodes[0]).toBe(namehash(long.slice(2)));
  expect(nodes[499]).toBe(namehash("0"));
});

test("a name given by its node is that node, and nothing else is known of it", () => {
  const node = namehash("alice.eth");
  const name = `[namehash:${node.slice(2)}]`;
  const known = { name, label: name, labelhash: null, labelLength: null, parentNode: null };
  for (const query of [name, name.toUpperCase()]) expect(parseName(query)).toEqual({ query, node, ...known });
  expect(ancestorNodes(name)).toEqual([]);
  expect(isEthSecondLevel(parseName(name))).toBe(false);
  for (const wrong of [`sub.${name}`, `${name}.eth`, `[namehash:${"0".repeat(63)}]`]) {
    expect(() => parseName(wrong)).toThrow("cannot be normalised");
  }
});

/** Every text of these letters with one to this many of them. */
const textsOf = (letters: readonly string[], longest: number): string[] =>
  longest === 0
    ? []
    : [...letters, ...textsOf(letters, longest - 1).flatMap((text) => letters.map((one) => text + one))];

test("labels of letters, digits and hyphens are those that ENSIP-15 takes", () => {
  const labels = [...new Set(textsOf(["a", "0", "-"], 5))];
  expect(labels).toHaveLength(3 + 9 + 27 + 81 + 243);
  const taken = (read: () => unknown): boolean => {
    try {
      read();
      return true;
    } catch {
      return false;
    }
  };
  const differing = labels.filter(
    (label) => taken(() => ens_normalize(label)) !== taken(() => parseName(`${label}.eth`)),
  );
  expect(differing).toEqual([]);
  expect(labels.filter((label) => !taken(() => ens_normalize(label))).length).toBeGreaterThan(9);
});

describe("a requested name", () => {
  test("is normalised by ENSIP-15 and echoed as it came", () => {
    expect(parseName("ViTaLiK.eth")).toMatchObject({
      query: "ViTaLiK.eth",
      name: "vitalik.eth",
      label: "vitalik",
    });
    expect(parseName("🏴‍☠️.eth").name).toBe("🏴‍☠.eth");
  });

  test.each(["alice.eth", "eth", "a.b.c.alice.eth", "xn--ls8h.eth".slice(4), "日本.eth"])(
    "has the hashes of %s",
    (name) => {
      const parsed = parseName(name);
      expect(parsed.node).toBe(namehash(parsed.name));
      expect(parsed.labelhash).toBe(keccak256(stringToBytes(parsed.label)));
      expect(parsed.parentNode).toBe(namehash(parsed.name.split(".").slice(1).join(".")));
    },
  );

  test("may give a label by its hash, in any case", () => {
    const hash = keccak256(stringToBytes("alice"));
    const parsed = parseName(`[${hash.slice(2).toUpperCase()}].eth`);
    expect(parsed.node).toBe(namehash("alice.eth"));
    expect(parsed.labelLength).toBeNull();
  });

  test("counts its label in code points", () => {
    expect(parseName("日本.eth").labelLength).toBe(2);
    expect(parseName("𝒶bc.eth").labelLength).toBe(3);
  });

  test("is right under .eth or not", () => {
    expect(isEthSecondLevel(parseName("alice.eth"))).toBe(true);
    expect(isEthSecondLevel(parseName("pay.alice.eth"))).toBe(false);
    expect(isEthSecondLevel(parseName("eth"))).toBe(false);
  });

  test.each([
    ["nothing", ""],
    ["an empty label", "alice..eth"],
    ["a dot at the end", "alice.eth."],
    ["a dot alone", "."],
    ["a space", "al ice.eth"],
    ["NUL", "al\0ice.eth"],
    ["a right-to-left mark", "al\u202eice.eth"],
    ["a mixture of scripts", "аlice.eth"],
    ["an underscore in the middle", "al_ice.eth"],
    ["half a surrogate pair", "al\ud800ice.eth"],
    ["another stop", "alice。eth"],
    ["brackets without a hash", "[abc].eth"],
    ["a label of 256 bytes", `${"a".repeat(256)}.eth`],
    ["more than 1,024 bytes", `${"abcdefg.".repeat(130)}eth`],
    ["10 KB", `${"a".repeat(10_240)}.eth`],
  ])("is refused with %s", (_, name) => {
    const error = fault(name);
    expect(error.code).toBe("INVALID_NAME");
    expect(error.message).toMatch(/^(The name|A label of the name) .+\.$/);
  });

  test("takes labels of 255 bytes and names of 1,024", () => {
    expect(parseName(`${"a".repeat(255)}.eth`).label).toHaveLength(255);
    const name = `${"abcdefg.".repeat(127)}abcd.eth`;
    expect(name).toHaveLength(1_024);
    expect(parseName(name).name).toBe(name);
  });

  test("is either parsed or refused with INVALID_NAME, for any input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        try {
          const parsed = parseName(text);
          expect(parsed.node).toBe(parseName(parsed.name).node);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
