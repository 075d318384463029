import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { judgeAgentAnswers } from "./judgeAgentAnswers.ts";
import { judgeAnswers } from "./judgeAnswers.ts";
import { judgeByClients } from "./judgeByClients.ts";
import { judgeByEnsjs } from "./judgeByEnsjs.ts";
import { judgeByVerify } from "./judgeByVerify.ts";
import { judgeStages } from "./judgeStages.ts";
import { judge, type Verdict } from "./oracle.ts";
import { type Played, playSteps, type Step } from "./steps.ts";
import { readSubgraphNames } from "./subgraphNames.ts";

/** July 2017, so that a history may use contracts of every year and has a long way to go. */
const START = 1_500_000_000;

/** Premiums cost thousands of ether. */
const BALANCE = 1_000_000_000;

/** More blocks than histories have: the contracts are asked about each of them. */
const STATES_KEPT = 100_000;

/** The part of each history that is played before the indexer starts; the rest happens while it follows. */
const BACKFILL_PART = 0.6;

/** Milliseconds after which waiting for the indexer counts as a fault. */
export const TRIAL_TIMEOUT_MS = 600_000;

/** Outcomes of histories, and of the index of their chain. */
export type Outcome = Verdict & { played: Played[] };

/** A local chain for histories; nothing is registered yet. */
export const startHistoryChain = (): Promise<LocalChain> =>
  startLocalChain({
    timestamp: START,
    balance: BALANCE,
    statesKept: STATES_KEPT,
    contracts: { layer2ReverseRegistrar: true },
  });

/** Gives the oracle an index that has reached the head of its chain, and the answers of its API. */
export async function judgeStack(
  stack: Pick<Stack, "waitForHead" | "sql" | "api" | "schema" | "databaseUrl">,
  { anvil, deployment }: LocalChain,
): Promise<Verdict> {
  await stack.waitForHead();
  const chain = { rpcUrl: anvil.url, deployment };
  const index = await judge({ ...chain, query: stack.sql, archiveReads: true });
  const answers = await judgeAnswers({ ...chain, api: stack.api });
  const agents = await judgeAgentAnswers({ ...chain, api: stack.api });
  const verified = await judgeByVerify(stack, chain);
  return {
    differences: [index, answers, agents, verified].flatMap(({ differences }) => differences),
    counts: {
      ...index.counts,
      ...agents.counts,
      ...verified.counts,
      answers: answers.counts.answers ?? 0,
      answeredValues: answers.counts.values ?? 0,
    },
  };
}

/**
 * Plays histories one after another on one fresh chain, each with its own labels: the first part of all before the indexer
 * starts, for the backfill, and the rest while the indexer follows. Then the index is judged.
 */
export async function runTrial(histories: readonly (readonly Step[])[]): Promise<Outcome> {
  const local = await startHistoryChain();
  try {
    const before = await playParts(local, histories, (steps) => steps.slice(0, cutOf(steps)));
    const stack = await startStack({ rpcUrl: local.anvil.url, deployment: local.deployment });
    try {
      const after = await playParts(local, histories, (steps) => steps.slice(cutOf(steps)));
      const { differences, counts } = await judgeStack(stack, local);
      const names = await readSubgraphNames(stack.url, local.chain);
      const byEnsjs = await judgeByEnsjs(stack, local, names);
      const byClients = await judgeByClients(stack, local, names);
      const stages = await judgeStages(stack, local);
      return {
        differences: [
          ...differences,
          ...byEnsjs.differences,
          ...byClients.differences,
          ...stages.differences,
        ],
        counts: { ...counts, ...byEnsjs.counts, ...byClients.counts, ...stages.counts },
        played: [...before, ...after],
      };
    } finally {
      await stack.destroy();
    }
  } finally {
    await local.anvil.stop();
  }
}

const cutOf = (steps: readonly Step[]): number => Math.ceil(steps.length * BACKFILL_PART);

async function playParts(
  { chain }: LocalChain,
  histories: readonly (readonly Step[])[],
  partOf: (steps: readonly Step[]) => readonly Step[],
): Promise<Played[]> {
  const played: Played[] = [];
  for (const [index, steps] of histories.entries()) {
    played.push(await playSteps(chain, `h${index}`, partOf(steps)));
  }
  return played;
}
