import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onFreePort } from "./anvil.ts";
import { GATEWAY_PORT, startGateway } from "./gateway.ts";
import { type LocalChain, startDemoChain } from "./localChain.ts";
import { type LocalLayer2, startDemoChains } from "./localChains.ts";
import { freePort } from "./ports.ts";
import { beginStep, type Step } from "./screen.ts";

const USUAL_PORT = 8545;

/** Chains of our own with the demo on them, and the settings that point Namedex at them. */
export type OwnChain = {
  local: LocalChain;
  layer2: LocalLayer2[];
  deploymentFile: string;
  settings: Record<string, string>;
};

type OwnChainPlan = { home: string; hasLayer2: boolean; ensv2: boolean };

/** Starts the chains while the screen tells how far the story is, and writes their deployment file into `home`. */
export async function startOwnChain({ home, hasLayer2, ensv2 }: OwnChainPlan): Promise<OwnChain> {
  const step = beginStep(`Starting ${hasLayer2 ? "local chains" : "a local chain"} with ENS`);
  const { layer2, ...local } = await (hasLayer2 ? startThree : startOne)({ home, ensv2 }, step);
  const deploymentFile = join(home, "deployment.json");
  writeFileSync(deploymentFile, `${JSON.stringify(local.deployment, null, 2)}\n`);
  step.done(await describe([local, ...layer2]));
  const settings = {
    ENS_NETWORK: "devnet",
    ENS_DEPLOYMENT: deploymentFile,
    ...Object.fromEntries([local, ...layer2].map(({ anvil }) => [`RPC_URL_${anvil.chainId}`, anvil.url])),
    LIVE_RPC_URL: local.anvil.url,
  };
  return { local, layer2, deploymentFile, settings };
}

type Start = Omit<OwnChainPlan, "hasLayer2">;

async function startThree(
  { home, ensv2 }: Start,
  step: Step,
): Promise<LocalChain & { layer2: LocalLayer2[] }> {
  return startDemoChains({
    usualPort: USUAL_PORT,
    gatewayPort: await freePort(GATEWAY_PORT),
    contracts: { ensv2 },
    logFileOf: (chain) => join(home, chain === "main" ? "anvil.log" : `anvil-${chain}.log`),
    onChapter: (title) => step.tell(`playing ${title}`),
  });
}

async function startOne({ home, ensv2 }: Start, step: Step): Promise<LocalChain & { layer2: LocalLayer2[] }> {
  const gateway = await startGateway({ port: await freePort(GATEWAY_PORT) });
  const local = await onFreePort(USUAL_PORT, (port) =>
    startDemoChain({
      ...port,
      logFile: join(home, "anvil.log"),
      contracts: { ensv2, gatewayUrl: gateway.url },
      onChapter: (title) => step.tell(`playing ${title}`),
    }),
  );
  return { ...local, layer2: [] };
}

/** The newest block of each chain, by the chain's name. */
export async function readHeads({
  local,
  layer2,
}: Pick<OwnChain, "local" | "layer2">): Promise<Record<string, number>> {
  const heads = [local, ...layer2].map(async ({ chain, deployment }) => {
    return [deployment.name, Number(await chain.client.getBlockNumber())] as const;
  });
  return Object.fromEntries(await Promise.all(heads));
}

async function describe(chains: readonly Pick<LocalLayer2, "anvil" | "chain">[]): Promise<string> {
  const ports = chains.map(({ anvil }) => anvil.port).join(", ");
  const heights = await Promise.all(chains.map(({ chain }) => chain.client.getBlockNumber()));
  const blocks = heights.reduce((sum, height) => sum + height, 0n);
  const where = chains.length === 1 ? `Local chain on port ${ports}` : `Local chains on ports ${ports}`;
  return `${where}: ENS deployed, the demo played in ${blocks} blocks`;
}
