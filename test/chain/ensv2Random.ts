import { type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { expectAnswerAsOnChain, isStrange } from "./ensv2Answers.ts";
import { expectHistoriesAsOnChain } from "./ensv2Histories.ts";
import { expectEnsv2AsOnChain } from "./ensv2Judge.ts";
import { expectPermissionsAsOnChain } from "./ensv2Permissions.ts";
import { playHistory, prepareHistories } from "./ensv2Steps.ts";
import { expectLookupAsSingle, expectNamesByAddress, expectResolution } from "./lookups.ts";
import { type Stage, stageOf } from "./stage.ts";

/** Label limit of names to ask about: circles make longer ones without end. */
const MAX_LABELS = 5;

/** Plays `runs` random histories, and compares all contracts after every `atOnce`. */
type RandomPlan = { seed: number; runs: number; atOnce: number; steps: number };

/** Asks about every name of a history that the index has. */
async function expectAnswers(stage: Stage, run: number, from: bigint): Promise<number> {
  const rows = await stage.sql<{ full_name: string; registry: Hex | null }>(
    "select full_name, registry from domains where full_name like '%-' || $1 || '.eth' order by full_name",
    [String(run)],
  );
  const asked: string[] = [];
  let tried = 0;
  for (const { full_name: name, registry } of rows) {
    const [, ...above] = name.split(".");
    if (above.length >= MAX_LABELS || (await isStrange(stage, above))) continue;
    // Such a name answered once, but its entry is no longer linked there.
    await expectAnswerAsOnChain(stage, name, { wasOfEnsv2: registry === zeroAddress });
    tried += await expectPermissionsAsOnChain(stage, name, asked.length);
    asked.push(name);
  }
  await expectLookupAsSingle(stage.stack, asked);
  const { stack, chain } = stage;
  const place = { stack, chain, deployment: stage.local.deployment };
  await expectNamesByAddress(place, asked);
  await expectResolution(place, asked);
  const others = rows.map((row) => row.full_name).filter((name) => !asked.includes(name));
  const compared = await expectHistoriesAsOnChain(stage, { names: asked, others, from });
  expect(compared).toBeGreaterThan(asked.length);
  expect(tried).toBeGreaterThan(asked.length);
  return asked.length;
}

/** Tests that tables and answers after random histories of ENSv2 match the contracts. */
export function describeRandomHistories({ seed, runs, atOnce, steps }: RandomPlan): void {
  let local: LocalChain;
  let stage: Stage | undefined;
  /** The last block before the histories. */
  let begun = 0n;

  beforeAll(async () => {
    local = await startLocalChain({ contracts: { ensv2: true }, statesKept: 100_000 });
    begun = await local.chain.client.getBlockNumber();
    await prepareHistories(local.chain, { runs });
  });
  afterAll(() => stage?.close() ?? local?.anvil.stop());

  test(`after ${runs} random histories tables and answers match the contracts (FUZZ_SEED=${seed})`, async () => {
    for (let first = 0; first < runs; first += atOnce) {
      const played = Array.from({ length: Math.min(atOnce, runs - first) }, (_, i) => first + i);
      for (const run of played) {
        const { mined } = await playHistory(local.chain, { seed, run, steps });
        expect(mined).toBeGreaterThan(steps / 4);
      }
      // The first histories are in the past when Namedex starts; it follows the others.
      stage ??= await stageOf(local);
      await expectEnsv2AsOnChain({ local, stack: stage.stack });
      for (const run of played) expect(await expectAnswers(stage, run, begun)).toBeGreaterThan(4);
    }
  }, 3_600_000);
}
