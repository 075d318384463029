import { expect, test } from "vitest";
import { startDemoChain } from "../devnet/localChain.ts";
import { startStack } from "../support/stack.ts";
import { judge } from "./oracle.ts";

test("the index of the demo says what the contracts answer", async () => {
  const { anvil, deployment } = await startDemoChain();
  const stack = await startStack({ rpcUrl: anvil.url, deployment });
  await stack.waitForHead();
  const verdict = await judge({ rpcUrl: anvil.url, deployment, query: stack.sql, archiveReads: true });
  console.log(verdict.counts, stack.log());
  await stack.destroy();
  await anvil.stop();
  expect(verdict.differences).toEqual([]);
}, 120_000);
