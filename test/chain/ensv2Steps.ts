import { type Address, namehash, zeroAddress } from "viem";
import { type Chance, chanceOf } from "../../bench/api/chance.ts";
import {
  addressOf,
  allowReservations,
  approveOperator,
  attempt,
  buyName,
  type Chain,
  changeToEnsv2,
  DAY,
  deployResolver,
  deployUserRegistry,
  ethNode,
  FUSES,
  fundForEnsv2,
  grantRoles,
  latestTime,
  migrateLocked,
  migrateSubname,
  migrateUnwrapped,
  migrateWrapped,
  type ResolverWrite,
  ROLES,
  ROLES_OF_AN_OWNER,
  read,
  readEntry,
  registerEntry,
  registerReferred,
  registerWrapped,
  renewEntry,
  renewName,
  renewNames,
  reserveNames,
  revokeRoles,
  send,
  setChildFuses,
  setEntryResolver,
  setParent,
  setSubregistry,
  setText,
  setWrappedSubnodeOwner,
  transferEntries,
  transferEntry,
  transferEntryUnsafely,
  unregisterEntry,
  upgradeProxy,
  warp,
  warpTo,
  withAdmin,
  writeToResolver,
  YEAR,
} from "../../devnet/acts.ts";

/** The objects of one history. */
type World = {
  chain: Chain;
  chance: Chance;
  /** Distinguishes this history's names from those of others. */
  run: number;
  deployer: Address;
  people: readonly Address[];
  /** Names of contracts that this history deployed. */
  registries: string[];
  resolvers: string[];
  /** All of them, including those removed by an upgrade: no two have the same name. */
  deployed: string[];
};

/** One step's choices: an entry of `.eth`, or of a registry of the history. */
type Turn = World & {
  someone: () => Address;
  label: string;
  entry: { label: string; registry: string };
  /** The current or last holder; any account if the entry has none, and in a tenth of the steps. */
  holder: Address;
};

type Act = (turn: Turn) => Promise<unknown>;

/** Names of ENSv1 that each history has, by their way to ENSv2. */
const oldLabels = (run: number) => ({
  plain: `plain-${run}`,
  soft: `soft-${run}`,
  locked: `locked-${run}`,
  late: `late-${run}`,
});

const labelsOf = (run: number): string[] => [
  ...Object.values(oldLabels(run)),
  ...["new", "other", "third", "fourth"].map((word) => `${word}-${run}`),
];

const SUBLABELS = ["sub", "deep", "again", "hard", "free"];

/** Lifetime of names in ENSv1: beyond all histories. */
const CENTURY = 100n * YEAR;

/** Gives each history its names in ENSv1, and opens ENSv2; three of four names of each are reserved. */
export async function prepareHistories(chain: Chain, { runs }: { runs: number }): Promise<void> {
  const [deployer = zeroAddress, ...people] = chain.accounts.slice(0, 6);
  const reserved: { label: string }[] = [];
  for (let run = 0; run < runs; run++) {
    const from = people[run % people.length] ?? deployer;
    const { plain, soft, locked, late } = oldLabels(run);
    const name = { from, duration: CENTURY };
    await registerReferred(chain, { ...name, label: plain, resolver: "resolver5" });
    await registerReferred(chain, { ...name, label: late });
    await registerWrapped(chain, { ...name, label: soft, resolver: "resolver4" });
    await registerWrapped(chain, { ...name, label: locked, fuses: FUSES.CANNOT_UNWRAP });
    const parent = ethNode(locked);
    for (const [label, fuses] of [["hard", FUSES.CANNOT_UNWRAP] as const, ["free", 0] as const]) {
      await setWrappedSubnodeOwner(chain, { from, parent, label, owner: from });
      const expiry = (await latestTime(chain)) + CENTURY;
      const burnt = fuses | FUSES.PARENT_CANNOT_CONTROL;
      await setChildFuses(chain, { from, parent, label, fuses: burnt, expiry });
    }
    reserved.push({ label: plain }, { label: soft }, { label: locked });
  }
  await allowReservations(chain, { from: deployer });
  for (let from = 0; from < reserved.length; from += 30) {
    await reserveNames(chain, { from: deployer, names: reserved.slice(from, from + 30) });
  }
  await changeToEnsv2(chain, { from: deployer });
  for (const account of [deployer, ...people]) await fundForEnsv2(chain, { account });
}

const daysOf = ({ chance }: Pick<Turn, "chance">, most: number): bigint =>
  BigInt(1 + chance.below(most)) * DAY;

/** A time from the distant past to the distant future, often a near one. */
async function timeOf(turn: Turn): Promise<bigint> {
  const now = await latestTime(turn.chain);
  return turn.chance.of([
    [5, now + daysOf(turn, 60)],
    [3, now + daysOf(turn, 900)],
    [1, now - daysOf(turn, 10)],
    [1, 2n ** 64n - 1n],
  ]);
}

function subregistryOf({ chain, chance, registries, someone }: Turn): Address {
  const own = registries.map((name): [number, Address] => [4, addressOf(chain, name)]);
  return chance.of<Address>([
    ...own,
    [4, zeroAddress],
    [1, someone()],
    [1, addressOf(chain, "ethRegistry")],
    [1, addressOf(chain, "rootRegistry")],
  ]);
}

function resolverOf({ chain, chance, resolvers, someone }: Turn): Address {
  const own = resolvers.map((name): [number, Address] => [4, addressOf(chain, name)]);
  const others = ["publicResolverV2", "resolver5", "ensV1Resolver"].map((name): [number, Address] => [
    1,
    addressOf(chain, name),
  ]);
  return chance.of<Address>([...own, ...others, [3, zeroAddress], [1, someone()]]);
}

const SOME_ROLES = [
  ROLES.setResolver,
  ROLES.setSubregistry,
  ROLES.renew,
  ROLES.unregister,
  withAdmin(ROLES.setResolver),
];

const rolesOf = ({ chance }: Turn): bigint => SOME_ROLES[chance.below(SOME_ROLES.length)] ?? 0n;

const nameOf = ({ chance, label }: Turn): string[] =>
  chance.of<string[]>([
    [4, [label, "eth"]],
    [2, [SUBLABELS[chance.below(SUBLABELS.length)] ?? "sub", label, "eth"]],
    [1, []],
  ]);

function writeOf({ chance, someone }: Turn): ResolverWrite {
  const value = String(chance.below(1_000));
  return chance.of<ResolverWrite>([
    [4, { kind: "text", key: chance.is(0.5) ? "url" : "email", value }],
    [1, { kind: "text", key: "url", value: "" }],
    [2, { kind: "address", coinType: 60n, bytes: chance.is(0.3) ? "0x" : someone() }],
    [1, { kind: "address", coinType: 0x80000000n, bytes: chance.is(0.3) ? "0x" : someone() }],
    [1, { kind: "address", coinType: 0n, bytes: chance.is(0.3) ? "0x" : `0x76${value.padStart(6, "0")}` }],
    [1, { kind: "contenthash", hash: chance.is(0.3) ? "0x" : `0xe301${value.padStart(4, "0")}` }],
    [1, { kind: "name", name: chance.is(0.3) ? "" : `name-${value}.eth` }],
    [1, { kind: "data", key: "blob", value: `0x${value.padStart(4, "0")}` }],
  ]);
}

const one = (names: readonly string[], { chance }: Pick<Turn, "chance">): string =>
  names[chance.below(names.length)] ?? "";

const tokenOf = ({ chance }: Turn): string => (chance.is(0.8) ? "usdc" : "dai");

/** Acts of people in `.eth`. */
const inEth: readonly [number, Act][] = [
  [
    12,
    (turn) =>
      buyName(turn.chain, {
        from: turn.someone(),
        owner: turn.someone(),
        label: turn.label,
        token: tokenOf(turn),
        duration: 27n * DAY + daysOf(turn, 500),
        subregistry: subregistryOf(turn),
        resolver: resolverOf(turn),
      }),
  ],
  [
    6,
    (turn) => {
      const registrar = turn.chance.is(0.7) ? "ethRegistrar" : "renewerV1";
      const duration = turn.chance.is(0.4) ? 1n + BigInt(turn.chance.below(100_000)) : daysOf(turn, 400);
      return renewName(turn.chain, {
        from: turn.someone(),
        label: turn.label,
        duration,
        registrar,
        token: tokenOf(turn),
      });
    },
  ],
  [
    1,
    (turn) => {
      const { chance, run } = turn;
      const labels = labelsOf(run).filter(() => chance.is(0.3));
      return renewNames(turn.chain, { from: turn.someone(), labels, duration: daysOf(turn, 100) });
    },
  ],
  [
    2,
    async (turn) =>
      registerEntry(turn.chain, {
        from: turn.deployer,
        label: turn.label,
        owner: turn.someone(),
        expiry: await timeOf(turn),
        roles: ROLES_OF_AN_OWNER | rolesOf(turn),
        resolver: resolverOf(turn),
        subregistry: subregistryOf(turn),
      }),
  ],
  [
    2,
    async (turn) =>
      registerEntry(turn.chain, {
        from: turn.deployer,
        label: turn.label,
        owner: zeroAddress,
        expiry: await timeOf(turn),
        resolver: turn.chance.is(0.8) ? addressOf(turn.chain, "ensV1Resolver") : zeroAddress,
      }),
  ],
  [
    2,
    async (turn) => {
      const act = { from: turn.deployer, label: turn.label, expiry: await timeOf(turn) };
      return renewEntry(turn.chain, act);
    },
  ],
  [
    3,
    (turn) => {
      const entries = labelsOf(turn.run)
        .filter(() => turn.chance.is(0.3))
        .map((label) => ({ label, value: turn.chance.is(0.5) ? 0n : 1n }));
      return transferEntries(turn.chain, { from: turn.holder, to: turn.someone(), entries });
    },
  ],
  [
    6,
    async (turn) => {
      const { tokenId, latestOwner } = await readEntry(turn.chain, { label: turn.label });
      return transferEntry(turn.chain, {
        label: turn.label,
        to: turn.someone(),
        value: 0n,
        from: latestOwner === zeroAddress ? turn.someone() : latestOwner,
        tokenId: tokenId + BigInt(turn.chance.below(3)) - 1n,
      });
    },
  ],
  [
    4,
    (turn) => {
      const { plain, soft, locked, late } = oldLabels(turn.run);
      const to = { owner: turn.someone(), resolver: resolverOf(turn), subregistry: subregistryOf(turn) };
      const from = turn.people[turn.run % turn.people.length] ?? turn.deployer;
      const registry = `wrapper-${turn.run}`;
      const migrateParent = async () => {
        await migrateLocked(turn.chain, { ...to, from, label: locked, registry });
        turn.registries.push(registry);
      };
      const migrateBelow = () =>
        migrateSubname(turn.chain, {
          ...to,
          from,
          label: turn.chance.is(0.5) ? "hard" : "free",
          parent: registry,
          parentNode: ethNode(locked),
        });
      return turn.chance.of<() => Promise<unknown>>([
        [1, () => migrateUnwrapped(turn.chain, { ...to, from, label: plain })],
        [1, () => migrateUnwrapped(turn.chain, { ...to, from, label: late })],
        [1, () => migrateWrapped(turn.chain, { ...to, from, label: soft })],
        [3, () => (turn.registries.includes(registry) ? migrateBelow() : migrateParent())],
      ])();
    },
  ],
];

/** Acts of people on entries of any registry. */
const anywhere: readonly [number, Act][] = [
  [5, (turn) => setSubregistry(turn.chain, { ...heldBy(turn), subregistry: subregistryOf(turn) })],
  [5, (turn) => setEntryResolver(turn.chain, { ...heldBy(turn), resolver: resolverOf(turn) })],
  [4, (turn) => transferEntry(turn.chain, { ...heldBy(turn), to: turn.someone() })],
  [2, (turn) => transferEntryUnsafely(turn.chain, { ...heldBy(turn), to: turn.someone() })],
  [4, (turn) => grantRoles(turn.chain, { ...heldBy(turn), roles: rolesOf(turn), account: turn.someone() })],
  [3, (turn) => revokeRoles(turn.chain, { ...heldBy(turn), roles: rolesOf(turn), account: turn.someone() })],
  [3, (turn) => unregisterEntry(turn.chain, heldBy(turn))],
  [
    1,
    (turn) =>
      approveOperator(turn.chain, {
        from: turn.holder,
        registry: turn.entry.registry,
        operator: turn.someone(),
        approved: turn.chance.is(0.7),
      }),
  ],
];

const heldBy = ({ holder, entry }: Turn) => ({ from: holder, ...entry });

async function deployRegistryOfOwn(turn: Turn): Promise<void> {
  const name = nextName("registry", turn);
  await deployUserRegistry(turn.chain, { from: turn.someone(), name });
  turn.registries.push(name);
}

async function deployResolverOfOwn(turn: Turn): Promise<void> {
  const name = nextName("resolver", turn);
  await deployResolver(turn.chain, { from: turn.someone(), name });
  turn.resolvers.push(name);
}

function nextName(kind: "registry" | "resolver", { run, deployed }: World): string {
  const name = `${kind}-${run}-${deployed.length}`;
  deployed.push(name);
  return name;
}

/** Registries and resolvers of individual people. */
const ofTheirOwn: readonly [number, Act][] = [
  [2, deployRegistryOfOwn],
  [2, deployResolverOfOwn],
  [
    10,
    async (turn) => {
      const registry = one(turn.registries, turn);
      const isReserved = turn.chance.is(0.15);
      return registerEntry(turn.chain, {
        from: await keeperOf(turn, registry),
        registry,
        label: one(SUBLABELS, turn),
        owner: isReserved ? zeroAddress : turn.someone(),
        expiry: await timeOf(turn),
        subregistry: subregistryOf(turn),
        resolver: resolverOf(turn),
        roles: ROLES_OF_AN_OWNER | (turn.chance.is(0.3) ? rolesOf(turn) : 0n),
      });
    },
  ],
  [
    4,
    async (turn) => {
      const registry = one(turn.registries, turn);
      const act = { from: await keeperOf(turn, registry), registry, label: one(SUBLABELS, turn) };
      return turn.chance.is(0.4)
        ? unregisterEntry(turn.chain, act)
        : renewEntry(turn.chain, { ...act, expiry: await timeOf(turn) });
    },
  ],
  [
    2,
    async (turn) => {
      const [registry, parent] = [one(turn.registries, turn), turn.entry.registry];
      const act = { from: await keeperOf(turn, registry), registry, label: turn.entry.label };
      return setParent(turn.chain, { ...act, parent: addressOf(turn.chain, parent) });
    },
  ],
  [
    12,
    async (turn) => {
      const resolver = one(turn.resolvers, turn);
      const act = { from: await keeperOf(turn, resolver), resolver, name: nameOf(turn) };
      const link: ResolverWrite = turn.chance.is(0.6)
        ? { kind: "link", node: namehash(nameOf(turn).join(".")) }
        : { kind: "linkToRecord", recordId: BigInt(turn.chance.below(5)) };
      return writeToResolver(turn.chain, { ...act, write: turn.chance.is(0.25) ? link : writeOf(turn) });
    },
  ],
  [
    2,
    (turn) =>
      setText(turn.chain, {
        from: turn.holder,
        resolver: "publicResolverV2",
        node: ethNode(turn.label),
        key: "url",
        value: String(turn.chance.below(1_000)),
      }),
  ],
  [
    1,
    async (turn) => {
      const proxy = one(turn.registries, turn);
      // The last one stays, because others are asked through it.
      const isKnown = turn.chance.is(0.8) || turn.registries.length === 1;
      const code = addressOf(turn.chain, isKnown ? "userRegistryCode" : "labelStore");
      await upgradeProxy(turn.chain, { from: await keeperOf(turn, proxy), proxy, code });
      // With this code it is no longer a registry.
      if (!isKnown) turn.registries.splice(turn.registries.indexOf(proxy), 1);
    },
  ],
  [
    1,
    (turn) =>
      send(turn.chain, {
        from: turn.someone(),
        contract: "labelStore",
        functionName: "setLabel",
        args: [one([...SUBLABELS, ...labelsOf(turn.run), `stored-${turn.chance.below(99)}`], turn)],
      }),
  ],
];

/** Lets time pass: by days, or to the second at which an entry ends or becomes available, or one beside it. */
const time: readonly [number, Act][] = [
  [5, (turn) => warp(turn.chain, { seconds: daysOf(turn, 40) })],
  [
    5,
    async (turn) => {
      const { expiry } = await readEntry(turn.chain, turn.entry);
      const after = [0n, 28n * DAY, 49n * DAY][turn.chance.below(3)] ?? 0n;
      const timestamp = expiry + after + BigInt(turn.chance.below(3)) - 1n;
      const now = await latestTime(turn.chain);
      if (timestamp > now && timestamp < now + 400n * DAY) await warpTo(turn.chain, { timestamp });
    },
  ],
];

const acts: readonly [number, Act][] = [...inEth, ...anywhere, ...ofTheirOwn, ...time];

/** Accounts that may register in a registry or write to a resolver: both have that as their first role. */
async function keeperOf({ chain, chance, people, someone }: Turn, contract: string): Promise<Address> {
  if (contract === "" || chance.is(0.1)) return someone();
  for (const account of people) {
    const question = { contract, functionName: "hasRootRoles", args: [1n, account] };
    if (await read<boolean>(chain, question).catch(() => false)) return account;
  }
  return someone();
}

/** How many steps a contract executed, and how many it refused. */
export type Played = { mined: number; refused: number };

/** Plays random acts on the names of one history. The same seed on the same chain gives the same steps. */
export async function playHistory(
  chain: Chain,
  { seed, run, steps }: { seed: number; run: number; steps: number },
): Promise<Played> {
  const chance = chanceOf(seed + run);
  const [deployer = zeroAddress, ...people] = chain.accounts.slice(0, 6);
  const someone = () => people[chance.below(people.length)] ?? deployer;
  const world: World = { chain, chance, run, deployer, people, registries: [], resolvers: [], deployed: [] };
  for (const deploy of [deployRegistryOfOwn, deployResolverOfOwn]) await deploy(await turnOf(world, someone));
  const played: Played = { mined: 0, refused: 0 };
  for (let step = 0; step < steps; step++) {
    const turn = await turnOf(world, someone);
    const act = chance.of(acts);
    const { outcome } = await attempt(() => act(turn));
    if (outcome === "mined") played.mined++;
    else played.refused++;
  }
  return played;
}

async function turnOf(world: World, someone: () => Address): Promise<Turn> {
  const { chain, chance, run, registries } = world;
  const label = one(labelsOf(run), world);
  const inOwn = registries.length > 0 && chance.is(0.4);
  const entry = inOwn
    ? { label: one(SUBLABELS, world), registry: one(registries, world) }
    : { label, registry: "ethRegistry" };
  const { latestOwner } = await readEntry(chain, entry);
  const holder = latestOwner === zeroAddress || chance.is(0.1) ? someone() : latestOwner;
  return { ...world, someone, label, entry, holder };
}
