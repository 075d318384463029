import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PortTakenError } from "./anvil.ts";
import { GATEWAY_PORT, startGateway } from "./gateway.ts";
import { type LocalChain, startDemoChain } from "./localChain.ts";
import { freePort } from "./ports.ts";
import { beginStep } from "./screen.ts";

const USUAL_PORT = 8545;

/** A chain of our own with the demo on it, and the settings that point Namedex at it. */
export type OwnChain = { local: LocalChain; deploymentFile: string; settings: Record<string, string> };

/** Starts the chain while the screen tells how far the story is, and writes its deployment file into `home`. */
export async function startOwnChain(home: string): Promise<OwnChain> {
  const step = beginStep("Starting a local chain with ENS");
  const gateway = await startGateway({ port: await freePort(GATEWAY_PORT) });
  const local = await startOnFreePort((port) =>
    startDemoChain({
      contracts: { gatewayUrl: gateway.url },
      port,
      logFile: join(home, "anvil.log"),
      onChapter: (title) => step.tell(`playing ${title}`),
    }),
  );
  const deploymentFile = join(home, "deployment.json");
  writeFileSync(deploymentFile, `${JSON.stringify(local.deployment, null, 2)}\n`);
  const blocks = await local.chain.client.getBlockNumber();
  step.done(`Local chain on port ${local.anvil.port}: ENS deployed, the demo played in ${blocks} blocks`);
  const settings = {
    ENS_NETWORK: "devnet",
    ENS_DEPLOYMENT: deploymentFile,
    [`RPC_URL_${local.anvil.chainId}`]: local.anvil.url,
    LIVE_RPC_URL: local.anvil.url,
  };
  return { local, deploymentFile, settings };
}

/** Two starts at the same moment may find the same port free: the one that does not get it takes the next. */
async function startOnFreePort<T>(start: (port: number) => Promise<T>, triesLeft = 3): Promise<T> {
  try {
    return await start(await freePort(USUAL_PORT));
  } catch (error) {
    if (!(error instanceof PortTakenError) || triesLeft === 0) throw error;
    return startOnFreePort(start, triesLeft - 1);
  }
}
