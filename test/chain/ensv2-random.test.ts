import { type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startLocalChain } from "../devnet/localChain.ts";
import { expectAnswerAsOnChain, isStrange } from "./ensv2Answers.ts";
import { expectEnsv2AsOnChain } from "./ensv2Judge.ts";
import { playHistory, prepareHistories } from "./ensv2Steps.ts";
import { type Stage, stageOf } from "./stage.ts";

const SEED = Number(process.env.FUZZ_SEED ?? 2_026);
const RUNS = Number(process.env.ENSV2_RUNS ?? 20);
const STEPS = 150;
/** After so many histories all tables are judged: that reads everything from all contracts, those of earlier ones too. */
const HISTORIES_JUDGED_AT_ONCE = 4;
/** Labels of the longest name that is asked for: circles make longer ones without end. */
const MAX_LABELS = 5;

let stage: Stage;

beforeAll(async () => {
  const local = await startLocalChain({ contracts: { ensv2: true }, statesKept: 100_000 });
  await prepareHistories(local.chain, { runs: RUNS });
  stage = await stageOf(local);
}, 300_000);
afterAll(() => stage?.close());

/** Asks for every name of a history that the index has. */
async function expectAnswers(run: number): Promise<number> {
  const rows = await stage.sql<{ full_name: string; registry: Hex | null }>(
    "select full_name, registry from domains where full_name like '%-' || $1 || '.eth' order by full_name",
    [String(run)],
  );
  let asked = 0;
  for (const { full_name: name, registry } of rows) {
    const [, ...above] = name.split(".");
    if (above.length >= MAX_LABELS || (await isStrange(stage, above))) continue;
    // An entry that no longer hangs at the name answered for it once.
    await expectAnswerAsOnChain(stage, name, { wasOfEnsv2: registry === zeroAddress });
    asked++;
  }
  return asked;
}

test(`${RUNS} random histories leave tables and answers as the contracts say (FUZZ_SEED=${SEED})`, async () => {
  for (let run = 0; run < RUNS; run++) {
    const { mined } = await playHistory(stage.chain, { seed: SEED, run, steps: STEPS });
    expect(mined).toBeGreaterThan(STEPS / 4);
    await stage.stack.waitForHead();
    expect(await expectAnswers(run)).toBeGreaterThan(4);
    const isJudged = (run + 1) % HISTORIES_JUDGED_AT_ONCE === 0 || run === RUNS - 1;
    if (isJudged) await expectEnsv2AsOnChain({ local: stage.local, stack: stage.stack });
  }
}, 900_000);
