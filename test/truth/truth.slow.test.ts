import { zeroAddress } from "viem";
import { expect, inject, onTestFinished, test } from "vitest";
import {
  addressOf,
  authorise,
  type Chain,
  ethNode,
  registerWithConfigV3,
  sendThroughMulticall,
  toWriteCall,
} from "../../devnet/acts.ts";
import { startStack } from "../support/stack.ts";
import { describeHistories } from "./histories.ts";
import { expectTruth } from "./onDemo.ts";
import { judge } from "./oracle.ts";
import { historiesOf, playSteps } from "./steps.ts";
import { startHistoryChain } from "./trial.ts";

const seed = inject("seed");

test("without archive reads the index knows less and marks it, and nothing else differs", async () => {
  const local = await startHistoryChain();
  onTestFinished(local.anvil.stop);
  const [history = []] = historiesOf({ seed, runs: 1, steps: 60 });
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
});

describeHistories({ seed, runs: 2, steps: 100, shrinkSeconds: 120 });

/** A text at a resolver whose log has no value, by a transaction to another contract: only the chain's state has it. */
async function writeTextByContract(chain: Chain): Promise<void> {
  const [, from = zeroAddress] = chain.accounts;
  const [label, resolver, delegate] = ["told", "resolver3", addressOf(chain, "multicall3")];
  const node = ethNode(label);
  await registerWithConfigV3(chain, { from, label, resolver });
  await authorise(chain, { from, resolver, node, delegate });
  const write = { kind: "text", key: "url", value: "https://told.example" } as const;
  await sendThroughMulticall(chain, { from, calls: [toWriteCall({ from, resolver, node, write })] });
}
