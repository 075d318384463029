import { describe, expect, test } from "vitest";
import { availabilityOf, neverRegistered } from "../../src/api/names/rules/availability.ts";
import { ETH_NODE } from "../../src/ens/name.ts";
import { PARENT_CANNOT_CONTROL } from "../../src/ens/wrapper.ts";
import { account, CHAIN_ID } from "../query/rows.ts";

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
  ])("%s", (_, expiryTimestamp, state) => {
    const name = {
      chainId: CHAIN_ID,
      parentNode: ETH_NODE,
      expiryTimestamp,
      labelLength: null,
      effectiveOwnerAddress: null,
    };
    expect(availabilityOf(name, NOW)).toBe(state);
  });
});

describe("other names", () => {
  const subname = {
    chainId: CHAIN_ID,
    parentNode: account(1),
    expiryTimestamp: null,
    labelLength: 3,
    effectiveOwnerAddress: account(2),
  };

  test("are registered while they have an owner and no expiry, or one in the future", () => {
    expect(availabilityOf(subname, NOW)).toBe("registered");
    expect(availabilityOf({ ...subname, expiryTimestamp: now + 1n }, NOW)).toBe("registered");
  });

  test("are unknown once expired, or without owner", () => {
    const emancipated = { ...subname, isWrapped: true, wrapperFuses: PARENT_CANNOT_CONTROL };
    // `getData` takes the owner away once block.timestamp is past the expiry.
    expect(availabilityOf({ ...emancipated, expiryTimestamp: now }, NOW)).toBe("registered");
    expect(availabilityOf({ ...emancipated, expiryTimestamp: now - 1n }, NOW)).toBe("unknown");
    expect(availabilityOf({ ...subname, effectiveOwnerAddress: null }, NOW)).toBe("unknown");
  });

  test(".eth names that were never registered are available from three code points on", () => {
    expect(neverRegistered(3)).toBe("available");
    expect(neverRegistered(2)).toBe("unknown");
    expect(neverRegistered(null)).toBe("unknown");
  });
});
