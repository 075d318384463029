import fc from "fast-check";
import { ActReverted, type Chain } from "../../devnet/acts.ts";
import { actNames, acts } from "./catalogue.ts";
import { encodeSurvey, NothingFits, placesOf, type Survey, toScene } from "./scene.ts";

/** A step of a history as data: its act, and the numbers by which it makes its choices. */
export type Step = { act: string; numbers: number[] };

/** Outcomes of a history's steps. */
export type Played = { steps: number; mined: number; refused: Map<string, number>; story: string[] };

const NUMBERS = 7;

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.oneof(...actNames.map(({ name, weight }) => ({ arbitrary: fc.constant(name), weight }))),
  numbers: fc.array(fc.nat({ max: 9_999 }), { minLength: NUMBERS, maxLength: NUMBERS }),
});

/** The histories of a seed, which are always the same. */
export const historiesOf = ({ seed, runs, steps }: { seed: number; runs: number; steps: number }): Step[][] =>
  fc.sample(fc.array(step, { minLength: steps, maxLength: steps, size: "max" }), { seed, numRuns: runs });

/**
 * Plays steps on a chain. A step chooses by the contracts' state at that moment, so any part of a history is a history, too. Acts
 * that a contract refuses, or that find no suitable name, are counted; any other failure is thrown.
 */
export async function playSteps(chain: Chain, prefix: string, steps: readonly Step[]): Promise<Played> {
  const played: Played = { steps: steps.length, mined: 0, refused: new Map(), story: [] };
  const places = placesOf(prefix);
  const told: Survey = { call: encodeSurvey(chain, places), block: null, states: new Map() };
  for (const { act, numbers } of steps) {
    const perform = acts[act]?.perform;
    if (perform === undefined) throw new Error(`No act "${act}"`);
    const scene = await toScene({ chain, prefix, places }, { numbers, told });
    const outcome = await (async () => perform(scene))().then(
      () => null,
      (error: unknown) => reasonOf(error),
    );
    if (outcome === null) played.mined++;
    else played.refused.set(act, (played.refused.get(act) ?? 0) + 1);
    played.story.push(outcome === null ? act : `${act} (${outcome.slice(0, 80)})`);
  }
  return played;
}

/** Why a step did nothing. Throws the error again if it is a fault of the test. */
function reasonOf(error: unknown): string {
  if (error instanceof ActReverted) return `reverted: ${error.reason}`;
  if (error instanceof NothingFits) return "nothing to act on";
  throw error;
}
