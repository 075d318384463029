import { readFileSync } from "node:fs";
import { zeroAddress } from "viem";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Deployment, deploymentShape } from "../../abis/deployments.ts";
import {
  addressOf,
  authorise,
  type Chain,
  ethNode,
  registerWithConfigV3,
  sendThroughMulticall,
  toWriteCall,
} from "../devnet/acts.ts";
import { startStack } from "../support/stack.ts";
import { expectTruth } from "./onDemo.ts";
import { judge } from "./oracle.ts";
import { shrink } from "./shrink.ts";
import { historiesOf, type Played, playSteps, type Step } from "./steps.ts";
import { type Outcome, runTrial, startHistoryChain, TRIAL_TIMEOUT_MS } from "./trial.ts";

/** `npm run test:truth` sets these; its `--help` says what they are. */
const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const seed = number("TRUTH_SEED", 20_200_204);
const runs = number("TRUTH_RUNS", 20);
const steps = number("TRUTH_STEPS", 150);
const shrinkSeconds = number("TRUTH_SHRINK_SECONDS", 240);
const { TRUTH_RPC_URL: rpcUrl, TRUTH_DEPLOYMENT: deploymentFile, TRUTH_REPLAY: replayed } = process.env;

const HISTORIES_PER_CHAIN = 10;
const LINES_SHOWN = 40;

if (rpcUrl !== undefined && deploymentFile !== undefined) {
  test("the index of a given chain says what its contracts answer", async () => {
    const deployment = deploymentShape.parse(JSON.parse(readFileSync(deploymentFile, "utf8")));
    expectTruth(await judgeGivenChain(rpcUrl, deployment));
  }, 600_000);
} else if (replayed !== undefined) {
  test(
    "a given history leads to an index that says what the contracts answer",
    async () => {
      const outcome = await runTrial([JSON.parse(readFileSync(replayed, "utf8")) as Step[]]);
      console.log(outcome.played.flatMap(({ story }) => story).join("\n"));
      expectTruth(outcome);
    },
    TRIAL_TIMEOUT_MS,
  );
} else {
  test("without archive reads the index knows less, marks it, and nothing else differs", async () => {
    const local = await startHistoryChain();
    onTestFinished(local.anvil.stop);
    const [history = []] = historiesOf({ seed, runs: 1, steps });
    await playSteps(local.chain, "past", history);
    await writeTextByContract(local.chain);
    const env = { ARCHIVE_READS: "off" };
    const stack = await startStack({ rpcUrl: local.anvil.url, deployment: local.deployment, env });
    onTestFinished(stack.destroy);
    await stack.waitForHead();
    const chain = { rpcUrl: local.anvil.url, deployment: local.deployment };
    const verdict = await judge({ ...chain, query: stack.sql, archiveReads: false });
    expectTruth(verdict);
    expect(verdict.counts["texts whose value is unknown"]).toBeGreaterThan(0);
  }, 600_000);

  const histories = historiesOf({ seed, runs, steps });
  describe(`${runs} random histories of ${steps} steps, seed ${seed}`, () => {
    for (let first = 0; first < histories.length; first += HISTORIES_PER_CHAIN) {
      const group = histories.slice(first, first + HISTORIES_PER_CHAIN);
      const last = first + group.length - 1;
      test(
        `after histories ${first} to ${last} the index says what the contracts answer`,
        async () => {
          const outcome = await runTrial(group);
          console.log(summaryOf(outcome));
          if (outcome.differences.length > 0) throw new Error(await explain(group, { first, outcome }));
          expect(shareOfMined(outcome.played)).toBeGreaterThan(0.6);
        },
        TRIAL_TIMEOUT_MS + shrinkSeconds * 2_000,
      );
    }
  });
}

/** A text at a resolver whose log has no value, by a transaction that went elsewhere: only the chain's state has it. */
async function writeTextByContract(chain: Chain): Promise<void> {
  const [, from = zeroAddress] = chain.accounts;
  const [label, resolver, delegate] = ["told", "resolver3", addressOf(chain, "multicall3")];
  const node = ethNode(label);
  await registerWithConfigV3(chain, { from, label, resolver });
  await authorise(chain, { from, resolver, node, delegate });
  const write = { kind: "text", key: "url", value: "https://told.example" } as const;
  await sendThroughMulticall(chain, { from, calls: [toWriteCall({ from, resolver, node, write })] });
}

async function judgeGivenChain(url: string, deployment: Deployment) {
  const env = { ENS_NETWORK: "custom", ARCHIVE_READS: "on" };
  const stack = await startStack({ rpcUrl: url, deployment, env });
  try {
    await stack.waitForHead();
    return await judge({ rpcUrl: url, deployment, query: stack.sql, archiveReads: true });
  } finally {
    await stack.destroy();
  }
}

const shareOfMined = (played: readonly Played[]): number =>
  sum(played.map(({ mined }) => mined)) / sum(played.map((one) => one.steps));

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

function summaryOf({ played, counts, differences }: Outcome): string {
  const share = Math.round(shareOfMined(played) * 100);
  return `${share} % of ${sum(played.map((one) => one.steps))} steps mined; ${JSON.stringify(counts)}; ${differences.length} differences`;
}

/** Which history fails alone, and the shortest part of it that does, with all that is needed to play it again. */
async function explain(
  group: readonly (readonly Step[])[],
  { first, outcome }: { first: number; outcome: Outcome },
): Promise<string> {
  const deadline = Date.now() + shrinkSeconds * 1_000;
  // A trial that breaks off says nothing of the history: the differences that were found are not lost for it.
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
