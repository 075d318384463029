import type { Address } from "viem";
import { test } from "vitest";
import { nodeOf } from "../../../devnet/acts.ts";
import { expectWhoisAsOnChain } from "../onChain.ts";
import { openStage, type Stage, type StagePlan } from "../stage.ts";

type Acts = NonNullable<StagePlan["before"]>;

/** The single stage of all stories, open while they run. Each story has its own names on it. */
export let stage: Stage;

/** Unlisted controllers that stories deployed. */
export const foundControllers: Address[] = [];

const past: Acts[] = [];

/** Has acts of a story indexed by the backfill; all its other acts arrive live. */
export const beforeIndexing = (acts: Acts): void => void past.push(acts);

/** A part of a story: after these acts, every source answers about these names as the contracts do. */
export const told = (
  title: string,
  names: readonly string[],
  acts: (...on: Parameters<Acts>) => Promise<unknown>,
): void =>
  test(title, async () => {
    await acts(stage.chain, stage.cast);
    for (const name of names) await expectWhoisAsOnChain(stage, name);
  });

/** Opens the stage, when every story is loaded. */
export async function openStoryStage(plan: Pick<StagePlan, "ensv2"> = {}): Promise<void> {
  stage = await openStage({
    ...plan,
    before: async (chain, cast) => {
      for (const acts of past.splice(0)) await acts(chain, cast); // Another file may follow in this process.
    },
  });
  await takeNoLabels();
}

/**
 * A caller who asks for a name proves its labels, and the indexer applies them two seconds later, with the next block: on a slow
 * machine, between two lines of a story. In stories no label gets its number, so none is applied; `givenLabels.test.ts` tests
 * that.
 */
const takeNoLabels = () =>
  stage.stack.sql(`
    create function namedex_service.number_none() returns trigger language plpgsql as 'begin return null; end';
    create trigger number_none before update on namedex_service.proven_labels
      for each row execute function namedex_service.number_none()`);

/** The successive owners of a name, the contract of each, and the logs that say so. */
export async function listOwners(name: string): Promise<string[][]> {
  const rows = await stage.sql<{ owner_address: string; reason: string; event_type: string }>(
    `select owner_address, reason, event_type from ownership_changes where node = $1
     order by block_number, log_index, ordinal`,
    [nodeOf(name)],
  );
  return rows.map(({ owner_address, reason, event_type }) => [owner_address, reason, event_type]);
}
