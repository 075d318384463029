import { createTestClient, http, publicActions, walletActions } from "viem";
import type { Deployment } from "../abis/deployments.ts";
import { BLOCK_SECONDS, type Chain, mineBlocks } from "./acts/chain.ts";
import { type Anvil, type AnvilOptions, startAnvil } from "./anvil.ts";
import { type Chapter, STORY_SECONDS } from "./chapters.ts";
import { ensv1Chapters, playDemo } from "./demo.ts";
import { ensv2Chapters } from "./demoEnsv2.ts";
import { type DeployOptions, deployContracts } from "./deploy.ts";

/** A local chain with ENS: its configuration for the index (`deployment`) and what drives it (`chain`). */
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
export const SETTLING_BLOCKS = 31;

/** The demo on a chain, and what is beside it. */
export type DemoOptions = AnvilOptions & {
  contracts?: DeployOptions;
  /** Deploys what `more` chapters of the story need. */
  prepare?: (chain: Chain) => Promise<Chain["contracts"]>;
  more?: readonly Chapter[];
  onChapter?: (title: string) => void;
};

/** The same with the demo stories played; the last block is of now. */
export async function startDemoChain(options: DemoOptions = {}): Promise<LocalChain> {
  const { prepare, more, onChapter = () => {}, ...anvilOptions } = options;
  const start = startOfStories();
  const contracts = { ...anvilOptions.contracts, ethReverseResolver: true };
  const local = await startLocalChain({ ...anvilOptions, contracts, timestamp: Number(start) });
  try {
    const prepared = await prepare?.(local.chain);
    const chain = { ...local.chain, contracts: { ...local.chain.contracts, ...prepared } };
    const last = options.contracts?.ensv2 ? ensv2Chapters : ensv1Chapters;
    await playDemo(chain, { start, onChapter, more: [...(more ?? []), ...last] });
    await mineBlocks(chain, { count: SETTLING_BLOCKS });
    return { ...local, chain };
  } catch (error) {
    await local.anvil.stop();
    throw error;
  }
}

/** When a story has to start in order to end now, after the blocks that settle it. */
export const startOfStories = (blockSeconds = BLOCK_SECONDS): bigint =>
  BigInt(Math.floor(Date.now() / 1000) - SETTLING_BLOCKS * blockSeconds) - STORY_SECONDS;

type Extensible = { extend: (actions: unknown) => Extensible };

/** A client of a chain that is there already. */
export function connect(url: string): Chain["client"] {
  const transport = http(url, { timeout: 60_000, retryCount: 0 });
  const client: unknown = createTestClient({ mode: "anvil", transport, pollingInterval: 20 });
  // What it becomes is known; the compiler would need seconds to find it.
  return (client as Extensible).extend(publicActions).extend(walletActions) as unknown as Chain["client"];
}
