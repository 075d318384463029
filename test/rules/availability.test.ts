import { describe, expect, test } from "vitest";
import {
  availabilityAt,
  availabilityOf,
  expiryBounds,
  neverRegistered,
} from "../../src/api/rules/availability.ts";

const NOW = 1_800_000_000;
const DAY = 86_400n;
const now = BigInt(NOW);

describe("the state of a .eth name follows the contracts' bounds", () => {
  test.each([
    ["expiry in a second", now + 1n, "registered"],
    ["expiry now", now, "grace"],
    ["90 days ago", now - 90n * DAY, "grace"],
    ["90 days and a second ago", now - 90n * DAY - 1n, "premium"],
    ["a second short of 111 days ago", now - 111n * DAY + 1n, "premium"],
    ["111 days ago, when the premium reaches 0", now - 111n * DAY, "available"],
    ["expiry 0", 0n, "available"],
  ])("%s", (_, expiry, state) => {
    expect(availabilityAt(expiry, NOW)).toBe(state);
  });

  test("the bounds for SQL hold exactly the expiries of each state", () => {
    const near = [0n, 90n * DAY, 111n * DAY].flatMap((ago) =>
      [-2n, -1n, 0n, 1n, 2n].map((d) => now - ago + d),
    );
    for (const expiry of near) {
      for (const state of ["registered", "grace", "premium", "available"] as const) {
        const { from, to } = expiryBounds(state, NOW);
        const isWithin = (from === null || expiry >= from) && (to === null || expiry <= to);
        expect(isWithin, `${state} at ${expiry - now}`).toBe(availabilityAt(expiry, NOW) === state);
      }
    }
  });
});

describe("other names", () => {
  const subname = { isEthSecondLevel: false, expiry: null, labelLength: 3, hasOwner: true };

  test("are registered while they have an owner and no expiry, or one in the future", () => {
    expect(availabilityOf(subname, NOW)).toBe("registered");
    expect(availabilityOf({ ...subname, expiry: now + 1n }, NOW)).toBe("registered");
  });

  test("are unknown once expired, or without owner", () => {
    expect(availabilityOf({ ...subname, expiry: now }, NOW)).toBe("unknown");
    expect(availabilityOf({ ...subname, hasOwner: false }, NOW)).toBe("unknown");
  });

  test(".eth names that nobody registered are available from three code points on", () => {
    expect(neverRegistered(3)).toBe("available");
    expect(neverRegistered(2)).toBe("unknown");
    expect(neverRegistered(null)).toBe("unknown");
  });
});
