import { PARENT_CANNOT_CONTROL } from "../../../ens/wrapper.ts";
import { asLife, type KnownLife } from "./availability.ts";
import { type LifeRules, lifeOfEnsv1 } from "./life.ts";
import type { Phase } from "./stages.ts";

/** The ends in the life of a name: of its registration, grace and premium. */
export type LifeEnd = { phase: Phase; at: bigint };

/**
 * The ends of a name's phases, in order, each as the first second after the phase. Empty without an expiry. If the life ends with
 * the path to the name, the phase in which the path ends is the last one, and is over at that time.
 */
export function endsOfPhases(known: KnownLife, rules: LifeRules = lifeOfEnsv1): LifeEnd[] {
  const life = asLife(known);
  const { expiryTimestamp, pathExpiryTimestamp } = life;
  if (expiryTimestamp === null) return [];
  const { stages, endsWithPath } = rules.lifeOf(life);
  const ends = stages.flatMap(({ phase, until }) =>
    until === undefined ? [] : [{ phase, at: expiryTimestamp + until }],
  );
  if (!endsWithPath || pathExpiryTimestamp === null) return ends;
  const before = ends.filter(({ at }) => at < pathExpiryTimestamp);
  const cut = ends[before.length];
  return cut === undefined ? before : [...before, { ...cut, at: pathExpiryTimestamp }];
}

/** The fields of a record that determine a name's expiry. */
type DatedRecord = {
  expiry_timestamp: string | null;
  ownership: { is_wrapped: boolean };
  wrapper?: { fuses: number } | undefined;
};

/** The expiry in a record if it ends the name; null for a wrapped name that keeps its owner, which is `isLasting` for rows. */
export const endingExpiryOf = ({ expiry_timestamp, ownership, wrapper }: DatedRecord): string | null =>
  ownership.is_wrapped && ((wrapper?.fuses ?? 0) & PARENT_CANNOT_CONTROL) === 0 ? null : expiry_timestamp;

/** The first second after the grace of a registrar's name, in Unix seconds; null for other names. */
export const graceEndOf = (life: KnownLife, rules: LifeRules): bigint | null =>
  endsOfPhases(life, rules).find(({ phase }) => phase === "grace")?.at ?? null;
