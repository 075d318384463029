import { describe, expect, test } from "vitest";
import { isMigratable, protocolOf } from "../../src/api/names/rules/ensv2Protocol.ts";

describe("which system answers for a name", () => {
  const none = { entry: null, isBelowRegistered: false, wasRegistered: false, isLeftToEnsv1: false };
  const registered = { isRegistered: true };
  const reserved = { isRegistered: false };
  test.each([
    ["nothing in ENSv2", none, "ensv1"],
    ["a reservation", { ...none, entry: reserved }, "ensv1"],
    ["a registration, now or before", { ...none, entry: registered }, "ensv2"],
    ["an entry that hangs there no more", { ...none, wasRegistered: true }, "ensv2"],
    ["nothing, below a registered name", { ...none, isBelowRegistered: true }, "ensv2"],
    ["a reservation below a registered name", { ...none, entry: reserved, isBelowRegistered: true }, "ensv2"],
    [
      "not migrated yet, in a wrapper registry",
      { ...none, isBelowRegistered: true, isLeftToEnsv1: true },
      "ensv1",
    ],
    ["migrated, in a wrapper registry", { ...none, entry: registered, isLeftToEnsv1: true }, "ensv2"],
  ])("%s", (_, way, protocol) => {
    expect(protocolOf(way)).toBe(protocol);
  });
});

describe("a wrapper registry leaves a name to ENSv1", () => {
  const NOW = 1_800_000_000;
  const name = { registryOwner: "0x1", wrapperFuses: 65_536, wrapperExpiryTimestamp: BigInt(NOW) };
  test.each([
    ["that its parent gave up, until its token expires", name, true],
    ["not one second later", { ...name, wrapperExpiryTimestamp: BigInt(NOW - 1) }, false],
    ["not one that its parent controls", { ...name, wrapperFuses: 1 }, false],
    ["not one right under eth", { ...name, wrapperFuses: 65_536 | 131_072 }, false],
    ["not one that the registry knows no more", { ...name, registryOwner: null }, false],
    ["not one that was never wrapped", { ...name, wrapperExpiryTimestamp: null, wrapperFuses: null }, false],
  ])("%s", (_, of, isLeft) => {
    expect(isMigratable(of, NOW)).toBe(isLeft);
  });

  test("not one that does not exist", () => {
    expect(isMigratable(undefined, NOW)).toBe(false);
  });
});
