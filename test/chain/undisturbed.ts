import { expect } from "vitest";
import type { LocalChain } from "../../devnet/localChain.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { differencesOf, readTables } from "./tables.ts";

/** Expects that the tables are those of an index of the same chain that nothing disturbed. */
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
