import { DAY, GRACE, PREMIUM, setNextTime, warp, warpTo, YEAR } from "../../devnet/acts.ts";
import type { Act } from "./catalogue.ts";
import { findPlace, type Scene, stateOf } from "./scene.ts";

const wait = (scene: Scene) =>
  warp(scene.chain, { seconds: scene.pick([DAY, 10n * DAY, 40n * DAY, 95n * DAY, YEAR]) });

/** Advances to the second at which something of a name ends, or one beside it; the next act happens then. */
const toBound = async (scene: Scene) => {
  const ends = (place: Parameters<typeof stateOf>[1]) => {
    const { expiry, wrapperExpiry } = stateOf(scene, place);
    return [expiry, expiry + GRACE, expiry + GRACE + PREMIUM, wrapperExpiry];
  };
  const limit = scene.now + 3n * YEAR;
  const isAhead = (end: bigint) => end > scene.now + 1n && end < limit;
  const place = findPlace(scene, (one) => ends(one).some(isAhead));
  const ahead = ends(place).filter(isAhead);
  const end = ahead.length === 0 ? scene.now + DAY : scene.pick(ahead);
  const timestamp = end + scene.pick([-1n, 0n, 1n]);
  if (scene.number(2) === 0) await warpTo(scene.chain, { timestamp });
  else await setNextTime(scene.chain, timestamp);
};

/** Passing time: it ends registrations, grace, premiums and fuses. */
export const timeActs: Record<string, Act> = {
  wait: { weight: 4, perform: wait },
  waitForBound: { weight: 4, perform: toBound },
};
