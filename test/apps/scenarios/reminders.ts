import { expect } from "vitest";
import { DAY, GRACE, GRACE_V2 } from "../../../devnet/acts.ts";
import { screen, stage, story } from "../frame.ts";
import type { OnChain } from "../oracle.ts";
import { pages } from "../screens.ts";
import { expectRows, type Item, isRightUnderEth } from "./rows.ts";

/* The worker that reminds holders of names right under `.eth`, once an hour. */

const HOUR = 3_600n;

/**
 * Hours of expiry that get a reminder now: 30, 7 and 1 days before the expiry, at the expiry, 7 and 1 days before the end of the
 * grace, and at that end; for leases with 90 and with 28 days of grace.
 */
function windowsAt(now: bigint): [from: bigint, to: bigint][] {
  const before = [30n * DAY, 7n * DAY, DAY, 0n].map((ahead) => now + ahead);
  const after = [GRACE, GRACE_V2].flatMap((grace) => [7n * DAY, DAY, 0n].map((ahead) => now - grace + ahead));
  return [...before, ...after].map((at) => [at, at + HOUR - 1n]);
}

/** By a lease of ENSv1, or an expiry in ENSv2. A window includes both of its ends. */
const endsIn =
  (windows: readonly (readonly [bigint, bigint])[]) =>
  ({ expiry }: OnChain): boolean =>
    expiry !== null && windows.some(([from, to]) => expiry >= from && expiry <= to);

screen("W2", async ({ list }) => {
  const windows = windowsAt(stage.present);
  const text = windows.map(([from, to]) => `${from}-${to}`).join(",");
  const { items, total } = await list<Item>(
    `/search-domains?parent=eth&expiry_windows=${text}&expiry_of=lease&sort_by=expiry_timestamp&page_size=200`,
  );
  const expected = story.filter((one) => isRightUnderEth(one) && endsIn(windows)(one));
  const names = expected.map(({ name }) => name);
  // The window begins at the present: a name that ended a second earlier belongs to another hour.
  for (const name of ["v1-ends.eth", "v1-live.eth", "v2-ends.eth", "v2-live.eth"])
    expect(names).toContain(name);
  for (const name of ["v1-ended.eth", "v2-ended.eth"]) expect(names).not.toContain(name);
  for (const name of ["v1-last.eth", "v1-grace.eth", "v2-free.eth", "v2-grace.eth"])
    expect(names).toContain(name);
  for (const name of ["v1-over.eth", "v2-over.eth"]) expect(names).not.toContain(name);
  expect(total).toBe(expected.length);
  expectRows(items, expected);
  return { theirs: 1 + pages(expected.length) };
});
