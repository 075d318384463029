import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fusesAt, GRACE_PERIOD, isExpired, isLapsed, mintedToken } from "../../src/ens/wrapper.ts";

const CANNOT_UNWRAP = 1;
const PARENT_CANNOT_CONTROL = 0x1_0000;
const IS_DOT_ETH = 0x2_0000;
const HIGHEST = 0x8000_0000;
const NOW = 1_800_000_000n;

const token = (wrapperFuses: number, wrapperExpiryTimestamp: bigint) => ({
  wrapperFuses,
  wrapperExpiryTimestamp,
});
const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test("the grace period is 90 days", () => {
  expect(GRACE_PERIOD).toBe(7_776_000n);
});

describe("a token of the wrapper", () => {
  test.each<[string, bigint, boolean]>([
    ["a second before its expiry is in force", NOW + 1n, false],
    ["at its expiry is in force", NOW, false],
    ["a second after it is expired", NOW - 1n, true],
    ["without an expiry is expired", 0n, true],
  ])("%s", (_, expiry, expired) => {
    expect(isExpired(token(PARENT_CANNOT_CONTROL, expiry), NOW)).toBe(expired);
    expect(isLapsed(token(PARENT_CANNOT_CONTROL, expiry), NOW)).toBe(expired);
    expect(fusesAt(token(HIGHEST | 0, expiry), NOW)).toBe(expired ? 0 : HIGHEST | 0);
  });

  test("keeps its owner after its expiry unless its parent had given up control", () => {
    expect(isLapsed(token(CANNOT_UNWRAP, NOW - 1n), NOW)).toBe(false);
    expect(isLapsed(token(HIGHEST + PARENT_CANNOT_CONTROL, NOW - 1n), NOW)).toBe(true);
  });
});

describe("a minted token", () => {
  test("is as requested, if there was none before", () => {
    expect(mintedToken(null, token(3, 5n), NOW)).toEqual(token(3, 5n));
  });

  const old = PARENT_CANNOT_CONTROL + IS_DOT_ETH + CANNOT_UNWRAP;
  test.each<[string, bigint, bigint, number, bigint]>([
    ["keeps parent-controlled fuses while the old expiry lasts", NOW, 5n, 0x3_0004, NOW],
    ["keeps none once it is past, but the later expiry", NOW - 1n, 5n, 4, NOW - 1n],
    ["takes the later expiry of the two", NOW, NOW + 5n, 0x3_0004, NOW + 5n],
  ])("%s", (_, oldExpiry, expiry, fuses, stored) => {
    expect(mintedToken(token(old, oldExpiry), token(4, expiry), NOW)).toEqual(token(fuses, stored));
  });

  test("never loses requested fuses or time, and never keeps owner-controlled fuses", () => {
    fc.assert(
      fc.property(uint32, uint64, uint32, uint64, uint64, (oldFuses, oldExpiry, fuses, expiry, now) => {
        const minted = mintedToken(token(oldFuses, oldExpiry), token(fuses, expiry), now);
        expect(minted.wrapperFuses).toBeGreaterThanOrEqual(0);
        expect(minted.wrapperFuses).toBeLessThanOrEqual(0xffff_ffff);
        expect((BigInt(minted.wrapperFuses) & BigInt(fuses)) === BigInt(fuses)).toBe(true);
        const added = BigInt(minted.wrapperFuses) & ~BigInt(fuses);
        expect(added & 0xffffn).toBe(0n);
        expect(added & ~BigInt(oldFuses)).toBe(0n);
        expect([oldExpiry, expiry]).toContain(minted.wrapperExpiryTimestamp);
        expect(minted.wrapperExpiryTimestamp >= oldExpiry && minted.wrapperExpiryTimestamp >= expiry).toBe(
          true,
        );
      }),
    );
  });
});
