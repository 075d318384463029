import { type Stack, startStack } from "../support/stack.ts";
import { type FaultChain, startFaultChain } from "./pulse.ts";

/** A chain that beats, and an index that follows it. */
export type FaultStage = { chain: FaultChain; stack: Stack; close: () => Promise<void> };

/** Starts both and waits until the past is indexed. */
export async function openFaultStage(plan: Parameters<typeof startFaultChain>[0]): Promise<FaultStage> {
  const chain = await startFaultChain(plan);
  const { anvil, deployment } = chain.local;
  const stack = await startStack({ rpcUrl: anvil.url, deployment }).catch(async (error) => {
    await chain.stop();
    throw error;
  });
  const close = async () => {
    await stack.destroy();
    await chain.stop();
  };
  return { chain, stack, close };
}
