import { type Address, type Hex, hexToString, parseEther } from "viem";
import type { Chain } from "./acts.ts";
import {
  addController,
  addressOf,
  agentKey,
  auctionName,
  bindAgent,
  DAY,
  encodeWrite,
  ethNode,
  FUSES,
  hashLabel,
  migrateRegistration,
  nodeBelow,
  REVERSE_RECORD,
  reclaim,
  registerAgent,
  registerByHash,
  registerManyReferred,
  registerReferred,
  registerV3,
  registerWithConfigV3,
  registerWrapped,
  registrarToken,
  renewReferred,
  sendThroughMulticall,
  setDefaultName,
  setFuses,
  setOwner,
  setResolver,
  setReverseName,
  setSubnodeRecord,
  setText,
  setWrappedSubnodeRecord,
  TOKEN_STANDARD,
  toWriteCall,
  transferRegistration,
  useOldRegistrar,
  useReverseRegistrar,
  wrapETH2LD,
  wrapperToken,
  writeRecord,
  writeRecords,
  YEAR,
} from "./acts.ts";
import { type Cast, type Chapter, demoCast, playChapters, type Telling } from "./chapters.ts";

/** Labels of the demo that no dotted name can show. */
export const oddLabels = {
  /** Registered by hash alone; no log of the chain holds it. */
  unknown: "never-revealed",
  /** Printable, but not normalised: another name than its lower-case form. */
  unnormalised: "Ünnormal ☃",
  dotted: "dot.in.label",
  bracketed: "[brackets]",
  nul: "nul\u0000inside",
  notUtf8: Uint8Array.from([0x6e, 0x6f, 0x74, 0xff, 0xfe, 0x38]),
  long: "long".repeat(2560),
} as const;

const spellingOf = (label: string | Uint8Array): string => `[${hashLabel(label).slice(2)}].eth`;

/** One name of the demo and what it is there to show. */
export type DemoName = { name: string; meaning: string };

/**
 * The names of the demo, with one line of meaning each, in the spelling of the API. They hold whenever the chain
 * is started. Only the name of `oddLabels.long` is left out: it is ten kilobytes long.
 */
export const demoNames: readonly DemoName[] = [
  {
    name: "alice.eth",
    meaning: "registered by the newest controller; texts, addresses, contenthash, primary name",
  },
  {
    name: "pay.alice.eth",
    meaning:
      "a subname in the registry, without an expiry; lists show its label after a request for the name",
  },
  { name: "wrapped.eth", meaning: "wrapped, with fuses burnt" },
  { name: "sub.wrapped.eth", meaning: "an emancipated subname with an expiry of its own" },
  { name: "grace.eth", meaning: "expired 30 days ago: only a renewal is possible" },
  { name: "premium.eth", meaning: "expired 95 days ago: for sale at a falling premium" },
  { name: "expiring.eth", meaning: "registered two weeks ago for a month: expires in 15 days" },
  { name: "dropping.eth", meaning: "expired 86 days ago: leaves its grace in 4 days" },
  { name: "falling.eth", meaning: "expired 107 days ago: its premium ends in 4 days" },
  { name: "freed.eth", meaning: "became free 3 days ago: anyone can register it" },
  { name: "lapsed.eth", meaning: "wrapped, then expired long ago: available again" },
  { name: "reborn.eth", meaning: "expired, then bought by another owner" },
  { name: "moved.eth", meaning: "transferred; resolver changed twice, with records on each" },
  { name: "auctioned.eth", meaning: "auctioned in the old registry, never migrated" },
  {
    name: "legacy.eth",
    meaning: "oldest controller and resolver; texts whose events carry no value; silent primary name",
  },
  { name: "revealed.eth", meaning: "registered by hash alone, made known by a later renewal" },
  { name: spellingOf(oddLabels.unknown), meaning: "registered by hash alone; its label is not known" },
  { name: `${oddLabels.unnormalised}.eth`, meaning: "a label that is not normalised" },
  { name: spellingOf(oddLabels.dotted), meaning: "a label that holds dots" },
  { name: spellingOf(oddLabels.bracketed), meaning: "a label that holds brackets" },
  { name: spellingOf(oddLabels.nul), meaning: "a label that holds a NUL" },
  { name: spellingOf(oddLabels.notUtf8), meaning: "a label that is not UTF-8" },
  { name: "multi-one.eth", meaning: "one of three registrations in one transaction; a default primary name" },
  { name: "multi-two.eth", meaning: "the second of the same transaction" },
  { name: "multi-three.eth", meaning: "the third of the same transaction" },
  { name: "agent.eth", meaning: "an agent that the name claims and that is bound to it; a profile" },
  { name: "bound.eth", meaning: "an agent is bound to the name, which does not claim it" },
  { name: "claimed.eth", meaning: "claims an agent that is not bound to anything" },
  { name: "borrowed.eth", meaning: "claims the agent of agent.eth, which is bound to that name's token" },
  { name: "wrapped-agent.eth", meaning: "wrapped; two agents, one bound before the wrapping, one after" },
  { name: "offchain.eth", meaning: "its records are at a gateway (CCIP-Read), not on chain" },
  { name: "anything.offchain.eth", meaning: "in no event; exists because that gateway answers for it" },
];

const chapters: readonly Chapter[] = [
  { day: 1n, title: "auctioned.eth", play: playAuctioned },
  { day: 10n, title: "legacy.eth, registered", play: playLegacyRegistration },
  { day: 15n, title: "legacy.eth, migrated", play: playLegacyMigration },
  { day: 20n, title: "moved.eth", play: playMoved },
  { day: 100n, title: "reborn.eth, first owner", play: playFirstLifeOfReborn },
  { day: 400n, title: "lapsed.eth", play: playLapsed },
  { day: 521n, title: "freed.eth", play: playYearOf("freed") },
  { day: 528n, title: "falling.eth", play: playYearOf("falling") },
  { day: 540n, title: "premium.eth", play: playPremium },
  { day: 549n, title: "dropping.eth", play: playYearOf("dropping") },
  { day: 600n, title: "reborn.eth, second owner", play: playSecondLifeOfReborn },
  { day: 605n, title: "grace.eth", play: playGrace },
  { day: 700n, title: "moved.eth, new resolver", play: playSecondResolverOfMoved },
  { day: 710n, title: "moved.eth, new owner", play: playTransferOfMoved },
  { day: 800n, title: "wrapped.eth", play: playWrapped },
  { day: 850n, title: "names without a known label", play: playUnknown },
  { day: 860n, title: "odd labels", play: playOddLabels },
  { day: 900n, title: "three names at once", play: playMulti },
  { day: 950n, title: "alice.eth", play: playAlice },
  { day: 955n, title: "agents", play: playAgents },
  { day: 957n, title: "wrapped-agent.eth", play: playWrappedAgent },
  { day: 960n, title: "offchain.eth", play: playOffchain },
  { day: 985n, title: "expiring.eth", play: playExpiring },
  { day: 990n, title: "revealed.eth", play: playRevealed },
];

/** What the demo goes on with where ENSv1 stands alone: ENSv2 freezes its controllers before this day. */
export const ensv1Chapters: readonly Chapter[] = [{ day: 997n, title: "fresh.eth", play: playFresh }];

/**
 * Plays the demo on a chain whose contracts are deployed, and `more` chapters on their days. The newest block ends at
 * `start` + {@link STORY_SECONDS}. The same start gives the same blocks.
 */
export async function playDemo(
  chain: Chain,
  { more = [], ...telling }: Telling & { more?: readonly Chapter[] },
): Promise<void> {
  await playChapters(chain, [...chapters, ...more], telling);
}

/** IPFS contenthash of that SHA-256 digest, as EIP-1577 writes it. */
export function ipfsContenthash(digest: Hex): Hex {
  return `0xe30101701220${digest.slice(2)}`;
}

/** The script of a Bitcoin pay-to-public-key-hash address, as ENSIP-9 stores it. */
function bitcoinScript(publicKeyHash: Hex): Hex {
  return `0x76a914${publicKeyHash.slice(2)}88ac`;
}

const BTC = 0n;

/** Two bid; the name was never migrated, so only the old registry knows it. */
async function playAuctioned({ chain, alice, bob }: Cast): Promise<void> {
  const bids = [
    { from: alice, value: parseEther("0.5"), deposit: parseEther("2") },
    { from: bob, value: parseEther("0.2") },
  ] as const;
  await auctionName(chain, { label: "auctioned", bids });
}

/** The controller of 2019, while its registrar owns `eth` in the old registry. */
async function playLegacyRegistration({ chain, deployer, bob }: Cast): Promise<void> {
  await useOldRegistrar(chain, { from: deployer, registrar: "oldRegistrar" });
  await registerV3(chain, { from: bob, label: "legacy", duration: 5n * YEAR, controller: "controller1" });
}

/** Into the registry and the registrar of 2020; then the records and the primary name of those years. */
async function playLegacyMigration({ chain, deployer, bob }: Cast): Promise<void> {
  const [label, resolver, node] = ["legacy", "resolver2", ethNode("legacy")];
  await useOldRegistrar(chain, { from: deployer, registrar: "registrarMigration" });
  await migrateRegistration(chain, { from: bob, label });
  await setResolver(chain, { from: bob, node, resolver: addressOf(chain, resolver) });
  await writeRecord(chain, { from: bob, resolver, node, write: { kind: "addr", address: bob } });
  await playLegacyTexts({ chain, bob });
  await useReverseRegistrar(chain, { from: deployer, registrar: "reverseRegistrar2" });
  await setReverseName(chain, { from: bob, name: "legacy.eth", registrar: "reverseRegistrar2" });
  await useReverseRegistrar(chain, { from: deployer, registrar: "reverseRegistrar3" });
}

/**
 * The old resolver's text event has no value: `email` is set straight, so that the calldata holds it, and
 * `url` through a contract that owns the node for a moment, so that only the chain's state holds it.
 */
async function playLegacyTexts({ chain, bob }: Pick<Cast, "chain" | "bob">): Promise<void> {
  const [resolver, node] = ["resolver2", ethNode("legacy")];
  await setText(chain, { from: bob, resolver, node, key: "email", value: "bob@legacy.example" });
  const multicall = addressOf(chain, "multicall3");
  await setOwner(chain, { from: bob, node, owner: multicall });
  const write = { kind: "text", key: "url", value: "https://legacy.example" } as const;
  const giveBack = { from: multicall, contract: "registry", functionName: "setOwner", args: [node, bob] };
  const calls = [toWriteCall({ from: multicall, resolver, node, write }), giveBack];
  await sendThroughMulticall(chain, { from: bob, calls });
}

async function playMoved({ chain, alice }: Cast): Promise<void> {
  const [label, resolver, node] = ["moved", "resolver3", ethNode("moved")];
  await registerWithConfigV3(chain, { from: alice, label, duration: 5n * YEAR, resolver, addr: alice });
  await setText(chain, { from: alice, resolver, node, key: "description", value: "on the first resolver" });
  await setText(chain, { from: alice, resolver, node, key: "url", value: "https://first.moved.example" });
}

async function playSecondResolverOfMoved({ chain, alice }: Cast): Promise<void> {
  const [resolver, node] = ["resolver4", ethNode("moved")];
  await setResolver(chain, { from: alice, node, resolver: addressOf(chain, resolver) });
  await writeRecords(chain, {
    from: alice,
    resolver,
    node,
    writes: [
      { kind: "addr", address: alice },
      { kind: "text", key: "description", value: "on the second resolver" },
      { kind: "contenthash", hash: ipfsContenthash(hashLabel("moved")) },
    ],
  });
}

async function playTransferOfMoved({ chain, alice, carol }: Cast): Promise<void> {
  const [label, resolver, node] = ["moved", "resolver5", ethNode("moved")];
  await transferRegistration(chain, { from: alice, label, to: carol });
  await reclaim(chain, { from: carol, label, owner: carol });
  await setResolver(chain, { from: carol, node, resolver: addressOf(chain, resolver) });
  await writeRecords(chain, {
    from: carol,
    resolver,
    node,
    writes: [
      { kind: "addr", address: carol },
      { kind: "text", key: "description", value: "on the third resolver" },
    ],
  });
}

async function playFirstLifeOfReborn({ chain, alice }: Cast): Promise<void> {
  await registerWrapped(chain, {
    from: alice,
    label: "reborn",
    resolver: "resolver4",
    records: [{ kind: "text", key: "description", value: "the first life" }],
  });
}

/** Expired on day 465, so grace ended on day 555 and the premium on day 576. */
async function playSecondLifeOfReborn({ chain, bob }: Cast): Promise<void> {
  await registerReferred(chain, {
    from: bob,
    label: "reborn",
    duration: 3n * YEAR,
    resolver: "resolver5",
    records: [
      { kind: "addr", address: bob },
      { kind: "text", key: "description", value: "the second life" },
    ],
  });
}

/** Expires on day 765, and is not renewed. */
async function playLapsed({ chain, carol }: Cast): Promise<void> {
  await registerWrapped(chain, { from: carol, label: "lapsed", resolver: "resolver4" });
}

/** Expires on day 905, 95 days before the present. */
async function playPremium({ chain, carol }: Cast): Promise<void> {
  await registerV3(chain, { from: carol, label: "premium" });
}

/** A name that is bought for a year and then left alone. */
function playYearOf(label: string): Chapter["play"] {
  return async ({ chain, carol }) => {
    await registerV3(chain, { from: carol, label });
  };
}

/** Expires on day 1015. */
async function playExpiring({ chain, carol }: Cast): Promise<void> {
  await registerReferred(chain, { from: carol, label: "expiring", duration: 30n * DAY });
}

/** Three days before the present: statistics of the last week have a sale. */
async function playFresh({ chain, bob }: Cast): Promise<void> {
  await registerReferred(chain, { from: bob, label: "fresh", duration: 2n * YEAR });
}

/** Expires on day 970, 30 days before the present. */
async function playGrace({ chain, alice }: Cast): Promise<void> {
  await registerReferred(chain, {
    from: alice,
    label: "grace",
    resolver: "resolver5",
    records: [{ kind: "addr", address: alice }],
  });
}

/** Expires on day 1530; the subname on day 1300. */
async function playWrapped({ chain, start, alice, bob }: Cast): Promise<void> {
  const [label, resolver, node] = ["wrapped", "resolver4", ethNode("wrapped")];
  const { CANNOT_UNWRAP, CANNOT_SET_TTL, PARENT_CANNOT_CONTROL } = FUSES;
  await registerWrapped(chain, {
    from: alice,
    label,
    duration: 2n * YEAR,
    resolver,
    records: [
      { kind: "addr", address: alice },
      { kind: "text", key: "description", value: "a wrapped name" },
    ],
  });
  await setFuses(chain, { from: alice, node, fuses: CANNOT_UNWRAP | CANNOT_SET_TTL });
  await setWrappedSubnodeRecord(chain, {
    from: alice,
    parent: node,
    label: "sub",
    owner: bob,
    resolver: addressOf(chain, resolver),
    fuses: PARENT_CANNOT_CONTROL | CANNOT_UNWRAP,
    expiry: start + 1300n * DAY,
  });
  const sub = nodeBelow(node, "sub");
  await setText(chain, { from: bob, resolver, node: sub, key: "url", value: "https://sub.wrapped.example" });
}

async function playUnknown({ chain, deployer, controller, bob }: Cast): Promise<void> {
  await addController(chain, { from: deployer, controller });
  const registration = { from: controller, owner: bob, duration: 2n * YEAR };
  await registerByHash(chain, { ...registration, label: oddLabels.unknown });
  await registerByHash(chain, { ...registration, label: "revealed" });
}

async function playRevealed({ chain, bob }: Cast): Promise<void> {
  await renewReferred(chain, { from: bob, label: "revealed", referrer: hashLabel("a friend") });
}

/** Its resolver sends those who ask to a gateway, for this name and all names below it. */
async function playOffchain({ chain, bob }: Cast): Promise<void> {
  const [label, node] = ["offchain", ethNode("offchain")];
  await registerReferred(chain, { from: bob, label, duration: 3n * YEAR });
  await setResolver(chain, { from: bob, node, resolver: addressOf(chain, "offchainResolver") });
}

async function playOddLabels({ chain, bob }: Cast): Promise<void> {
  const { unnormalised, dotted, bracketed, nul, notUtf8, long } = oddLabels;
  for (const label of [unnormalised, dotted, bracketed, nul, notUtf8, long]) {
    await registerReferred(chain, { from: bob, label, duration: 2n * YEAR });
  }
}

async function playMulti({ chain, carol }: Cast): Promise<void> {
  await registerManyReferred(chain, {
    from: carol,
    registrations: [
      { label: "multi-one", resolver: "resolver5", records: [{ kind: "addr", address: carol }] },
      { label: "multi-two" },
      { label: "multi-three" },
    ],
  });
  await setDefaultName(chain, { from: carol, name: "multi-one.eth" });
}

async function playAlice({ chain, alice }: Cast): Promise<void> {
  const [label, resolver, node] = ["alice", "resolver5", ethNode("alice")];
  await registerReferred(chain, {
    from: alice,
    label,
    duration: 3n * YEAR,
    resolver,
    records: [
      { kind: "addr", address: alice },
      { kind: "text", key: "description", value: "Alice shows what a name can hold" },
      { kind: "text", key: "url", value: "https://alice.example" },
      { kind: "text", key: "avatar", value: "https://alice.example/avatar.png" },
      { kind: "text", key: "com.twitter", value: "alice" },
      { kind: "text", key: "display", value: "Alice.eth" },
    ],
    reverseRecord: REVERSE_RECORD.addr,
    referrer: hashLabel("a friend"),
  });
  const contenthash = ipfsContenthash(hashLabel("the pages of alice"));
  const script = bitcoinScript("0x62e907b15cbf27d5425399ebf6f0fb50ebb88f18");
  await writeRecord(chain, {
    from: alice,
    resolver,
    node,
    write: { kind: "coin", coinType: BTC, bytes: script },
  });
  await writeRecord(chain, {
    from: alice,
    resolver,
    node,
    write: { kind: "contenthash", hash: contenthash },
  });
  const pay = nodeBelow(node, "pay");
  const address = addressOf(chain, resolver);
  await setSubnodeRecord(chain, { from: alice, parent: node, label: "pay", owner: alice, resolver: address });
  await writeRecord(chain, { from: alice, resolver, node: pay, write: { kind: "addr", address: alice } });
}

/** Ten bytes in the transaction of `changeOfAlice`, for the digits of a time: the same value again would be no change. */
export const timePlace = "40".repeat(10);

/** A transaction that alice can send once the story is told: it sets a text record of alice.eth. */
export function changeOfAlice(chain: Chain): { from: Address; to: Address; data: Hex } {
  const resolver = "resolver5";
  const write = { kind: "text", key: "status", value: hexToString(`0x${timePlace}`) } as const;
  const data = encodeWrite(chain, { resolver, node: ethNode("alice"), write });
  return { from: chain.accounts[demoCast.alice] as Address, to: addressOf(chain, resolver), data };
}

/** The holder of a name's token can bind agents to it; the name itself says by a record which agent is its own. */
async function playAgents({ chain, alice, bob, carol }: Cast): Promise<void> {
  const duration = 2n * YEAR;
  await registerReferred(chain, { from: alice, label: "agent", duration, resolver: "resolver5" });
  const uri = "https://agent.example/agent.json";
  const { agentId } = await bindAgent(chain, { from: alice, token: registrarToken("agent"), uri });
  const key = await agentKey(chain, { agentId });
  await writeRecords(chain, {
    from: alice,
    resolver: "resolver5",
    node: ethNode("agent"),
    writes: [
      { kind: "text", key, value: "1" },
      { kind: "text", key: "avatar", value: "https://agent.example/avatar.png" },
      { kind: "text", key: "description", value: "Answers questions about names" },
      { kind: "text", key: "agent-context", value: "# agent.eth\n\nAsk for a name; get what it holds." },
      { kind: "text", key: "agent-endpoint[mcp]", value: "https://agent.example/mcp" },
      { kind: "text", key: "agent-endpoint[web]", value: "https://agent.example" },
    ],
  });
  await registerReferred(chain, { from: bob, label: "bound", duration, resolver: "resolver5" });
  await bindAgent(chain, { from: bob, token: registrarToken("bound"), uri: "ipfs://bound/agent.json" });
  const unbound = await registerAgent(chain, { from: carol, uri: "https://claimed.example/agent.json" });
  await claimAgent({ chain, from: carol, label: "claimed", agentId: unbound.agentId });
  await claimAgent({ chain, from: carol, label: "borrowed", agentId });
}

/** Registers a name that says of an agent that it is its own. */
async function claimAgent({
  chain,
  from,
  label,
  agentId,
}: Pick<Cast, "chain"> & { from: Address; label: string; agentId: bigint }): Promise<void> {
  const key = await agentKey(chain, { agentId });
  await registerReferred(chain, {
    from,
    label,
    duration: 2n * YEAR,
    resolver: "resolver5",
    records: [{ kind: "text", key, value: "1" }],
  });
}

/** A binding to the registrar's token stays when the name is wrapped; the wrapper's token is another one. */
async function playWrappedAgent({ chain, alice }: Cast): Promise<void> {
  const [label, resolver, node] = ["wrapped-agent", "resolver4", ethNode("wrapped-agent")];
  await registerV3(chain, { from: alice, label, duration: 2n * YEAR });
  await bindAgent(chain, { from: alice, token: registrarToken(label), uri: "ipfs://first/agent.json" });
  await wrapETH2LD(chain, { from: alice, label, resolver: addressOf(chain, resolver) });
  const standard = TOKEN_STANDARD.erc1155;
  const uri = "ipfs://second/agent.json";
  const { agentId } = await bindAgent(chain, { from: alice, token: wrapperToken(node), standard, uri });
  const key = await agentKey(chain, { agentId });
  await setText(chain, { from: alice, resolver, node, key, value: "1" });
}
