import { getAddress } from "viem";
import { describe, expect, test } from "vitest";
import { type NameOwners, powersOfParent } from "../../src/api/names/rules/powers.ts";

// What random histories showed, judged by calls; here without a chain.

const NOW = 1_800_000_000;
const DAY = 86_400;
const PARENT_CANNOT_CONTROL = 65_536;
const HOLDER = getAddress(`0x${"a1".repeat(20)}`);
const OTHER = getAddress(`0x${"b2".repeat(20)}`);
const WRAPPER = getAddress(`0x${"c3".repeat(20)}`);

const wrapped = (more: Partial<NameOwners> = {}): NameOwners => ({
  registryOwner: WRAPPER,
  registrarOwner: null,
  wrapperOwner: HOLDER,
  isWrapped: true,
  wrapperFuses: 0,
  wrapperExpiryTimestamp: BigInt(NOW + 30 * DAY),
  isMigrated: true,
  registrarExpiryTimestamp: null,
  ...more,
});

/** Its token is left over: another account has the name in the registry. */
const parent = wrapped({ registryOwner: OTHER, isWrapped: false });

const mayBy = (name: NameOwners, wrapperActs: boolean) =>
  powersOfParent(name, parent, { now: NOW, wrapperActs }).find(({ layer }) => layer === "wrapper")?.may;

describe("the holder of a token that is left over above a name", () => {
  test("replaces a wrapped name though the registry does not let the NameWrapper act", () => {
    expect(mayBy(wrapped(), false)).toEqual(["extend_expiry", "replace"]);
  });

  test("does not where the parent's control was given up", () => {
    expect(mayBy(wrapped({ wrapperFuses: PARENT_CANNOT_CONTROL }), false)).not.toContain("replace");
  });

  test("replaces a name that is not wrapped only while the registry lets the NameWrapper act", () => {
    const plain = wrapped({
      registryOwner: OTHER,
      wrapperOwner: null,
      isWrapped: false,
      wrapperExpiryTimestamp: null,
    });
    expect(mayBy(plain, false) ?? []).toEqual([]);
    expect(mayBy(plain, true)).toContain("replace");
  });
});
