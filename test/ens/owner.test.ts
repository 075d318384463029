import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { effectiveOwner, isWrapped, type OwnershipReason } from "../../src/ens/owner.ts";

const WRAPPER = "0x00000000000000000000000000000000000000aa";
const ALICE = "0x00000000000000000000000000000000000000a1";
const BOB = "0x00000000000000000000000000000000000000b0";
const CAROL = "0x00000000000000000000000000000000000000ca";

type Layer = Address | null;

describe("whether a name is wrapped", () => {
  const cases: [string, Layer, Layer, Layer, isEth: boolean, wrapped: boolean][] = [
    ["if wrapper, registrar and registry agree", WRAPPER, WRAPPER, ALICE, true, true],
    ["not without an owner of the token", WRAPPER, WRAPPER, null, true, false],
    ["not if the registry was taken back", BOB, WRAPPER, ALICE, true, false],
    ["not if it was registered again by another", WRAPPER, BOB, ALICE, true, false],
    ["not if the registrar's token was burnt", WRAPPER, null, ALICE, true, false],
    ["a subname: whatever the registrar has", WRAPPER, null, ALICE, false, true],
    ["a subname: not if its parent took it back", BOB, null, ALICE, false, false],
    ["a subname: not if it was deleted", null, null, ALICE, false, false],
  ];

  test.each(cases)("%s", (_, registryOwner, registrarOwner, wrapperOwner, isEth, wrapped) => {
    expect(isWrapped({ registryOwner, registrarOwner, wrapperOwner }, WRAPPER, isEth)).toBe(wrapped);
  });

  test("never, without a wrapper", () => {
    const owners = { registryOwner: WRAPPER, registrarOwner: WRAPPER, wrapperOwner: ALICE } as const;
    expect(isWrapped(owners, undefined, true)).toBe(false);
  });
});

describe("the owner of a name", () => {
  const cases: [string, Layer, Layer, Layer, boolean, [Address, OwnershipReason] | null][] = [
    ["is the wrapper's if it is wrapped", WRAPPER, WRAPPER, ALICE, true, [ALICE, "wrapper"]],
    ["is the registrar's if it is not", CAROL, BOB, ALICE, false, [BOB, "registrar"]],
    ["is the registry's if there is no registrar's", CAROL, null, ALICE, false, [CAROL, "registry"]],
    ["is the registrar's though the record was given up", null, BOB, null, false, [BOB, "registrar"]],
    ["is none if no layer has one", null, null, null, false, null],
    ["is not one whom the wrapper only remembers", null, null, ALICE, false, null],
  ];

  test.each(cases)("%s", (_, registryOwner, registrarOwner, wrapperOwner, wrapped, expected) => {
    const owner = effectiveOwner({ registryOwner, registrarOwner, wrapperOwner, isWrapped: wrapped });
    expect(owner && [owner.address, owner.reason]).toEqual(expected);
  });
});
