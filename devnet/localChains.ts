import type { Layer2Deployment } from "../abis/deployments.ts";
import { addressOf, type Chain, mineBlocks } from "./acts.ts";
import { type Anvil, onFreePort, startAnvil } from "./anvil.ts";
import { bridgeChapters, deployBridges } from "./bridges.ts";
import type { Telling } from "./chapters.ts";
import { playBase } from "./demoBase.ts";
import { playLinea } from "./demoLinea.ts";
import { deployBasenames, deployLineanames, type Layer2Contracts } from "./deployLayer2.ts";
import { type DevnetGateway, type Layer2Source, startGateway } from "./gateway.ts";
import {
  connect,
  type DemoOptions,
  type LocalChain,
  SETTLING_BLOCKS,
  startDemoChain,
  startOfStories,
} from "./localChain.ts";

/** A local layer 2 with the registry and the registrar of its names. */
export type LocalLayer2 = { anvil: Anvil; chain: Chain; deployment: Layer2Deployment };

/** The main chain, whose deployment lists the layer 2s, and these. `stop` ends them and their gateway. */
export type LocalChains = LocalChain & { layer2: LocalLayer2[]; stop: () => Promise<void> };

const LAYER_2_BLOCK_SECONDS = 2;

/** A layer 2 of the devnet. */
type Layer2Plan = {
  chainId: number;
  managedName: string;
  deploy: (client: Chain["client"]) => Promise<Layer2Contracts>;
  play: (chain: Chain, telling: Telling) => Promise<void>;
  bridge: string;
};

const layer2Plans: readonly Layer2Plan[] = [
  {
    chainId: 8453,
    managedName: "base.eth",
    bridge: "baseBridge",
    deploy: deployBasenames,
    play: playBase,
  },
  {
    chainId: 59144,
    managedName: "linea.eth",
    bridge: "lineaBridge",
    deploy: deployLineanames,
    play: playLinea,
  },
];

/** What differs between starts; with `usualPort` the chains use it and the next free ones. */
export type LocalChainsOptions = Omit<DemoOptions, "prepare" | "more" | "port"> & {
  usualPort?: number;
  gatewayPort?: number;
  /** Where the output of a chain goes. */
  logFileOf?: (chain: string) => string;
};

/** Starts the three chains beside each other, each with its contracts on it and its stories played. */
export async function startDemoChains(options: LocalChainsOptions = {}): Promise<LocalChains> {
  const { gatewayPort = 0 } = options;
  const sources: Layer2Source[] = [];
  const gateway = await startGateway({ port: gatewayPort, layer2: sources });
  const [main, ...others] = await Promise.allSettled([
    startMain(options, gateway),
    ...layer2Plans.map((plan) => startLayer2(plan, options)),
  ]);
  const started = [main, ...others].flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const stop = async () => {
    await Promise.all(started.map(({ anvil }) => anvil.stop()));
    await gateway.stop();
  };
  if (main.status === "rejected" || others.some(({ status }) => status === "rejected")) {
    await stop();
    throw [main, ...others].find((one) => one.status === "rejected")?.reason;
  }
  const layer2 = others.flatMap((one) =>
    one.status === "fulfilled" ? [bridged(one.value, main.value)] : [],
  );
  sources.push(...layer2.map(toSource));
  const deployment = { ...main.value.deployment, layer2: layer2.map((one) => one.deployment) };
  return { ...main.value, deployment, layer2, stop };
}

function startMain(options: LocalChainsOptions, gateway: DevnetGateway): Promise<LocalChain> {
  const { usualPort, gatewayPort: _, logFileOf, ...rest } = options;
  const logFile = logFileOf?.("main");
  return onFreePort(usualPort, (port) =>
    startDemoChain({
      ...rest,
      ...port,
      ...(logFile !== undefined && { logFile }),
      contracts: { ...rest.contracts, gatewayUrl: gateway.url },
      prepare: (chain) => deployBridges(chain, { gatewayUrl: gateway.url }),
      more: bridgeChapters,
    }),
  );
}

type StartedLayer2 = LocalLayer2 & { plan: Layer2Plan };

async function startLayer2(plan: Layer2Plan, options: LocalChainsOptions): Promise<StartedLayer2> {
  const start = startOfStories(LAYER_2_BLOCK_SECONDS);
  const logFile = options.logFileOf?.(plan.managedName);
  const usualPort = options.usualPort && options.usualPort + 1 + layer2Plans.indexOf(plan);
  const anvil = await onFreePort(usualPort, (port) =>
    startAnvil({
      chainId: plan.chainId,
      timestamp: Number(start),
      blockSeconds: LAYER_2_BLOCK_SECONDS,
      ...port,
      ...(logFile !== undefined && { logFile }),
      ...(options.balance !== undefined && { balance: options.balance }),
    }),
  );
  try {
    const client = connect(anvil.url);
    const { chain: deployment, contracts } = await plan.deploy(client);
    const chain = { client, accounts: await client.getAddresses(), contracts };
    await plan.play(chain, { start });
    await mineBlocks(chain, { count: SETTLING_BLOCKS });
    return { plan, anvil, chain, deployment };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

/** The same, with the address of the resolver on the main chain that answers for its names. */
function bridged({ plan, ...layer2 }: StartedLayer2, { chain }: LocalChain): LocalLayer2 {
  const managedName = { name: plan.managedName, bridges: [addressOf(chain, plan.bridge)] };
  return { ...layer2, deployment: { ...layer2.deployment, managedName } };
}

function toSource({ chain, deployment }: LocalLayer2): Layer2Source {
  const name = deployment.managedName?.name ?? "";
  return { name, client: chain.client, registry: addressOf(chain, "registry") };
}
