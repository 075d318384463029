import { drizzle } from "drizzle-orm/node-postgres";
import type { Hono } from "hono";
import { type Address, getAddress, namehash, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractsOf } from "../../abis/contracts.ts";
import type { Deployment } from "../../abis/deployments.ts";
import { dnsEncode } from "../../devnet/acts/names.ts";
import {
  addressOf,
  allowReservations,
  BONUS_V2,
  buyName,
  type Chain,
  DAY,
  deployResolver,
  deployUserRegistry,
  ethNode,
  freezeV1,
  fundForEnsv2,
  GRACE_V2,
  grantRoles,
  handOverV1,
  latestTime,
  migrateLocked,
  migrateSubname,
  migrateUnwrapped,
  migrateWrapped,
  nodeBelow,
  openEnsv2,
  ROLES,
  read,
  registerEntry,
  registerV3,
  renewName,
  reserveNames,
  setAddr,
  setEntryResolver,
  setFuses,
  setParent,
  setResolver,
  setSubnodeOwner,
  setSubregistry,
  setText,
  setWrappedSubnodeRecord,
  switchToEnsv2,
  transferEntry,
  unregisterEntry,
  warpTo,
  wrapETH2LD,
  writeAllToResolver,
  YEAR,
} from "../../devnet/acts.ts";
import { startLocalChain } from "../../devnet/localChain.ts";
import { createGateways } from "../../src/api/names/live/ccip/gatewayClient.ts";
import { liveContractsOf } from "../../src/api/names/live/deployment.ts";
import { createLive } from "../../src/api/names/live/live.ts";
import { createRpc } from "../../src/api/names/live/rpc.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { noChain } from "../query/noChain.ts";
import { createTestApp } from "../support/app.ts";
import { openPool } from "../support/database.ts";
import { operations } from "../support/operations.ts";
import schema from "../support/ponderSchema.ts";
import { expectLookupAsSingle, expectNamesByAddress, expectResolution } from "./lookups.ts";
import { type Cast, type Stage, stageOf } from "./stage.ts";

/*
 * A change to ENSv2 on a real chain, in all its phases. After each phase the test asks three sources about every name: the index,
 * the chain through a Namedex that knows no code, and the contracts themselves.
 */

const CANNOT_UNWRAP = 1;
const EMANCIPATED = 65_536;
const SOME_TIME = 10n ** 11n;
/** How many names are asked about at the same time. */
const AT_ONCE = 5;

let stage: Stage;
let chain: Chain;
let cast: Cast;
let live: { app: Hono; close: () => Promise<void> };

const ofEnsv1 = ["alice", "wrap", "lock", "stays", "only"];
/** Every name of the story. Some are created later, and some never. */
const names = [
  ...[...ofEnsv1, "native", "second", "loop", "unregistered"].map((label) => `${label}.eth`),
  "old.alice.eth",
  "sub.lock.eth",
  "left.lock.eth",
  "ours.lock.eth",
  "deep.sub.lock.eth",
  "sub.native.eth",
  "sub.second.eth",
  "none.native.eth",
  "loop.loop.eth",
  "eth",
  "noones.eth",
];

beforeAll(async () => {
  const local = await startLocalChain({ contracts: { ensv2: true } });
  stage = await stageOf(local, { before: playEnsv1 });
  ({ chain, cast } = stage);
  live = openLive(local.deployment);
});

afterAll(async () => {
  await live?.close();
  await stage?.close();
});

/** Names of ENSv1: unwrapped, wrapped, locked, with subnames of each kind. */
async function playEnsv1(chain: Chain, { alice, bob }: Cast): Promise<void> {
  const resolver = addressOf(chain, "resolver4");
  for (const label of ofEnsv1) {
    await registerV3(chain, { from: alice, label, duration: YEAR });
    await setResolver(chain, { from: alice, node: ethNode(label), resolver });
    const text = { node: ethNode(label), key: "url", value: `https://${label}.example` };
    await setText(chain, { from: alice, resolver: "resolver4", ...text });
    await setAddr(chain, { from: alice, resolver: "resolver4", node: ethNode(label), address: bob });
  }
  await setSubnodeOwner(chain, { from: alice, parent: ethNode("alice"), label: "old", owner: bob });
  for (const label of ["wrap", "lock"]) await wrapETH2LD(chain, { from: alice, label, resolver });
  await setFuses(chain, { from: alice, node: ethNode("lock"), fuses: CANNOT_UNWRAP });
  const child = { from: alice, parent: ethNode("lock"), resolver, expiry: SOME_TIME };
  for (const label of ["sub", "left"]) {
    const fuses = EMANCIPATED | CANNOT_UNWRAP;
    await setWrappedSubnodeRecord(chain, { ...child, label, owner: bob, fuses });
  }
  await setWrappedSubnodeRecord(chain, { ...child, label: "ours", owner: alice });
}

/** A Namedex on the same tables that may answer for no resolver and knows no user registry, so it has to ask the chain. */
function openLive(deployment: Deployment): typeof live {
  const pool = openPool({
    connectionString: stage.stack.databaseUrl,
    options: `-c search_path=${stage.stack.schema},public`,
  });
  const db = drizzle(pool, { schema, casing: "snake_case" }) as unknown as Db;
  const { ensv2 } = deployment;
  if (ensv2 === undefined) throw new Error("The deployment has no ENSv2");
  const contracts = contractsOf({
    ...deployment,
    contracts: deployment.contracts.map((one) => ({ ...one, static: false })),
    ensv2: {
      ...ensv2,
      implementations: { ...ensv2.implementations, registry: [], resolver: [] },
      publicResolvers: [],
    },
  });
  const asking = createLive({
    rpc: createRpc({ urls: [stage.local.anvil.url] }),
    gateways: createGateways({ allowLoopback: true }),
    answers: {
      find: async () => new Map(),
      findRecent: async () => new Map(),
      put: async () => {},
      removeOld: async () => {},
    },
    contracts: liveContractsOf(deployment),
  })("test");
  const createContext = async () => ({
    ...noChain,
    db,
    contracts,
    now: Number(await latestTime(chain)),
    live: asking,
    liveBlock: async () => ({
      number: Number(await chain.client.getBlockNumber({ cacheTime: 0 })),
      timestamp: 0,
    }),
    chainHead: async () => null,
  });
  return { app: createTestApp({ operations, db, createContext }), close: () => pool.end() };
}

type Answer = Record<string, unknown> & {
  ownership?: { owner?: Address };
  resolver?: { status: string; address?: Address; answered_by?: Address };
};

const indexed = async (path: string): Promise<Answer> => {
  await stage.stack.waitForHead();
  return indexedNow(path);
};

/** The same when the newest block is known to be indexed. */
const indexedNow = async (path: string): Promise<Answer> => {
  const { status, body } = await stage.stack.api<Answer>(path);
  expect(status, `${path} ${JSON.stringify(body)}`).toBe(200);
  return body;
};

const asked = async (path: string): Promise<Answer> => {
  const reply = await live.app.request(path);
  const body = (await reply.json()) as Answer;
  expect(reply.status, `${path} ${JSON.stringify(body)}`).toBe(200);
  return body;
};

/** Fields on which both must agree. */
const essence = ({ ownership, resolver, ...body }: Answer) => ({
  protocol: body.protocol,
  registry: body.registry,
  token_id: body.token_id,
  ownership,
  expiry: body.expiry_timestamp,
  state: body.availability_status,
  reservation: body.reservation,
  resolver: { address: resolver?.address },
});

/** The index, the chain and the contracts give the same answer for every name. */
async function requireSame(phase: string, isPublic: boolean): Promise<void> {
  await stage.stack.waitForHead();
  const requireSameOf = async (name: string) => {
    const what = `${name}, ${phase}`;
    const [one, other] = await Promise.all([indexedNow(`/whois/${name}`), asked(`/whois/${name}`)]);
    expect(essence(one), what).toEqual(essence(other));
    // Before, the Universal Resolver of ENSv1 finds a name of ENSv2 through the resolver of `eth`.
    if (isPublic) expect(one.resolver?.answered_by, what).toBe(other.resolver?.answered_by);
    const [records, liveRecords] = await Promise.all([
      indexedNow(`/domain/${name}/records?types=text,contenthash`),
      asked(`/domain/${name}/records?types=text,contenthash`),
    ]);
    expect(records.records, what).toEqual(liveRecords.records);
    if (isPublic) await requireContracts(name, one, what);
  };
  for (let first = 0; first < names.length; first += AT_ONCE)
    await Promise.all(names.slice(first, first + AT_ONCE).map(requireSameOf));
  await expectLookupAsSingle(stage.stack, names);
  if (!isPublic) return;
  const place = { stack: stage.stack, chain, deployment: stage.local.deployment };
  expect(await expectResolution(place, names), phase).toBeGreaterThan(0);
  expect(await expectNamesByAddress(place, names), phase).toBeGreaterThan(0);
}

async function requireContracts(name: string, one: Answer, what: string): Promise<void> {
  const args = [dnsEncode(name.split("."))];
  const [resolver] = await read<[Address, unknown, bigint]>(chain, {
    contract: "universalResolverV2",
    functionName: "findResolver",
    args,
  });
  const owner = await read<Address>(chain, {
    contract: "universalHelper",
    functionName: "findExactOwner",
    args,
  });
  if (one.protocol === "ensv2") {
    const isHeld = one.availability_status === "registered";
    if (isHeld)
      expect(one.ownership?.owner, what).toBe(owner === zeroAddress ? undefined : getAddress(owner));
    else expect(owner, what).toBe(zeroAddress);
    const found = one.resolver?.address ?? one.resolver?.answered_by;
    if (found !== undefined) expect(found, what).toBe(getAddress(resolver));
  } else {
    const isOfEnsv1 = [zeroAddress, addressOf(chain, "ensV1Resolver")].includes(resolver);
    expect(isOfEnsv1, `${what}: ${resolver}`).toBe(true);
  }
}

/** Expects a name that ENSv2 reserved, and ENSv1 never had, to be free only once its registrar sells it. */
async function requireFreeAsOnChain(name: string, what: string): Promise<string> {
  const question = { contract: "ethRegistrar", functionName: "isAvailable", args: [name.split(".")[0]] };
  const isFree = await read<boolean>(chain, question);
  const state = String((await indexed(`/whois/${name}`)).availability_status);
  expect(["premium", "available"].includes(state), `${what}: ${state}`).toBe(isFree);
  return state;
}

type History = { history: { address: Address; reason: string; to_timestamp: number | null }[] };
const ownersOf = async (name: string) =>
  ((await indexed(`/domain/${name}/ownership-history`)) as unknown as History).history.map(
    ({ address, reason }) => [address, reason] as const,
  );
const registrationsOf = async (name: string) =>
  (await indexed(`/domain/${name}/registration-history`)) as unknown as Record<
    "registrations" | "renewals",
    { kind?: string; cost_wei: string | null; payment?: { symbol: string } }[]
  >;

describe("the change to ENSv2", () => {
  test("before it, ENSv1 answers for all names", async () => {
    await requireSame("deployed", false);
    for (const label of ofEnsv1) {
      expect(await indexed(`/whois/${label}.eth`)).toMatchObject({
        protocol: "ensv1",
        ownership: { owner: getAddress(cast.alice) },
      });
    }
    expect((await indexed("/indexing-status")).ensv2).toMatchObject({ phase: "deployed" });
  });

  test("reserved names stay with ENSv1", async () => {
    const { deployer, alice } = cast;
    await allowReservations(chain, { from: deployer });
    const reserved = ["alice", "wrap", "lock", "stays"].map((label) => ({ label }));
    const expiryOfNoones = (await latestTime(chain)) + YEAR;
    const noones = { label: "noones", expiry: expiryOfNoones };
    await reserveNames(chain, { from: deployer, names: [...reserved, noones] });
    expect(await requireFreeAsOnChain("noones.eth", "reserved")).toBe("unknown");
    const { expiry_timestamp, reservation } = await indexed("/whois/stays.eth");
    const expiry = BigInt(expiry_timestamp as string) + BONUS_V2;
    expect(reservation).toMatchObject({ expiry_timestamp: expiry.toString() });
    expect(await indexed("/whois/only.eth")).not.toHaveProperty("reservation");
    await requireSame("reserved", false);
    await freezeV1(chain, { from: deployer });
    await handOverV1(chain, { from: deployer });
    await fundForEnsv2(chain, { account: alice });
    await renewName(chain, { from: alice, label: "stays", registrar: "renewerV1" });
    await requireSame("handed over", false);
    const { registrations, renewals } = await registrationsOf("stays.eth");
    expect(registrations.map(({ kind }) => kind)).toEqual([undefined, "reserved"]);
    expect(renewals).toMatchObject([{ cost_wei: null, payment: { symbol: "USDC", decimals: 6 } }]);
  });

  test("once it is open, people migrate and buy names, and the public sees them", async () => {
    const { deployer, alice, bob, carol } = cast;
    await openEnsv2(chain, { from: deployer });
    const resolver = addressOf(chain, "publicResolverV2");
    await migrateUnwrapped(chain, { from: alice, label: "alice", owner: bob, resolver });
    await requireSame("open", false);
    await switchToEnsv2(chain, { from: deployer });
    await requireSame("public", true);
    await migrateWrapped(chain, { from: alice, label: "wrap", resolver });
    await migrateLocked(chain, { from: alice, label: "lock", registry: "registryOfLock" });
    await requireSame("lock.eth migrated", true);
    expect(await indexed("/whois/left.lock.eth")).toMatchObject({
      protocol: "ensv1",
      ownership: { owner: getAddress(bob), is_wrapped: true },
    });
    expect((await indexed("/whois/ours.lock.eth")).ownership).toEqual({ is_wrapped: false });
    await migrateSubname(chain, {
      from: bob,
      label: "sub",
      parent: "registryOfLock",
      parentNode: ethNode("lock"),
    });
    await fundForEnsv2(chain, { account: carol });
    await playNative(chain, cast);
    await requireSame("with names of its own", true);
    const { ensv2 } = await indexed("/indexing-status");
    expect(ensv2).toMatchObject({ phase: "public" });
    expect((ensv2 as { phases: { phase: string }[] }).phases.map(({ phase }) => phase)).toEqual([
      "deployed",
      "reserving",
      "frozen",
      "handed_over",
      "open",
      "public",
    ]);
  });

  test("a migrated name shows its previous and new holder, and its histories are continuous", async () => {
    const { alice, bob } = cast;
    expect(await indexed("/whois/alice.eth")).toMatchObject({
      protocol: "ensv2",
      ownership: { owner: getAddress(bob) },
      migration: { from_address: getAddress(alice), to_address: getAddress(bob) },
    });
    expect(await indexed("/whois/sub.lock.eth")).toMatchObject({
      migration: { from_address: getAddress(bob), to_address: getAddress(bob) },
    });
    expect(await ownersOf("alice.eth")).toEqual([
      [getAddress(alice), "registrar"],
      [getAddress(bob), "token"],
    ]);
    expect(await ownersOf("wrap.eth")).toEqual([
      [getAddress(alice), "registrar"],
      [getAddress(alice), "wrapper"],
      [getAddress(alice), "token"],
    ]);
    for (const name of ["alice.eth", "wrap.eth", "lock.eth"]) {
      const { registrations } = await registrationsOf(name);
      expect(
        registrations.map(({ kind }) => kind),
        name,
      ).toEqual([undefined, "reserved", "migrated"]);
    }
    const { events } = (await indexed("/domain/alice.eth/events")) as unknown as {
      events: { contract: string; event_type: string }[];
    };
    const families = new Set(events.map(({ contract }) => contract.split("_")[0]));
    expect([...families]).toEqual(expect.arrayContaining(["REGISTRAR", "REGISTRY", "ENSV2"]));
  });

  test("answers agree after roles and tokens changed hands", async () => {
    const { alice, bob, carol } = cast;
    await grantRoles(chain, { from: carol, label: "native", roles: ROLES.setResolver, account: bob });
    await transferEntry(chain, { from: carol, label: "second", to: alice });
    await requireSame("after transfers", true);
  });

  test("answers agree at the expiry, after grace and after the premium, to the second", async () => {
    const { expiry_timestamp } = await indexed("/whois/native.eth");
    const expiry = BigInt(expiry_timestamp as string);
    expect(await indexed("/whois/native.eth")).toMatchObject({
      grace_end_timestamp: String(expiry + GRACE_V2),
      premium_end_timestamp: String(expiry + GRACE_V2 + 21n * DAY),
    });
    const ends: [bigint, string][] = [
      [expiry - 1n, "registered"],
      [expiry, "grace"],
      [expiry + GRACE_V2 - 1n, "grace"],
      [expiry + GRACE_V2, "premium"],
      [expiry + GRACE_V2 + 21n * DAY - 1n, "premium"],
      [expiry + GRACE_V2 + 21n * DAY, "available"],
    ];
    const seen: string[] = [];
    for (const [time, state] of ends) {
      await warpTo(chain, { timestamp: time });
      expect(await indexed("/whois/native.eth"), `${time - expiry} s`).toMatchObject({
        availability_status: state,
      });
      const isOpen = time < expiry;
      // The way to the subname ends with the name above it, though its own entry continues.
      expect((await indexed("/whois/sub.native.eth")).ownership, `${time - expiry} s`).toEqual(
        isOpen
          ? { is_wrapped: false, owner: getAddress(cast.bob), is_owner_current: true }
          : { is_wrapped: false },
      );
      await requireSame(`${time - expiry} s after native.eth's expiry`, true);
      seen.push(await requireFreeAsOnChain("noones.eth", `${time - expiry} s`));
    }
    expect(new Set(seen)).toEqual(new Set(["unknown", "premium", "available"]));
  });

  test("an unregistered name has no owner", async () => {
    await unregisterEntry(chain, { from: cast.carol, registry: "registryOfNative", label: "sub" });
    await requireSame("sub unregistered", true);
    expect((await indexed("/whois/sub.second.eth")).ownership).toEqual({ is_wrapped: false });
  });
});

/** Names that ENSv2 alone knows: two above one registry, and one below itself. */
async function playNative(chain: Chain, { bob, carol }: Cast): Promise<void> {
  await deployResolver(chain, { from: carol, name: "resolverOfNative" });
  await deployUserRegistry(chain, { from: carol, name: "registryOfNative" });
  const [subregistry, resolver] = [
    addressOf(chain, "registryOfNative"),
    addressOf(chain, "resolverOfNative"),
  ];
  await buyName(chain, { from: carol, label: "native", resolver, subregistry });
  await buyName(chain, { from: carol, label: "second", token: "dai", duration: 3n * YEAR, subregistry });
  await buyName(chain, { from: carol, label: "loop", duration: 3n * YEAR });
  const parent = addressOf(chain, "ethRegistry");
  await setParent(chain, { from: carol, registry: "registryOfNative", parent, label: "native" });
  const far = (await latestTime(chain)) + 3n * YEAR;
  await registerEntry(chain, {
    from: carol,
    registry: "registryOfNative",
    label: "sub",
    owner: bob,
    expiry: far,
  });
  await setSubregistry(chain, { from: carol, label: "loop", subregistry: parent });
  await setEntryResolver(chain, { from: carol, label: "loop", resolver });
  await writeAllToResolver(chain, {
    from: carol,
    resolver: "resolverOfNative",
    writes: [
      { name: ["native", "eth"], write: { kind: "text", key: "url", value: "https://native.example" } },
      { name: ["native", "eth"], write: { kind: "address", coinType: 60n, bytes: bob } },
      { name: [], write: { kind: "address", coinType: 0x80000000n, bytes: carol } },
      { name: [], write: { kind: "text", key: "url", value: "https://all.example" } },
      { name: ["sub", "native", "eth"], write: { kind: "link", node: namehash("native.eth") } },
    ],
  });
  expect(nodeBelow(ethNode("native"), "sub")).toBe(namehash("sub.native.eth"));
}
