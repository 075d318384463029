import { type Address, toHex } from "viem";
import type { Deployment } from "../../abis/deployments.ts";
import {
  addController,
  addressOf,
  type Call,
  type Chain,
  DAY,
  ethNode,
  registerReferred,
  registerV3,
  registerWrapped,
  renewReferred,
  sendThroughMulticall,
  setDefaultName,
  setLayer2Name,
  setNextTime,
  setReverseName,
  setWrappedSubnodeOwner,
  tokenIdOf,
  transferRegistration,
  unwrapETH2LD,
  useReverseRegistrar,
  wrapETH2LD,
  YEAR,
} from "../../devnet/acts.ts";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import { deployLayer2 } from "../../devnet/deployLayer2.ts";
import { connect, type LocalChain, startLocalChain } from "../../devnet/localChain.ts";

/** Noon of a day that no computer's clock has reached: the newest block determines the API's time to the second. */
const NOW = BigInt(Date.UTC(2100, 0, 20, 12) / 1_000);
const MIDNIGHT = NOW - DAY / 2n;
const LAYER_2 = 31_338;

/** Seconds from now at which names end: each term and window of the API, and the second on each side. */
const ends = [
  -111n * DAY - 1n,
  -111n * DAY,
  -111n * DAY + 1n,
  -90n * DAY - 1n,
  -90n * DAY,
  -90n * DAY + 1n,
  -1n,
  0n,
  1n,
  30n * DAY,
  30n * DAY + 1n,
  45n * DAY,
  90n * DAY,
  90n * DAY + 1n,
  -120n * DAY,
];
const firstEnded = 100 + ends.length - 1;

/**
 * Labels with characters that LIKE treats as wildcards, next to labels that such a pattern would match, and letters of other
 * alphabets.
 */
const oddLabels = [
  "back\\slash",
  "backslash",
  "per%cent",
  "per\\%cent",
  "percent",
  "under_score",
  "underscore",
  "end\\",
  "ärger",
  "ÄRGERNIS",
  "Жук",
  "жуки",
  "ÉTÉ",
];

/** Two chains at a known second, and a deployment of both. */
export type EdgeChains = {
  main: LocalChain;
  layer2: { anvil: Anvil; deployment: Deployment["layer2"][number] };
};

/** Starts both chains, with names that end at the edges and claims on the second one, for the backfill to find. */
export async function startEdges(): Promise<EdgeChains> {
  const main = await startLocalChain({
    timestamp: Number(NOW - 130n * DAY),
    contracts: { layer2ReverseRegistrar: true },
  });
  const anvil = await startAnvil({ chainId: LAYER_2, timestamp: Number(NOW - 35n * DAY) });
  const client = connect(anvil.url);
  const { chain: deployment, contracts } = await deployLayer2(client, { name: "layer-two" });
  await playEnds(main.chain);
  await playSubnames(main.chain);
  await playLayer2Claims({ client, contracts, accounts: main.chain.accounts });
  main.deployment.layer2 = [deployment];
  return { main, layer2: { anvil, deployment } };
}

/**
 * Plays what random histories rarely contain: names bought and renewed in the very second at which a window or a day of the
 * statistics begins, and just outside of it; each kind of feed item; claims at several registrars.
 */
export async function playEdges({ main: { chain } }: EdgeChains): Promise<void> {
  await playNames(chain);
  await playClaims(chain);
  await playWindows(chain);
}

/** Registers by hash; by default the owner is an address of the name's own. */
const register = (number: number, duration: bigint, owner = 0xed9e0000 + number): Call =>
  toRegistrar("register", [tokenIdOf(`edge${number}`), toHex(owner, { size: 20 }), duration]);

const renewal = (duration = YEAR): Call => toRegistrar("renew", [tokenIdOf("edge0"), duration]);

const toRegistrar = (functionName: string, args: readonly unknown[]): Call => ({
  from: toHex(0, { size: 20 }),
  contract: "registrar",
  functionName,
  args,
});

/** Calls of one transaction in the block of this second. */
async function at(chain: Chain, time: bigint, ...calls: readonly Call[]): Promise<void> {
  await setNextTime(chain, time);
  await sendThroughMulticall(chain, { from: deployerOf(chain), calls });
}

const deployerOf = ({ accounts: [deployer] }: Chain): Address => deployer as Address;

async function playEnds(chain: Chain): Promise<void> {
  await addController(chain, { from: deployerOf(chain), controller: addressOf(chain, "multicall3") });
  const time = NOW - 125n * DAY;
  const names = ends.map((end, i) => register(100 + i, NOW + end - time));
  await at(chain, time, register(0, 10n * YEAR), ...names);
}

async function playSubnames(chain: Chain): Promise<void> {
  const [, from] = chain.accounts as [Address, Address];
  await setNextTime(chain, NOW - 100n * DAY);
  await registerWrapped(chain, { from, label: "box" });
  for (const label of oddLabels) {
    await setWrappedSubnodeOwner(chain, { from, parent: ethNode("box"), label, owner: from });
  }
}

/** Every kind of feed item except claims, with owners that change; years and prices of several sizes. */
async function playNames(chain: Chain): Promise<void> {
  const [, alice, bob, carol, dave] = chain.accounts as [Address, Address, Address, Address, Address];
  await setNextTime(chain, NOW - 60n * DAY);
  await registerWrapped(chain, { from: alice, label: "wrapped", duration: 2n * YEAR });
  await registerReferred(chain, { from: bob, label: "sold", duration: 3n * YEAR });
  await renewReferred(chain, { from: bob, label: "sold", duration: 4n * YEAR });
  await registerV3(chain, { from: carol, label: "moved" });
  await transferRegistration(chain, { from: carol, label: "moved", to: dave });
  await wrapETH2LD(chain, { from: dave, label: "moved", owner: bob });
  await unwrapETH2LD(chain, { from: bob, label: "moved", registrant: alice, controller: alice });
}

/** Names claimed, cleared, and claimed without an event, at several registrars of one chain. */
async function playClaims(chain: Chain): Promise<void> {
  const [deployer, alice, bob, carol, dave, erin, frank] = chain.accounts as Address[] & Record<0, Address>;
  for (const from of [alice, bob, carol, erin] as Address[]) {
    await setReverseName(chain, { from, name: "moved.eth" });
  }
  await setReverseName(chain, { from: carol as Address, name: "" });
  for (const from of [bob, carol] as Address[]) await setDefaultName(chain, { from, name: "sold.eth" });
  await setDefaultName(chain, { from: carol as Address, name: "" });
  await setLayer2Name(chain, { from: erin as Address, name: "box.eth" });
  const registrar = "reverseRegistrar2";
  await useReverseRegistrar(chain, { from: deployer, registrar });
  await setReverseName(chain, { from: dave as Address, name: "silent.eth", registrar });
  await setReverseName(chain, { from: frank as Address, name: "", registrar });
}

/** Only Alice claims a name on both chains: Carol cleared hers there, Erin hers here, and Frank has none there. */
async function playLayer2Claims(chain: Chain): Promise<void> {
  const [, alice, , carol, , erin, frank] = chain.accounts;
  for (const from of [alice, carol, erin, frank] as Address[]) {
    await setLayer2Name(chain, { from, name: "here.eth" });
  }
  await setLayer2Name(chain, { from: erin as Address, name: "" });
}

async function playWindows(chain: Chain): Promise<void> {
  const firstDay = MIDNIGHT - 29n * DAY;
  await at(chain, firstDay - 1n, register(1, YEAR), renewal());
  await at(chain, firstDay, register(2, YEAR), renewal(), renewal()); // One name in one transaction counts once.
  await at(chain, NOW - 7n * DAY, register(3, YEAR), renewal());
  await at(chain, NOW - 7n * DAY + 1n, register(4, YEAR), register(5, YEAR), renewal());
  await at(chain, MIDNIGHT - DAY - 1n, register(6, YEAR - 1n));
  await at(chain, MIDNIGHT - DAY, renewal(2n * YEAR));
  await at(chain, NOW - DAY, register(7, YEAR), renewal());
  await at(chain, NOW - DAY + 1n, register(8, YEAR));
  await at(chain, MIDNIGHT - 1n, register(9, YEAR), renewal());
  await at(chain, MIDNIGHT, register(10, YEAR), register(firstEnded, YEAR, 0xa9a1));
  await at(chain, NOW, register(11, YEAR), register(12, YEAR), renewal());
}
