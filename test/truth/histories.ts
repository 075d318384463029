import { describe, expect, test } from "vitest";
import { shrink } from "./shrink.ts";
import { historiesOf, type Played, type Step } from "./steps.ts";
import { type Outcome, runTrial, TRIAL_TIMEOUT_MS } from "./trial.ts";

const HISTORIES_PER_CHAIN = 10;
const LINES_SHOWN = 40;

/** Number of random histories and of their steps, and the time for finding the shortest one that fails. */
export type HistoriesPlan = { seed: number; runs: number; steps: number; shrinkSeconds: number };

/** Tests that the index of random histories matches the contracts. */
export function describeHistories({ seed, runs, steps, shrinkSeconds }: HistoriesPlan): void {
  const histories = historiesOf({ seed, runs, steps });
  describe(`${runs} random histories of ${steps} steps, seed ${seed}`, () => {
    for (let first = 0; first < histories.length; first += HISTORIES_PER_CHAIN) {
      const group = histories.slice(first, first + HISTORIES_PER_CHAIN);
      const last = first + group.length - 1;
      test(
        `after histories ${first} to ${last} the index matches the contracts`,
        async () => {
          const outcome = await runTrial(group);
          console.log(summaryOf(outcome));
          if (outcome.differences.length > 0)
            throw new Error(await explain(group, { first, outcome, seed, shrinkSeconds }));
          expect(shareOfMined(outcome.played)).toBeGreaterThan(0.6);
          expectApprovals(outcome.played);
        },
        TRIAL_TIMEOUT_MS + shrinkSeconds * 2_000,
      );
    }
  });
}

const shareOfMined = (played: readonly Played[]): number =>
  sum(played.map(({ mined }) => mined)) / sum(played.map((one) => one.steps));

/** Acts that give permissions to others. */
const GIVING = ["approve", "approveWrapped", "authorise"];
/** In 300 steps the rarest act occurs twice; with other seeds possibly less often. */
const STEPS_FOR_EACH = 400;

/** How often each act was performed. */
const countGiving = (played: readonly Played[]): Record<string, number> =>
  Object.fromEntries(
    GIVING.map((act) => [act, played.flatMap(({ story }) => story).filter((one) => one === act).length]),
  );

/** Without them no permissions exist to judge. */
function expectApprovals(played: readonly Played[]): void {
  const steps = sum(played.map((one) => one.steps));
  for (const [act, count] of Object.entries(countGiving(played)))
    expect(count, act).toBeGreaterThanOrEqual(Math.max(1, Math.floor(steps / STEPS_FOR_EACH)));
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

function summaryOf({ played, counts, differences }: Outcome): string {
  const share = Math.round(shareOfMined(played) * 100);
  return `${share} % of ${sum(played.map((one) => one.steps))} steps mined; ${JSON.stringify({ ...counts, ...countGiving(played) })}; ${differences.length} differences`;
}

type Found = { first: number; outcome: Outcome } & Pick<HistoriesPlan, "seed" | "shrinkSeconds">;

/** Which history fails alone, its shortest failing part, and everything needed to replay it. */
async function explain(
  group: readonly (readonly Step[])[],
  { first, outcome, seed, shrinkSeconds }: Found,
): Promise<string> {
  const deadline = Date.now() + shrinkSeconds * 1_000;
  // A trial that breaks off says nothing about the history: the differences found earlier are kept.
  const fails = async (one: readonly Step[]) =>
    ((await runTrial([one]).catch(() => null))?.differences.length ?? 0) > 0;
  const lines = [`The index differs from the chain (seed ${seed}):`, ...shortened(outcome.differences)];
  for (const [index, history] of group.entries()) {
    if (Date.now() > deadline || !(await fails(history))) continue;
    const shortest = await shrink(history, { fails, deadline });
    const again = await runTrial([shortest]).catch(() => outcome);
    return [
      ...lines,
      `\nHistory ${first + index} fails alone. Its shortest part that was found has ${shortest.length} steps:`,
      ...again.played.flatMap(({ story }) => story),
      "\nand leads to:",
      ...shortened(again.differences),
      "\nTo play it again, put this into a file: npm run test:truth -- --replay <file>",
      JSON.stringify(shortest),
    ].join("\n");
  }
  return [...lines, "\nNone of the histories was seen to fail alone in the time given."].join("\n");
}

const shortened = (lines: readonly string[]): string[] =>
  lines.length <= LINES_SHOWN
    ? [...lines]
    : [...lines.slice(0, LINES_SHOWN), `… and ${lines.length - LINES_SHOWN} more`];
