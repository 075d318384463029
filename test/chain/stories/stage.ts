import { openStage, type Stage, type StagePlan } from "../stage.ts";

type Acts = NonNullable<StagePlan["before"]>;

/** The one stage of all stories, open while they are told. Each story has names of its own on it. */
export let stage: Stage;

const past: Acts[] = [];

/** Has acts of a story indexed by the backfill; all its other acts come in live. */
export const beforeIndexing = (acts: Acts): void => void past.push(acts);

/** Opens the stage, when every story is loaded. */
export async function openStoryStage(): Promise<void> {
  stage = await openStage({
    before: async (chain, cast) => {
      for (const acts of past) await acts(chain, cast);
    },
  });
}
