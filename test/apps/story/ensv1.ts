import { type Hex, zeroAddress } from "viem";
import {
  addressOf,
  approveForAll,
  clearRecords,
  DAY,
  ethNode,
  FUSES,
  GRACE,
  hashLabel,
  nodeBelow,
  registerByHash,
  renewByHash,
  setFuses,
  setOwner,
  setResolver,
  setSubnodeOwner,
  setSubnodeRecord,
  setText,
  setWrappedSubnodeOwner,
  setWrappedSubnodeRecord,
  transferRegistration,
  transferWrapped,
  wrapETH2LD,
  writeRecord,
  writeRecords,
  YEAR,
} from "../../../devnet/acts.ts";
import { around, daysBefore, leaseUntil, type Story, sendMany } from "./times.ts";

/*
 * Names of ENSv1 from before ENSv2 opens: those of an account with few names (alice), others' rights to them, and
 * subnames of an account with many (carol).
 */

export const EVM = 0x80000000n;
export const BASE_COIN = EVM + 8453n;
const BITCOIN = 0n;
export const ofBitcoin: Hex = `0x0014${"ab".repeat(20)}`;

/** Keys of texts that alice.eth has, or had, at its resolver. */
export const texts = { set: ["avatar", "url"], cleared: ["description"] };

/** Subnames that only the registry knows, without a text: below carol.eth. */
const HEAVY_SUBNAMES = 230;

/** Names of ENSv1 that end around the present: at their expiry, and at the end of their grace. */
export const endingOfEnsv1 = ({ present }: Pick<Story, "present">) => {
  const [ended, ends, live] = around(present);
  const [over, last, grace] = around(present - GRACE);
  return [
    { label: "v1-ended", expiry: ended },
    { label: "v1-ends", expiry: ends },
    { label: "v1-live", expiry: live },
    { label: "v1-over", expiry: over },
    { label: "v1-last", expiry: last },
    { label: "v1-grace", expiry: grace },
  ];
};

/** Names whose address records resolve to frank, or did. */
const paying = ["pay60", "paybase", "paydefault", "payshadow", "payzero", "payformer", "paycleared"];

/** Names that last, by their first owner. */
const lasting = {
  alice: ["alice", "managed", "wrapped", "hard", "renewed", "soft", "locked", "given", "late"],
  bob: ["moved", ...paying],
  carol: ["carol"],
  dave: ["handed", "back"],
} as const;

export const lastingLabels = (): string[] => Object.values(lasting).flat();

/** Names of ENSv1 that ENSv2 reserves; `late.eth` and `back.eth` are overlooked. */
export const reservedOfEnsv1 = (story: Pick<Story, "present">): string[] => [
  ...lastingLabels().filter((label) => !["late", "back"].includes(label)),
  ...endingOfEnsv1(story).map(({ label }) => label),
];

export async function playEnsv1(story: Story): Promise<void> {
  await register(story);
  await wrapNames(story);
  await makeSubnames(story);
  await writeRecordsOfAlice(story);
  await writeAddresses(story);
  await changeOwners(story);
}

async function register({ chain, cast, present }: Story): Promise<void> {
  const { deployer, alice } = cast;
  const expiry = present + 200n * DAY;
  const long = (["alice", "bob", "carol", "dave"] as const).flatMap((who) =>
    lasting[who].map((label) => ({ label, owner: cast[who], expiry })),
  );
  const ending = endingOfEnsv1({ present }).map((one) => ({ ...one, owner: alice }));
  await leaseUntil(chain, { from: deployer, leases: [...long, ...ending] });
  // No log holds the label, so the name is listed by its hash.
  await registerByHash(chain, { from: deployer, label: "hidden", owner: alice, duration: 2n * YEAR });
}

async function wrapNames({ chain, cast }: Story): Promise<void> {
  const { deployer, alice: from } = cast;
  const resolver = addressOf(chain, "resolver5");
  for (const label of ["wrapped", "hard", "renewed", "soft", "locked"]) {
    await wrapETH2LD(chain, { from, label, resolver });
  }
  for (const label of ["hard", "locked"]) {
    await setFuses(chain, { from, node: ethNode(label), fuses: FUSES.CANNOT_UNWRAP });
  }
  // Renewed at the registrar alone: the wrapper's own expiry stays behind.
  await renewByHash(chain, { from: deployer, label: "renewed", duration: YEAR });
}

async function makeSubnames({ chain, cast, present }: Story): Promise<void> {
  const { alice, bob, carol } = cast;
  const resolver = addressOf(chain, "resolver5");
  await setSubnodeOwner(chain, { from: alice, parent: ethNode("alice"), label: "sub", owner: bob });
  await setSubnodeOwner(chain, { from: alice, parent: ethNode("alice"), label: "empty", owner: bob });
  await setSubnodeOwner(chain, { from: alice, parent: ethNode("alice"), label: "empty", owner: zeroAddress });
  const paid = { from: alice, parent: ethNode("alice"), label: "pay", owner: alice, resolver };
  await setSubnodeRecord(chain, paid);
  const child = { from: alice, parent: ethNode("wrapped"), owner: bob };
  await setWrappedSubnodeOwner(chain, { ...child, label: "plain" });
  const freed = FUSES.PARENT_CANNOT_CONTROL | FUSES.CANNOT_UNWRAP;
  const free = { from: alice, owner: bob, resolver, fuses: freed };
  const [ended, ends, live] = around(present);
  const edges = Object.entries({ ended, ends, live, sub: present + 50n * DAY });
  for (const [label, expiry] of edges) {
    await setWrappedSubnodeRecord(chain, { ...free, parent: ethNode("hard"), label, expiry });
  }
  for (const label of ["kid", "left"]) {
    const expiry = present + 50n * DAY;
    await setWrappedSubnodeRecord(chain, { ...free, parent: ethNode("locked"), label, expiry });
  }
  await sendMany(
    chain,
    heavyLabels().map((label) => ({
      from: carol,
      contract: "registry",
      functionName: "setSubnodeOwner",
      args: [ethNode("carol"), hashLabel(label), carol],
    })),
  );
}

const heavyLabels = (): string[] => Array.from({ length: HEAVY_SUBNAMES }, (_, at) => `v1-sub-${at}`);

/** Names of the heavy account's subnames as answers spell them: no log holds their labels. */
export const heavySubnames = (): string[] =>
  heavyLabels().map((label) => `[${hashLabel(label).slice(2)}].carol.eth`);

/** Records of alice.eth at two resolvers: set, cleared, and at a resolver that it no longer has. */
async function writeRecordsOfAlice(story: Story): Promise<void> {
  const { chain, cast } = story;
  const { alice: from, frank } = cast;
  const node = ethNode("alice");
  await daysBefore(story, 300n);
  await setResolver(chain, { from, node, resolver: addressOf(chain, "resolver4") });
  const old = { from, resolver: "resolver4", node };
  await setText(chain, { ...old, key: "url", value: "https://former.example" });
  await setText(chain, { ...old, key: "com.github", value: "alice" });
  await daysBefore(story, 290n);
  await setResolver(chain, { from, node, resolver: addressOf(chain, "resolver5") });
  const now = { from, resolver: "resolver5", node };
  for (const value of ["https://first.example", "https://alice.example"]) {
    await setText(chain, { ...now, key: "url", value });
  }
  for (const value of ["soon cleared", ""]) await setText(chain, { ...now, key: "description", value });
  await writeRecords(chain, {
    ...now,
    writes: [
      { kind: "text", key: "avatar", value: "https://alice.example/avatar.png" },
      { kind: "coin", coinType: 60n, bytes: frank },
      { kind: "coin", coinType: BITCOIN, bytes: ofBitcoin },
      { kind: "coin", coinType: 2n, bytes: `0x0014${"cd".repeat(20)}` },
      {
        kind: "contenthash",
        hash: `0xe3010170122029f2d17be6139079dc48696d1f582a8530eb9805b561eda517e2${"0".repeat(4)}`,
      },
      { kind: "abi", contentType: 1n, data: "0x5b5d" },
      { kind: "interface", id: "0x36372b07", implementer: frank },
      { kind: "pubkey", x: `0x${"11".repeat(32)}`, y: `0x${"22".repeat(32)}` },
      { kind: "name", name: "alice.eth" },
    ],
  });
  await writeRecord(chain, { ...now, write: { kind: "coin", coinType: 2n, bytes: "0x" } });
}

/** Which names resolve to which account: to frank by one coin type or another, or no longer. */
async function writeAddresses({ chain, cast }: Story): Promise<void> {
  const { alice, bob: from, frank } = cast;
  const set = (label: string, coinType: bigint, bytes: Hex) =>
    writeRecord(chain, {
      from,
      resolver: "resolver5",
      node: ethNode(label),
      write: { kind: "coin", coinType, bytes },
    });
  for (const label of ["pay60", "payzero", "payformer", "paycleared"]) await set(label, 60n, frank);
  await set("paybase", BASE_COIN, frank);
  for (const label of ["paydefault", "payshadow"]) await set(label, EVM, frank);
  await set("payshadow", BASE_COIN, from);
  await set("payzero", 60n, zeroAddress);
  const resolver = addressOf(chain, "resolver4");
  await setResolver(chain, { from, node: ethNode("payformer"), resolver });
  await clearRecords(chain, { from, resolver: "resolver5", node: ethNode("paycleared") });
  const node = nodeBelow(ethNode("alice"), "pay");
  await writeRecord(chain, {
    from: alice,
    resolver: "resolver5",
    node,
    write: { kind: "addr", address: frank },
  });
}

/** Managers who are not owners, and an owner who gave a name away. */
async function changeOwners(story: Story): Promise<void> {
  const { chain, cast } = story;
  const { alice, bob, dave, erin } = cast;
  await daysBefore(story, 200n);
  await setOwner(chain, { from: alice, node: ethNode("managed"), owner: dave });
  await setOwner(chain, { from: dave, node: ethNode("handed"), owner: alice });
  await transferRegistration(chain, { from: alice, label: "given", to: erin });
  await approveForAll(chain, { from: alice, contract: "registry", operator: dave });
  await transferWrapped(chain, { from: bob, node: nodeBelow(ethNode("wrapped"), "plain"), to: erin });
}
