import { keccak256, toHex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import {
  type EntryState,
  endedEntry,
  hasRegistrarRole,
  isUnderWay,
  newerNumber,
  receiverOf,
  startedEntry,
  storageIdOf,
  storageIdOfNumber,
} from "../../src/ens/ensv2.ts";

const labelhash = keccak256(toHex("alice"));
const ALICE = `0x${"a1".repeat(20)}` as const;
const held: EntryState = {
  tokenId: 3n,
  resource: 2n,
  owner: ALICE,
  expiry: 100n,
  subregistry: ALICE,
  resolver: ALICE,
  isRegistered: true,
};
const start = { tokenId: 4n, owner: ALICE, expiry: 200n };

test("an entry has one key, whichever of its numbers a log names", () => {
  const key = `${labelhash.slice(0, -8)}00000000`;
  expect(storageIdOf(labelhash)).toBe(key);
  for (const counter of [0n, 1n, 2n ** 32n - 1n])
    expect(storageIdOfNumber(((BigInt(labelhash) >> 32n) << 32n) | counter)).toBe(key);
  expect(storageIdOfNumber(0n)).toBe(`0x${"0".repeat(64)}`);
});

describe("a new entry", () => {
  test("has no subregistry or resolver until a log sets them", () => {
    expect(startedEntry(held, start)).toEqual({
      ...start,
      subregistry: null,
      resolver: null,
      resource: null,
      isRegistered: true,
    });
  });
  test("has no holder as a reservation, keeps its role key, and counts as registered if it ever was", () => {
    const reservation = { ...start, owner: null };
    expect(startedEntry(held, reservation)).toMatchObject({ owner: null, resource: 2n, isRegistered: true });
    expect(startedEntry(null, reservation)).toMatchObject({
      owner: null,
      resource: null,
      isRegistered: false,
    });
  });
  test("is under way until TokenResource, unless it is a reservation", () => {
    expect(isUnderWay(startedEntry(held, start))).toBe(true);
    expect(isUnderWay(held)).toBe(false);
    expect(isUnderWay(startedEntry(null, { ...start, owner: null }))).toBe(false);
  });
});

test("an entry that ends expires that second, and has no holder", () => {
  expect(endedEntry(7)).toEqual({ expiry: 7n, owner: null });
});

test("a number older than the known one changes nothing", () => {
  expect([newerNumber(null, 1n), newerNumber(1n, 2n), newerNumber(2n, 1n)]).toEqual([1n, 2n, 2n]);
});

test.each([
  ["a transfer", { to: ALICE, value: 1n }, ALICE],
  ["a transfer of nothing", { to: ALICE, value: 0n }, undefined],
  ["a burn", { to: zeroAddress, value: 1n }, undefined],
])("%s names the holder", (_, transfer, receiver) => {
  expect(receiverOf(transfer)).toBe(receiver);
});

test("a registrar has bit 0, whatever else it has", () => {
  expect([1n, 0x1_0001n, 0x1_0000n, 0n].map(hasRegistrarRole)).toEqual([true, true, false, false]);
});
