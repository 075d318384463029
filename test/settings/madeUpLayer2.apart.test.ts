import { namehash } from "viem";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Layer2 } from "../../abis/layer2/descriptor.ts";
import { parseName } from "../../src/api/names/schemas/input.ts";
import { account } from "../query/rows.ts";

/* A layer 2 that does not exist, with contracts like those of Basenames: the program knows it only by its descriptor. */

const CHAIN = 777_001;
const BRIDGE = account(0xb1);
const REGISTRY = account(0xa1);
const NODE = namehash("atlantis.eth");

const atlantis: Layer2 = {
  network: "mainnet",
  title: "Atlantis One",
  name: "atlantis",
  chainId: CHAIN,
  multicall3: account(0xa0),
  names: {
    parent: "atlantis.eth",
    called: "Atlantisnames",
    keeper: "registrar",
    hasPremium: true,
    bridges: [BRIDGE],
  },
  contracts: [
    { role: "registry", generation: 2, address: REGISTRY, startBlock: 10 },
    { role: "registrar", generation: 3, address: account(0xa2), startBlock: 11 },
    { role: "controller", generation: 6, address: account(0xa3), startBlock: 12 },
    { role: "resolver", generation: 5, address: account(0xa4), startBlock: 13, static: true },
    { role: "l2-reverse-registrar", generation: 1, address: account(0xa5), startBlock: 14 },
  ],
};
const withoutPremium: Layer2 = {
  ...atlantis,
  names: {
    parent: "atlantis.eth",
    called: "Atlantisnames",
    bridges: [BRIDGE],
    keeper: "registrar",
    hasPremium: false,
  },
};

/** Modules imported from here on also know these layer 2s. Everything except the list is the program's own. */
function learnOf(...more: Layer2[]): void {
  vi.resetModules();
  vi.doMock("../../abis/layer2/list.ts", async (importOriginal) => {
    const { layer2s } = await importOriginal<{ layer2s: Layer2[] }>();
    return { layer2s: [...layer2s, ...more] };
  });
}

beforeEach(() => {
  vi.stubEnv("ENS_NETWORK", "mainnet");
  vi.stubEnv("RPC_URL_1", "https://rpc.example.org");
  vi.stubEnv("DATABASE_URL", "postgresql://namedex:secret@localhost:5432/namedex");
});

afterEach(() => {
  vi.doUnmock("../../abis/layer2/list.ts");
  vi.unstubAllEnvs();
  vi.resetModules();
});

const followIt = () => vi.stubEnv(`RPC_URL_${CHAIN}`, "https://atlantis.example.org");
const readConfig = async () => (await import("../../ponder.config.ts")).default;

/** What Ponder hashes of the configuration, and of its chains only the words. */
async function hashedConfig(...more: Layer2[]): Promise<string> {
  learnOf(...more);
  const { ordering, contracts } = await readConfig();
  return JSON.stringify({ ordering, contracts });
}

describe("a made-up layer 2 with a descriptor", () => {
  test("is followed: each of its contracts has its entry, and unlisted ones are found", async () => {
    learnOf(atlantis);
    followIt();
    const { chains, contracts } = await readConfig();
    expect(Object.keys(chains)).toEqual(["mainnet", "atlantis"]);
    const following = Object.entries(contracts).filter(([, { chain }]) => "atlantis" in chain);
    expect(following.map(([entry]) => entry).sort()).toEqual(
      [
        "Registry",
        "BaseRegistrar",
        "BasenamesRegistrar",
        "BasenamesController",
        "AddedController",
        "Resolver",
        "ListedResolver",
        "FoundResolver",
        "L2ReverseRegistrar",
      ].sort(),
    );
    expect(contracts.Registry.chain).toMatchObject({ atlantis: { startBlock: 10 } });
  });

  test("has names by the rules of registrars: key, second level and lifetimes", async () => {
    learnOf(atlantis);
    const { isSecondLevel, registrarName, registrarNode } = await import("../../src/ens/managedNames.ts");
    expect([registrarName(CHAIN), registrarNode(CHAIN)]).toEqual(["atlantis.eth", NODE]);
    expect(isSecondLevel({ chainId: CHAIN, parentNode: NODE })).toBe(true);
    expect(await phasesOf()).toEqual(["registered", "grace", "premium"]);
  });

  test("has no premium if its descriptor says so", async () => {
    learnOf(withoutPremium);
    expect(await phasesOf()).toEqual(["registered", "grace"]);
    const { calledWithoutPremium } = await import("../../abis/layer2/managedNames.ts");
    expect(calledWithoutPremium).toEqual(["Lineanames", "Atlantisnames"]);
  });

  test("answers for names below its managed name, where the bridge asks it", async () => {
    learnOf(atlantis);
    followIt();
    const { readSettings } = await import("../../settings/settings.ts");
    const { contractsOf } = await import("../../abis/contracts.ts");
    const { decide } = await import("../../src/api/names/resolution/decision.ts");
    const contracts = contractsOf(readSettings(process.env).deployment);
    expect(contracts.chainIds).toEqual([1, CHAIN]);
    expect(contracts.chainName(CHAIN)).toBe("atlantis");
    expect(contracts.isIndexedResolver(account(0xa4), CHAIN)).toBe(true);
    const facts = { requested: parseName("nothing.atlantis.eth"), indexed: null, resolversAbove: [BRIDGE] };
    expect(decide(facts, contracts)).toEqual({ kind: "unregistered" });
    expect(decide({ ...facts, resolversAbove: [account(0xb2)] }, contracts)).toEqual({ kind: "chain" });
  });

  test("has a name for people", async () => {
    learnOf(atlantis);
    const { coinName } = await import("../../src/api/features/explorer/pages/name/coins.ts");
    expect(coinName(String(0x80000000 + CHAIN))).toBe("Atlantis One");
  });
});

describe("the part of a descriptor that handlers read", () => {
  const others: [what: string, one: Layer2][] = [
    ["without a premium", withoutPremium],
    ["another parent", { ...atlantis, names: { ...namesOf(atlantis), parent: "lemuria.eth" } }],
    ["another keeper", { ...atlantis, names: { ...namesOf(atlantis), keeper: "tokens" } }],
    ["another chain's word", { ...atlantis, name: "lemuria" }],
  ];

  test.each(others)("is part of the index's identity: %s", async (_, other) => {
    followIt();
    expect(await hashedConfig(other)).not.toBe(await hashedConfig(atlantis));
  });

  test("does not affect an index that does not follow the layer 2", async () => {
    expect(await hashedConfig(atlantis)).toBe(await hashedConfig());
  });
});

function namesOf({ names }: Layer2): NonNullable<Layer2["names"]> {
  if (names === undefined) throw new Error("the layer 2 keeps no names");
  return names;
}

/** The finite phases of a name of the made-up registrar. */
async function phasesOf(): Promise<string[]> {
  const { endsOfPhases } = await import("../../src/api/names/rules/lifeEnds.ts");
  const row = { chainId: CHAIN, parentNode: NODE, expiryTimestamp: 1_800_000_000n };
  return endsOfPhases(row).map(({ phase }) => phase);
}
