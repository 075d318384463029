import { namehash } from "viem";
import {
  addressOf,
  allowReservations,
  buyName,
  deployResolver,
  deployUserRegistry,
  ethNode,
  freezeV1,
  fundForEnsv2,
  handOverV1,
  migrateLocked,
  migrateSubname,
  migrateUnwrapped,
  openEnsv2,
  registerEntry,
  renewName,
  reserveNames,
  setEntryResolver,
  setParent,
  setSubregistry,
  switchToEnsv2,
  transferEntry,
  writeAllToResolver,
  YEAR,
} from "./acts.ts";
import type { Cast, Chapter } from "./chapters.ts";

/** What the demo goes on with where ENSv2 stands beside ENSv1: the change in its phases, and what people do then. */
export const ensv2Chapters: readonly Chapter[] = [
  { day: 991n, title: "ENSv2: names are reserved", play: playReservations },
  { day: 992n, title: "ENSv2: ENSv1 is frozen", play: playFreeze },
  { day: 993n, title: "ENSv2: renewals resume", play: playHandOver },
  { day: 994n, title: "ENSv2: opened", play: playOpening },
  { day: 995n, title: "ENSv2: moved.eth and wrapped.eth migrate", play: playMigrations },
  { day: 996n, title: "ENSv2: newcomer.eth", play: playNewcomer },
  { day: 997n, title: "ENSv2: handed.eth", play: playHanded },
];

/** The names of ENSv1 that are reserved; those that ended long ago are not. */
const RESERVED = [
  "alice",
  "wrapped",
  "moved",
  "reborn",
  "legacy",
  "grace",
  "revealed",
  "agent",
  "bound",
  "claimed",
  "borrowed",
  "wrapped-agent",
  "offchain",
  "multi-one",
  "multi-two",
  "multi-three",
];

async function playReservations({ chain, deployer }: Cast): Promise<void> {
  await allowReservations(chain, { from: deployer });
  await reserveNames(chain, { from: deployer, names: RESERVED.map((label) => ({ label })) });
}

async function playFreeze({ chain, deployer }: Cast): Promise<void> {
  await freezeV1(chain, { from: deployer });
}

async function playHandOver({ chain, deployer, alice, bob, carol }: Cast): Promise<void> {
  await handOverV1(chain, { from: deployer });
  for (const account of [alice, bob, carol]) await fundForEnsv2(chain, { account });
  await renewName(chain, { from: alice, label: "alice", registrar: "renewerV1" });
}

async function playOpening({ chain, deployer }: Cast): Promise<void> {
  await openEnsv2(chain, { from: deployer });
  await switchToEnsv2(chain, { from: deployer });
}

/** moved.eth goes to another person on its way; wrapped.eth is locked, so that its subnames can follow. */
async function playMigrations({ chain, alice, bob, carol }: Cast): Promise<void> {
  const resolver = addressOf(chain, "publicResolverV2");
  await migrateUnwrapped(chain, { from: carol, label: "moved", owner: bob, resolver });
  await migrateLocked(chain, { from: alice, label: "wrapped", registry: "registryOfWrapped" });
  const parent = { parent: "registryOfWrapped", parentNode: ethNode("wrapped") };
  await migrateSubname(chain, { from: bob, label: "sub", ...parent });
}

/** A name that only ENSv2 knows, with a resolver and a registry of its own. */
async function playNewcomer({ chain, alice, bob }: Cast): Promise<void> {
  await deployResolver(chain, { from: alice, name: "resolverOfNewcomer" });
  await deployUserRegistry(chain, { from: alice, name: "registryOfNewcomer" });
  const subregistry = addressOf(chain, "registryOfNewcomer");
  const resolver = addressOf(chain, "resolverOfNewcomer");
  await buyName(chain, { from: alice, label: "newcomer", resolver, subregistry, duration: 2n * YEAR });
  const parent = addressOf(chain, "ethRegistry");
  await setParent(chain, { from: alice, registry: "registryOfNewcomer", parent, label: "newcomer" });
  await registerEntry(chain, {
    from: alice,
    registry: "registryOfNewcomer",
    label: "sub",
    owner: bob,
    resolver,
  });
  const name = ["newcomer", "eth"];
  await writeAllToResolver(chain, {
    from: alice,
    resolver: "resolverOfNewcomer",
    writes: [
      { name, write: { kind: "text", key: "url", value: "https://newcomer.example" } },
      { name, write: { kind: "address", coinType: 0x80000000n, bytes: alice } },
      { name: ["sub", ...name], write: { kind: "link", node: namehash("newcomer.eth") } },
    ],
  });
}

/** Bought for another stablecoin, sold, and hung below the same registry as newcomer.eth. */
async function playHanded({ chain, bob, carol }: Cast): Promise<void> {
  await buyName(chain, { from: bob, label: "handed", token: "dai" });
  await transferEntry(chain, { from: bob, label: "handed", to: carol });
  await setSubregistry(chain, {
    from: carol,
    label: "handed",
    subregistry: addressOf(chain, "registryOfNewcomer"),
  });
  await setEntryResolver(chain, {
    from: carol,
    label: "handed",
    resolver: addressOf(chain, "resolverOfNewcomer"),
  });
}
