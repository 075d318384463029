import { type Address, type Hex, hexToBigInt, parseEther, zeroAddress } from "viem";
import { type Chance, chanceOf } from "../../bench/api/chance.ts";
import type { Chain, RecordWrite } from "../../devnet/acts.ts";
import {
  addController,
  addressOf,
  approveForAll,
  approveRegistration,
  approveWrapped,
  attempt,
  authorise,
  basenameNode,
  buyBasename,
  buyLineaname,
  clearRecords,
  DAY,
  extendExpiry,
  FUSES,
  latestTime,
  lineanameNode,
  nodeBelow,
  reclaim,
  registerByHash,
  registerByOwner,
  registerByPerson,
  registerOnly,
  registerWithoutBurn,
  removeController,
  renewBasename,
  renewByPerson,
  renewLineaname,
  setChildFuses,
  setFuses,
  setLayer2Name,
  setOwner,
  setResolver,
  setReverseName,
  setSubnodeOwner,
  setWrappedSubnodeOwner,
  setWrappedSubnodeRecord,
  tokenIdOf,
  transferRegistration,
  transferWrapped,
  unwrap,
  unwrapETH2LD,
  warp,
  wrapETH2LD,
  writeRecord,
  YEAR,
} from "../../devnet/acts.ts";
import type { LocalLayer2 } from "../../devnet/localChains.ts";
import { readAtTime } from "./onChain.ts";

/** What one step may choose from. */
type Turn = {
  chain: Chain;
  chance: Chance;
  /** A label of the few that all steps share, its node, and a subname of it. */
  label: string;
  node: Hex;
  below: { label: string; node: Hex };
  /** Any account. */
  someone: () => Address;
  deployer: Address;
  /** An account that may act on a node by registry, registrar or wrapper; any account if none may. */
  holderOf: (node: Hex) => Promise<Address>;
};

type Act = (turn: Turn) => Promise<unknown>;

/** Labels of the names that are bought first and that all acts concern. */
export const LABELS = ["any", "many", "xyz", "zero-zero", "twelveletters", "häßlich", "abc", "🦊🦊🦊"];

const durationOf = ({ chance }: Turn): bigint => YEAR + BigInt(chance.below(700)) * DAY;

/** More than any price except in the first days after grace, or exactly the price. */
const paymentOf = ({ chance }: Turn) => (chance.is(0.5) ? { value: parseEther("3000") } : {});

function writeOf({ chance, someone }: Turn): RecordWrite {
  const value = String(chance.below(1_000));
  return chance.of<RecordWrite>([
    [3, { kind: "text", key: chance.is(0.5) ? "url" : "email", value }],
    [1, { kind: "text", key: "url", value: "" }],
    [2, { kind: "addr", address: someone() }],
    [1, { kind: "coin", coinType: 60n, bytes: "0x" }],
    [1, { kind: "coin", coinType: 0x80000000n, bytes: someone() }],
    [1, { kind: "coin", coinType: 0n, bytes: chance.is(0.5) ? "0x" : `0x76${value.padStart(6, "0")}` }],
    [1, { kind: "contenthash", hash: chance.is(0.3) ? "0x" : `0xe301${value.padStart(4, "0")}` }],
    [1, { kind: "name", name: `name-${value}.eth` }],
  ]);
}

const eitherNode = ({ chance, node, below }: Turn): Hex => (chance.is(0.7) ? node : below.node);

/** Acts that both chains have; the deployer can appoint the registrar's controllers. */
const shared = (resolvers: readonly string[]): [number, Act][] => {
  const resolverOf = ({ chance }: Turn) => resolvers[chance.below(resolvers.length)] ?? "";
  return [
    [4, async (turn) => transferRegistration(turn.chain, { ...(await holding(turn)), to: turn.someone() })],
    [3, async (turn) => reclaim(turn.chain, { ...(await holding(turn)), owner: turn.someone() })],
    [
      3,
      async (turn) => {
        const from = await turn.holderOf(turn.node);
        const { label } = turn.below;
        return setSubnodeOwner(turn.chain, { from, parent: turn.node, label, owner: turn.someone() });
      },
    ],
    [
      2,
      async (turn) => {
        const [node, resolver] = [eitherNode(turn), resolverOf(turn)];
        const at = turn.chance.is(0.2) ? zeroAddress : addressOf(turn.chain, resolver);
        return setResolver(turn.chain, { from: await turn.holderOf(node), node, resolver: at });
      },
    ],
    [
      1,
      async (turn) => {
        const node = eitherNode(turn);
        return setOwner(turn.chain, { from: await turn.holderOf(node), node, owner: turn.someone() });
      },
    ],
    [
      8,
      async (turn) => {
        const [node, resolver, write] = [eitherNode(turn), resolverOf(turn), writeOf(turn)];
        return writeRecord(turn.chain, { from: await turn.holderOf(node), resolver, node, write });
      },
    ],
    [
      1,
      async (turn) => {
        const node = eitherNode(turn);
        return clearRecords(turn.chain, {
          from: await turn.holderOf(node),
          resolver: resolverOf(turn),
          node,
        });
      },
    ],
    [
      2,
      (turn) => {
        const name = turn.chance.is(0.3) ? "" : `${turn.label}.base.eth`;
        return setLayer2Name(turn.chain, { from: turn.someone(), name });
      },
    ],
    [
      3,
      async (turn) => {
        const { chain, chance, someone } = turn;
        const places = [
          "registry",
          "registrar",
          ...resolvers,
          ...(chain.contracts.wrapper ? ["wrapper"] : []),
        ];
        const contract = places[chance.below(places.length)] ?? "";
        const from = await turn.holderOf(turn.node);
        return approveForAll(chain, { from, contract, operator: someone(), approved: chance.is(0.8) });
      },
    ],
    [3, async (turn) => approveRegistration(turn.chain, { ...(await holding(turn)), to: turn.someone() })],
    [
      3,
      async (turn) => {
        const { chance, someone } = turn;
        const [node, resolver] = [eitherNode(turn), resolverOf(turn)];
        const from = await turn.holderOf(node);
        const act = { from, resolver, node, delegate: someone(), allowed: chance.is(0.8) };
        return authorise(turn.chain, act);
      },
    ],
    [2, (turn) => warp(turn.chain, { seconds: BigInt(1 + turn.chance.below(260)) * DAY })],
  ];
};

const holding = async (turn: Turn) => ({ from: await turn.holderOf(turn.node), label: turn.label });

const CONTROLLERS = ["controller1", "controller2", "controller3", "controllerUnlisted"];

const controllerOf = ({ chance }: Turn): string => CONTROLLERS[chance.below(CONTROLLERS.length)] ?? "";

const byDeployer: readonly (typeof registerWithoutBurn)[] = [
  registerOnly,
  registerByHash,
  registerWithoutBurn,
];

const onBase: readonly [number, Act][] = [
  ...shared(["resolver1", "resolver2"]),
  [
    12,
    (turn) => {
      const hasResolver = turn.chance.is(0.7);
      const [controller, resolver] = [controllerOf(turn), turn.chance.is(0.5) ? "resolver1" : "resolver2"];
      return buyBasename(turn.chain, {
        from: turn.someone(),
        owner: turn.someone(),
        label: turn.label,
        controller,
        duration: durationOf(turn),
        ...paymentOf(turn),
        ...(hasResolver && { resolver, records: turn.chance.is(0.5) ? [writeOf(turn)] : [] }),
        reverseRecord: hasResolver && turn.chance.is(0.3),
      });
    },
  ],
  [
    5,
    (turn) => {
      const act = { from: turn.someone(), label: turn.label, controller: controllerOf(turn) };
      return renewBasename(turn.chain, { ...act, duration: durationOf(turn) });
    },
  ],
  [
    3,
    async (turn) => {
      const { chain, deployer, label } = turn;
      const register = byDeployer[turn.chance.below(byDeployer.length)] ?? registerOnly;
      await addController(chain, { from: deployer, controller: deployer });
      const done = await attempt(() => register(chain, { from: deployer, label, owner: turn.someone() }));
      await removeController(chain, { from: deployer, controller: deployer });
      return done;
    },
  ],
  [
    2,
    (turn) => {
      const controller = addressOf(turn.chain, controllerOf(turn));
      const change = turn.chance.is(0.7) ? addController : removeController;
      return change(turn.chain, { from: turn.deployer, controller });
    },
  ],
  [
    2,
    (turn) => {
      const name = turn.chance.is(0.3) ? "" : `${turn.label}.base.eth`;
      return setReverseName(turn.chain, { from: turn.someone(), name, registrar: "reverseRegistrar" });
    },
  ],
];

const fusesOf = ({ chance }: Turn): number =>
  chance.of([
    [2, 0],
    [2, FUSES.CANNOT_UNWRAP],
    [1, FUSES.CANNOT_UNWRAP | FUSES.CANNOT_SET_TTL],
    [1, FUSES.CANNOT_TRANSFER],
  ]);

const childFusesOf = (turn: Turn): number =>
  turn.chance.is(0.5) ? 0 : FUSES.PARENT_CANNOT_CONTROL | fusesOf(turn);

const expiryOf = async ({ chain, chance }: Turn): Promise<bigint> =>
  (await latestTime(chain)) + BigInt(chance.below(900)) * DAY;

/** The wrapped child's parent, its label, and the acting account. */
const child = async (turn: Turn) => ({
  from: await turn.holderOf(turn.node),
  parent: turn.node,
  label: turn.below.label,
});

const onLinea: readonly [number, Act][] = [
  ...shared(["resolver"]),
  [
    10,
    (turn) => {
      const { label } = turn;
      const records = turn.chance.is(0.5) ? [writeOf(turn)] : [];
      return buyLineaname(turn.chain, {
        from: turn.someone(),
        owner: turn.someone(),
        label,
        records,
        reverseRecord: turn.chance.is(0.2),
        duration: durationOf(turn),
        fuses: turn.chance.is(0.2) ? 1 : 0,
        ...paymentOf(turn),
      });
    },
  ],
  [2, (turn) => registerByPerson(turn.chain, { from: turn.someone(), label: turn.label })],
  [
    2,
    (turn) => {
      const act = { from: turn.deployer, label: turn.label, owner: turn.someone() };
      return registerByOwner(turn.chain, { ...act, duration: durationOf(turn) });
    },
  ],
  [
    4,
    (turn) => {
      const act = { from: turn.someone(), label: turn.label, duration: durationOf(turn) };
      return renewLineaname(turn.chain, { ...act, ...paymentOf(turn) });
    },
  ],
  [3, async (turn) => renewByPerson(turn.chain, await holding(turn))],
  [
    3,
    async (turn) => {
      const { chain, label, someone } = turn;
      const from = await turn.holderOf(turn.node);
      return unwrapETH2LD(chain, { from, label, registrant: someone(), controller: someone() });
    },
  ],
  [3, async (turn) => wrapETH2LD(turn.chain, { ...(await holding(turn)), owner: turn.someone() })],
  [
    2,
    async (turn) => {
      const node = eitherNode(turn);
      return setFuses(turn.chain, { from: await turn.holderOf(node), node, fuses: fusesOf(turn) });
    },
  ],
  [
    3,
    async (turn) => {
      const node = eitherNode(turn);
      return transferWrapped(turn.chain, { from: await turn.holderOf(node), node, to: turn.someone() });
    },
  ],
  [
    4,
    async (turn) => {
      const act = { ...(await child(turn)), owner: turn.someone(), fuses: childFusesOf(turn) };
      return setWrappedSubnodeOwner(turn.chain, { ...act, expiry: await expiryOf(turn) });
    },
  ],
  [
    2,
    async (turn) => {
      const act = { ...(await child(turn)), owner: turn.someone(), fuses: childFusesOf(turn) };
      const resolver = addressOf(turn.chain, "resolver");
      return setWrappedSubnodeRecord(turn.chain, { ...act, resolver, expiry: await expiryOf(turn) });
    },
  ],
  [
    2,
    async (turn) => {
      const act = { ...(await child(turn)), fuses: childFusesOf(turn), expiry: await expiryOf(turn) };
      return setChildFuses(turn.chain, act);
    },
  ],
  [
    3,
    async (turn) => {
      const node = eitherNode(turn);
      return approveWrapped(turn.chain, { from: await turn.holderOf(node), node, to: turn.someone() });
    },
  ],
  [2, async (turn) => extendExpiry(turn.chain, { ...(await child(turn)), expiry: await expiryOf(turn) })],
  [
    1,
    async (turn) => {
      const from = await turn.holderOf(turn.below.node);
      const act = { from, parent: turn.node, label: turn.below.label, controller: turn.someone() };
      return unwrap(turn.chain, act);
    },
  ],
];

/** The account that may act on a node: by the wrapper, else the registry, else the registrar, whether expired or not. */
async function readHolder(chain: Chain, node: Hex, label: string): Promise<Address> {
  const time = await latestTime(chain);
  const asked = [
    { contract: "wrapper", functionName: "ownerOf", args: [hexToBigInt(node)] },
    { contract: "registry", functionName: "owner", args: [node] },
    { contract: "registrar", functionName: "ownerOf", args: [tokenIdOf(label)] },
  ].filter(({ contract }) => chain.contracts[contract] !== undefined);
  const contracts = Object.values(chain.contracts).map(({ address }) => address);
  for (const question of asked) {
    const owner = await readAtTime<Address>(chain, question, time).catch(() => zeroAddress as Address);
    if (owner !== zeroAddress && !contracts.includes(owner)) return owner;
  }
  return zeroAddress;
}

/** How many steps a contract executed, and how many it refused. */
export type Played = { mined: number; refused: number };

/** Buys a few names of a layer 2, and plays random acts on them. The same seed on the same chain gives the same steps. */
export async function playRandomSteps(
  { chain, deployment }: LocalLayer2,
  { seed, steps }: { seed: number; steps: number },
): Promise<Played> {
  const isBase = deployment.name === "base";
  const acts = isBase ? onBase : onLinea;
  const chance = chanceOf(seed + deployment.chainId);
  const [deployer = zeroAddress, ...people] = chain.accounts.slice(0, 6);
  const someone = () => people[chance.below(people.length)] ?? deployer;
  const played: Played = { mined: 0, refused: 0 };
  for (const label of LABELS) {
    const first = { from: someone(), label, value: parseEther("3000") };
    if (isBase) await buyBasename(chain, { ...first, controller: "controller3", resolver: "resolver2" });
    else await buyLineaname(chain, first);
  }
  for (let step = 0; step < steps; step++) {
    const label = LABELS[chance.below(LABELS.length)] ?? "";
    const node = isBase ? basenameNode(label) : lineanameNode(label);
    const sub = chance.is(0.5) ? "sub" : "other";
    const holderOf = async (at: Hex) => {
      const holder = chance.is(0.1) ? someone() : await readHolder(chain, at, label);
      return holder === zeroAddress ? someone() : holder;
    };
    const below = { label: sub, node: nodeBelow(node, sub) };
    const act = chance.of(acts);
    const outcome = await attempt(() =>
      act({ chain, chance, label, node, below, someone, deployer, holderOf }),
    );
    if (outcome.outcome === "mined") played.mined++;
    else played.refused++;
  }
  return played;
}
