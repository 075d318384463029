import { addressOf, ethNode, registerReferred, setResolver, warpTo, YEAR } from "../../devnet/acts.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { deployBridges } from "../../devnet/bridges.ts";
import { deployBasenames } from "../../devnet/deployLayer2.ts";
import { type Layer2Source, startGateway } from "../../devnet/gateway.ts";
import { connect, type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import type { LocalLayer2 } from "../../devnet/localChains.ts";
import { castOf, type Stage, stageOf } from "../chain/stage.ts";
import { type Counter, startCounter } from "./counter.ts";
import { playBase } from "./story/base.ts";
import { playEnsv1 } from "./story/ensv1.ts";
import { playEnsv2 } from "./story/ensv2.ts";
import { presentOf, type Story } from "./story/times.ts";

const BASE_CHAIN_ID = 8453;

/** One Namedex on Ethereum with ENSv2 and on Base, after the story was played, and the counter in front of it. */
export type AppsStage = Stage & { base: LocalLayer2; present: bigint; counter: Counter };

/** Functions that stop started programs, called in reverse order. */
type Ends = (() => Promise<unknown>)[];

export async function openAppsStage(): Promise<AppsStage> {
  const ends: Ends = [];
  const close = async () => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    return { ...(await open(ends)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(ends: Ends): Promise<AppsStage> {
  const start = BigInt(Math.floor(Date.now() / 1_000));
  const layer2: Layer2Source[] = [];
  const gateway = await startGateway({ layer2 });
  ends.push(gateway.stop);
  const local = await startLocalChain({ timestamp: Number(start), contracts: { ensv2: true } });
  ends.push(local.anvil.stop);
  const base = await startBase(start, ends);
  layer2.push({ name: "base.eth", client: base.chain.client, registry: addressOf(base.chain, "registry") });
  const present = presentOf(start);
  const story = { chain: local.chain, base: base.chain, cast: castOf(local.chain), present };
  await playBridge(story, gateway.url);
  await Promise.all([play(story), playBase(story)]);
  for (const { chain } of [local, base]) await warpTo(chain, { timestamp: present });
  const stage = await index(local, base);
  ends.push(stage.close);
  const counter = await startCounter(stage.stack.url);
  ends.push(counter.close);
  return { ...stage, base, present, counter };
}

/** Namedex on both chains. */
async function index(local: LocalChain, base: LocalLayer2): Promise<Stage> {
  const managedName = { name: "base.eth", bridges: [addressOf(local.chain, "baseBridge")] };
  const layer2 = [{ ...base.deployment, managedName }];
  const env = { [`RPC_URL_${BASE_CHAIN_ID}`]: base.anvil.url };
  return stageOf({ ...local, deployment: { ...local.deployment, layer2 } }, { env });
}

async function startBase(start: bigint, ends: Ends): Promise<LocalLayer2> {
  const anvil = await startAnvil({ chainId: BASE_CHAIN_ID, timestamp: Number(start), blockSeconds: 2 });
  ends.push(anvil.stop);
  const client = connect(anvil.url);
  const { chain, contracts } = await deployBasenames(client);
  // The index gets its managed name later, once the bridge exists.
  const deployment = { ...chain, managedName: { name: "base.eth", bridges: [] } };
  return { anvil, deployment, chain: { client, accounts: await client.getAddresses(), contracts } };
}

/** base.eth, with the resolver that asks Base. */
async function playBridge({ chain, cast }: Story, gatewayUrl: string): Promise<void> {
  Object.assign(chain.contracts, await deployBridges(chain, { gatewayUrl }));
  const from = cast.deployer;
  await registerReferred(chain, { from, label: "base", duration: 10n * YEAR, resolver: "resolver5" });
  const resolver = addressOf(chain, "baseBridge");
  await setResolver(chain, { from, node: ethNode("base"), resolver });
}

async function play(story: Story): Promise<void> {
  await playEnsv1(story);
  await playEnsv2(story);
}
