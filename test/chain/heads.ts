import { expect } from "vitest";
import type { LocalLayer2 } from "../../devnet/localChains.ts";
import { readStatus } from "../../devnet/ponder.ts";
import type { Stack } from "../support/stack.ts";

/** Waits until the newest block of each of these chains is indexed, by number and time. */
export async function waitForHeads(
  { url }: Stack,
  ...chains: Pick<LocalLayer2, "chain" | "deployment">[]
): Promise<void> {
  const heads = chains.map(async ({ chain, deployment }) => {
    const { number, timestamp } = await chain.client.getBlock();
    return [deployment.name, { number: Number(number), timestamp: Number(timestamp) }] as const;
  });
  const expected = Object.fromEntries(await Promise.all(heads));
  await expect.poll(() => readStatus(url), { timeout: 120_000, interval: 50 }).toMatchObject(expected);
}
