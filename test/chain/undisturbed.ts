import { expect } from "vitest";
import type { LocalChain } from "../../devnet/localChain.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { differencesOf, readTables } from "./tables.ts";

/** Expects the tables to equal those of an undisturbed index of the same chain. */
export async function expectUndisturbed(stack: Stack, { anvil, deployment }: LocalChain): Promise<void> {
  const undisturbed = await startStack({ rpcUrl: anvil.url, deployment });
  try {
    await undisturbed.waitForHead();
    const [is, should] = [await readTables(stack), await readTables(undisturbed)];
    expect(should.get("events")?.length).toBeGreaterThan(100);
    expect(differencesOf(is, should)).toEqual([]);
  } finally {
    await undisturbed.destroy();
  }
}
