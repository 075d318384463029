import { createTestClient, http, publicActions, walletActions } from "viem";
import type { Deployment } from "../../abis/deployments.ts";
import { BLOCK_SECONDS, type Chain, mineBlocks } from "./acts/chain.ts";
import { type Anvil, type AnvilOptions, startAnvil } from "./anvil.ts";
import { playDemo, STORY_SECONDS } from "./demo.ts";
import { type DeployOptions, deployContracts } from "./deploy.ts";

/** A local chain with ENS on it: what the index is told (`deployment`) and what drives it (`chain`). */
export type LocalChain = { anvil: Anvil; chain: Chain; deployment: Deployment };

/** Starts anvil and deploys every contract; nothing is registered yet. `stop` the chain by `anvil.stop()`. */
export async function startLocalChain(
  options: AnvilOptions & { contracts?: DeployOptions } = {},
): Promise<LocalChain> {
  const { contracts: deployOptions, ...anvilOptions } = options;
  const anvil = await startAnvil(anvilOptions);
  try {
    const client = connect(anvil.url);
    const { deployment, contracts } = await deployContracts(client, deployOptions);
    return { anvil, deployment, chain: { client, accounts: await client.getAddresses(), contracts } };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

/** Ponder takes a local block for final after 30 more: with them the whole story is part of the backfill. */
const SETTLING_BLOCKS = 31;

/** The same with the demo stories played; the last block is of now. */
export async function startDemoChain(
  options: AnvilOptions & { contracts?: DeployOptions; onChapter?: (title: string) => void } = {},
): Promise<LocalChain> {
  const { onChapter = () => {}, ...anvilOptions } = options;
  const settlingSeconds = SETTLING_BLOCKS * BLOCK_SECONDS;
  const start = BigInt(Math.floor(Date.now() / 1000) - settlingSeconds) - STORY_SECONDS;
  const local = await startLocalChain({ ...anvilOptions, timestamp: Number(start) });
  try {
    await playDemo(local.chain, { start, onChapter });
    await mineBlocks(local.chain, { count: SETTLING_BLOCKS });
    return local;
  } catch (error) {
    await local.anvil.stop();
    throw error;
  }
}

/** A client of a chain that is there already. */
export function connect(url: string): Chain["client"] {
  const transport = http(url, { timeout: 60_000, retryCount: 0 });
  return createTestClient({ mode: "anvil", transport, pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions) as Chain["client"];
}
