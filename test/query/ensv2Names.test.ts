import {
  addressRecord,
  domain,
  ensv2Entry,
  ensv2Link,
  ensv2Phase,
  ensv2Proxy,
  ensv2Role,
  ownershipChange,
  textRecord,
} from "ponder:schema";
import { eq } from "drizzle-orm";
import { type Address, getAddress, keccak256, namehash, stringToBytes, toHex } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { buildAgentKey } from "../../src/api/names/rules/agentKey.ts";
import { openApi, useApi } from "./api.ts";
import {
  contracts,
  ENSV1_RESOLVER,
  type EntryRow,
  ETH_REGISTRY,
  entryRow,
  FAR,
  GRAVEYARD,
  labelhashOf,
  MIGRATOR,
  NODE_RESOLVER,
  proxyRow,
  REGISTRY_CODE,
  RESOLVER,
  RESOLVER_CODE,
  ROOT,
  reservedRow,
  STRANGE,
  WRAPPER_CODE,
} from "./ensv2.ts";
import { noChain } from "./noChain.ts";
import {
  AGENT_REGISTRY,
  account,
  CHAIN_ID,
  domainRow,
  contracts as ofEnsv1,
  registeredRow,
  STATIC_RESOLVER,
  transaction,
} from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

const NOW = 1_800_000_000;
const DAY = 86_400;
const inDays = (days: number) => BigInt(NOW + days * DAY);

const alice = account(0xa11ce);
const bob = account(0xb0b);
const ALICE = getAddress(alice);
const BOB = getAddress(bob);
/** Registries of a user's name, of a locked name, and one with unknown code. */
const USER = account(0x6001);
const WRAPPER_REGISTRY = account(0x6002);
const UNKNOWN = account(0x6003);

const ethEntry = (label: string, fields: Partial<EntryRow> = {}) => entryRow(ETH_REGISTRY, label, fields);

const migratedBy = (by: Address) => ({
  registeredBy: by,
  registeredBlockNumber: 20,
  registeredTimestamp: 1_600_000_240,
  registeredTransactionHash: transaction(20),
});

const entries: EntryRow[] = [
  entryRow(ROOT, "eth", { subregistry: ETH_REGISTRY, owner: account(0xda0) }),
  ethEntry("native", { owner: alice, expiry: inDays(100), resolver: RESOLVER, subregistry: USER }),
  ethEntry("migrated", { owner: bob, expiry: inDays(100), resolver: NODE_RESOLVER, ...migratedBy(MIGRATOR) }),
  ethEntry("locked", {
    owner: alice,
    expiry: inDays(100),
    subregistry: WRAPPER_REGISTRY,
    ...migratedBy(MIGRATOR),
  }),
  ethEntry("strange", { owner: alice, resolver: STRANGE, subregistry: UNKNOWN }),
  ethEntry("now", { owner: alice, expiry: BigInt(NOW), resolver: RESOLVER, subregistry: USER }),
  ethEntry("bare", { owner: alice, expiry: inDays(5) }),
  ethEntry("dropped", { owner: null, expiry: inDays(-1), resolver: RESOLVER }),
  reservedRow("reserved", inDays(162)),
  reservedRow("lapsed", inDays(-1)),
  reservedRow("only2", inDays(30)),
  reservedRow("ingrace", inDays(-27)),
  reservedRow("sold", inDays(-29)),
  reservedRow("open", inDays(-60)),
  entryRow(USER, "sub", { owner: bob, expiry: inDays(50), resolver: null }),
  entryRow(USER, "gone", { owner: bob, expiry: BigInt(NOW), resolver: NODE_RESOLVER }),
  entryRow(WRAPPER_REGISTRY, "came", { owner: bob, ...migratedBy(WRAPPER_REGISTRY) }),
];

const graveyard = { registryOwner: GRAVEYARD, registrarOwner: GRAVEYARD };
const ofEntry = (registry: Address, fields: object = {}) => ({ registry, ...fields });
const wrapped = (fuses: number) => ({
  registryOwner: account(0xe4),
  wrapperOwner: alice,
  isWrapped: true,
  effectiveOwnerAddress: alice,
  wrapperFuses: fuses,
  wrapperExpiryTimestamp: inDays(80),
  resolver: STATIC_RESOLVER,
});

const rows = [
  domainRow("eth", ofEntry(ROOT)),
  domainRow(
    "native.eth",
    ofEntry(ETH_REGISTRY, { effectiveOwnerAddress: alice, expiryTimestamp: inDays(100) }),
  ),
  registeredRow("migrated.eth", GRAVEYARD, FAR, { ...graveyard, ...ofEntry(ETH_REGISTRY) }),
  domainRow("old.migrated.eth", {
    registryOwner: alice,
    effectiveOwnerAddress: alice,
    resolver: STATIC_RESOLVER,
  }),
  registeredRow("locked.eth", GRAVEYARD, FAR, { ...graveyard, ...ofEntry(ETH_REGISTRY) }),
  domainRow("left.locked.eth", wrapped(65_536)),
  domainRow("x.left.locked.eth", {
    registryOwner: bob,
    effectiveOwnerAddress: bob,
    resolver: STATIC_RESOLVER,
  }),
  domainRow("ours.locked.eth", wrapped(1)),
  domainRow("deep.old.native.eth", { registryOwner: bob, effectiveOwnerAddress: bob }),
  domainRow("x.came.locked.eth", { registryOwner: bob, effectiveOwnerAddress: bob }),
  domainRow("came.locked.eth", { ...graveyard, ...ofEntry(WRAPPER_REGISTRY) }),
  registeredRow("reserved.eth", bob, inDays(100), { resolver: STATIC_RESOLVER }),
  domainRow("sub.reserved.eth", {
    registryOwner: bob,
    effectiveOwnerAddress: bob,
    resolver: STATIC_RESOLVER,
  }),
  registeredRow("lapsed.eth", bob, inDays(-63), { resolver: STATIC_RESOLVER }),
  registeredRow("only1.eth", bob, inDays(100), { resolver: STATIC_RESOLVER }),
  // The row lags: its registry was unlinked, or expired above it, or the entry is not projected.
  domainRow("sub.native.eth", ofEntry(USER, { effectiveOwnerAddress: bob })),
  domainRow("sub.now.eth", ofEntry(USER, { effectiveOwnerAddress: bob, resolver: NODE_RESOLVER })),
  domainRow("cut.native.eth", ofEntry(USER, { effectiveOwnerAddress: bob, resolver: NODE_RESOLVER })),
];

const record = (number: number) => toHex(number, { size: 32 });
const link = (name: string, number: number | null) => ({
  chainId: CHAIN_ID,
  resolver: RESOLVER,
  node: namehash(name),
  blockNumber: 11,
  record: number === null ? null : record(number),
  transactionHash: transaction(11),
});

const text = (resolver: Address, node: `0x${string}`, key: string, value: string) => ({
  chainId: CHAIN_ID,
  resolver,
  node,
  version: 0,
  keyHash: keccak256(stringToBytes(key)),
  key,
  value,
  isValueKnown: true,
  blockNumber: 12,
  logIndex: 0,
  transactionHash: transaction(12),
  setsInTransaction: 1,
  isRead: false,
});

const change = (block: number, owner: Address | null, log = 0) => ({
  chainId: CHAIN_ID,
  blockNumber: block,
  logIndex: log,
  ordinal: 0,
  node: namehash("migrated.eth"),
  ownerAddress: owner,
  reason: "registry" as const,
  eventType: "Transfer",
  blockTimestamp: block,
  transactionHash: transaction(block),
});

const tables = useTables();
const api = useApi(tables, NOW, { contracts });
const whois = async (name: string) => (await api.get(`/whois/${name}`)).body;
const status = async (path: string) => (await api.get(path)).status;

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: 1_000, time: NOW });
  const { writer } = tables;
  await writer.insert(domain).values(rows);
  await writer.insert(ensv2Entry).values(entries);
  await writer
    .insert(ensv2Proxy)
    .values([
      proxyRow(USER, REGISTRY_CODE),
      proxyRow(WRAPPER_REGISTRY, WRAPPER_CODE),
      proxyRow(RESOLVER, RESOLVER_CODE),
    ]);
  await writer
    .insert(ensv2Link)
    .values([link("native.eth", 1), link("", 2), link("cleared.native.eth", null)]);
  await writer
    .insert(textRecord)
    .values([
      text(RESOLVER, record(1), "url", "https://native.example"),
      text(RESOLVER, record(1), "display", "NATIVE.eth"),
      text(RESOLVER, record(1), buildAgentKey({ chainId: CHAIN_ID, address: AGENT_REGISTRY }, 7n), "1"),
      text(RESOLVER, record(2), "url", "https://all.example"),
      text(NODE_RESOLVER, namehash("migrated.eth"), "url", "https://migrated.example"),
      text(NODE_RESOLVER, namehash("x.migrated.eth"), "url", "no wildcard"),
      text(STATIC_RESOLVER, namehash("left.locked.eth"), "url", "https://left.example"),
      text(STATIC_RESOLVER, namehash("reserved.eth"), "url", "https://reserved.example"),
      text(STATIC_RESOLVER, namehash("only1.eth"), "url", "https://only.example"),
    ]);
  await writer.insert(addressRecord).values({
    chainId: CHAIN_ID,
    resolver: RESOLVER,
    node: record(1),
    version: 0,
    coinType: 60n,
    address: alice,
    blockNumber: 12,
    transactionHash: transaction(12),
  });
  await writer.insert(ownershipChange).values([
    change(5, alice),
    change(20, MIGRATOR, 1),
    change(20, GRAVEYARD, 2),
    change(20, bob, 3),
    change(30, alice),
    { ...change(6, alice), node: namehash("old.migrated.eth") },
    { ...change(7, bob), node: namehash("sub.reserved.eth") },
    { ...change(6, bob, 1), node: namehash("deep.old.native.eth") },
    { ...change(6, bob, 2), node: namehash("x.came.locked.eth") },
    // Each of these parents was registered earlier than its entry says, because it was bought
    // again.
    ...[
      { ...change(18, alice), node: namehash("native.eth") },
      { ...change(15, alice), node: namehash("locked.eth") },
      { ...change(16, bob), node: namehash("came.locked.eth") },
    ].map((row) => ({ ...row, reason: "token" as const })),
  ]);
  const resource = entries.find(({ labelhash }) => labelhash === labelhashOf("native"))?.resource as bigint;
  await writer.insert(ensv2Role).values(
    [
      { account: alice, roles: (1n << 20n) | (1n << 24n) | (1n << 148n) | (1n << 152n) | (1n << 156n) },
      { account: bob, roles: 1n << 24n },
      { account: account(0xdead), roles: 0n },
    ].map((role) => ({
      chainId: CHAIN_ID,
      contract: ETH_REGISTRY,
      resource,
      blockNumber: 10,
      logIndex: 1,
      blockTimestamp: NOW - 1_000,
      transactionHash: transaction(10),
      ...role,
    })),
  );
});

/** The tables during one test, with the ENSv2 Universal Resolver in force. */
async function whenPublic(work: () => Promise<void>): Promise<void> {
  const phase = {
    chainId: CHAIN_ID,
    blockNumber: 900,
    blockTimestamp: NOW - 100,
    transactionHash: transaction(900),
  };
  await tables.writer.insert(ensv2Phase).values({ ...phase, phase: "public" });
  try {
    await work();
  } finally {
    await tables.writer.delete(ensv2Phase).where(eq(ensv2Phase.phase, "public"));
  }
}

describe("GET /whois/:name", () => {
  test("of a name registered in ENSv2", async () => {
    const native = entries.find(({ labelhash }) => labelhash === labelhashOf("native"));
    expect(await whois("native.eth")).toMatchObject({
      protocol: "ensv2",
      registry: getAddress(ETH_REGISTRY),
      display: "NATIVE.eth",
      token_id: String(native?.tokenId),
      token: { contract: getAddress(ETH_REGISTRY), id: String(native?.tokenId), standard: "ERC-1155" },
      expiry_timestamp: String(inDays(100)),
      ownership: { is_wrapped: false, owner: ALICE },
      roles: {
        total: 2,
        holders: [
          { address: BOB, roles: ["SET_RESOLVER"] },
          {
            address: ALICE,
            roles: [
              "SET_SUBREGISTRY",
              "SET_RESOLVER",
              "SET_SUBREGISTRY_ADMIN",
              "SET_RESOLVER_ADMIN",
              "CAN_TRANSFER",
            ],
          },
        ],
      },
      resolver: { status: "indexed", address: getAddress(RESOLVER) },
      availability_status: "registered",
      source: "indexed",
    });
  });

  test("of a migrated name shows the owners before and after, and nothing that ENSv1 keeps", async () => {
    const reply = await whois("migrated.eth");
    expect(reply).toMatchObject({
      protocol: "ensv2",
      ownership: { is_wrapped: false, owner: BOB },
      migration: {
        from_address: ALICE,
        to_address: BOB,
        block_number: 20,
        transaction_hash: transaction(20),
      },
      resolver: { status: "indexed", address: getAddress(NODE_RESOLVER) },
      source: "indexed",
    });
    expect(Object.keys(reply.ownership as object)).toEqual(["is_wrapped", "owner", "is_owner_current"]);
  });

  test.each([
    ["only2.eth", "unknown"],
    ["ingrace.eth", "unknown"],
    ["sold.eth", "premium"],
    ["open.eth", "available"],
  ])(
    "of a name that only ENSv2 reserves, %s, is %s: it is not free until the registrar sells it",
    async (name, state) => {
      expect(await whois(name)).toMatchObject({
        name,
        availability_status: state,
        expiry_timestamp: null,
        reservation: { block_number: 9 },
        ownership: { is_wrapped: false },
        source: "indexed",
      });
      expect((await whois(name)).ownership).toEqual({ is_wrapped: false });
    },
  );

  test("of a reserved name has ENSv1's data and the reservation", async () => {
    expect(await whois("reserved.eth")).toMatchObject({
      protocol: "ensv1",
      token: { id: BigInt(labelhashOf("reserved")).toString(), standard: "ERC-721" },
      expiry_timestamp: String(inDays(100)),
      ownership: { owner: BOB, registrar: BOB },
      reservation: { expiry_timestamp: String(inDays(162)), block_number: 9 },
      resolver: { status: "indexed", address: getAddress(STATIC_RESOLVER) },
      source: "indexed",
    });
    expect(await whois("only1.eth")).not.toHaveProperty("reservation");
  });

  test("of a name below a migrated one ignores ENSv1's row, which is history", async () => {
    const reply = await whois("old.migrated.eth");
    expect(reply).toMatchObject({
      protocol: "ensv2",
      resolver: { status: "none" },
      availability_status: "unknown",
      source: "indexed",
    });
    expect(reply.ownership).toEqual({ is_wrapped: false });
    expect(reply).not.toHaveProperty("registry");
  });

  test("of a wrapped name below a locked one comes from ENSv1 until the name is migrated", async () => {
    for (const protocol of ["before", "public"]) {
      const check = async () => {
        expect(await whois("left.locked.eth"), protocol).toMatchObject({
          protocol: "ensv1",
          ownership: { owner: ALICE, is_wrapped: true },
          source: "indexed",
        });
        expect(await whois("x.left.locked.eth")).toMatchObject({
          protocol: "ensv1",
          ownership: { owner: BOB },
        });
      };
      await (protocol === "public" ? whenPublic(check) : check());
    }
    expect((await whois("ours.locked.eth")).ownership).toEqual({ is_wrapped: false });
    expect(await whois("came.locked.eth")).toMatchObject({
      protocol: "ensv2",
      ownership: { owner: BOB },
      migration: { to_address: null },
    });
  });

  test("of a subname comes from its entry, with the resolver above that answers for it", async () => {
    expect(await whois("sub.native.eth")).toMatchObject({
      protocol: "ensv2",
      registry: getAddress(USER),
      ownership: { owner: BOB },
      expiry_timestamp: String(inDays(50)),
      resolver: { status: "none", answered_by: getAddress(RESOLVER) },
      availability_status: "registered",
      source: "indexed",
    });
  });

  test("of a lagging row ignores it: the walk decides", async () => {
    for (const name of ["sub.now.eth", "cut.native.eth"]) {
      const reply = await whois(name);
      expect(reply.ownership, name).toEqual({ is_wrapped: false });
      expect(reply, name).toMatchObject({ protocol: "ensv2", expiry_timestamp: null });
    }
    expect(await whois("gone.native.eth")).toMatchObject({
      registry: getAddress(USER),
      expiry_timestamp: String(NOW),
      ownership: { is_wrapped: false },
    });
  });

  test("at the second of its expiry a name has no resolver, and its last holder can renew it", async () => {
    expect(await whois("now.eth")).toMatchObject({
      ownership: { owner: ALICE },
      resolver: { status: "none" },
      availability_status: "grace",
    });
    expect((await whois("dropped.eth")).ownership).toEqual({ is_wrapped: false });
  });

  test("below a registry of unknown code needs the chain", async () => {
    expect(await status("/whois/sub.strange.eth")).toBe(502);
    expect((await api.get("/whois/strange.eth?partial=true")).body).toMatchObject({
      ownership: { owner: ALICE },
      resolver: { status: "unindexed" },
      unresolved: [{ part: "display" }],
    });
  });

  test("of an unknown name depends on the resolver above it", async () => {
    expect(await whois("any.native.eth")).toMatchObject({
      protocol: "ensv2",
      resolver: { status: "none", answered_by: getAddress(RESOLVER) },
    });
    expect(await whois("any.bare.eth")).toEqual({
      query: "any.bare.eth",
      availability_status: "unknown",
      resolution: "no_resolver",
      source: "indexed",
    });
    expect(await whois("unregistered.eth")).toMatchObject({
      availability_status: "available",
      source: "indexed",
    });
  });

  test("once ENSv2's Universal Resolver is in force, uses ENSv1 only if the path leads to it", async () => {
    await whenPublic(async () => {
      expect(await whois("reserved.eth")).toMatchObject({ protocol: "ensv1", source: "indexed" });
      expect(await whois("sub.reserved.eth")).toMatchObject({ protocol: "ensv1", source: "indexed" });
      expect(await whois("reserved.eth")).not.toHaveProperty("live");
      for (const name of ["lapsed.eth", "only1.eth"]) {
        expect(await whois(name)).toMatchObject({ protocol: "ensv1", source: "indexed" });
        expect((await api.get(`/domain/${name}/records`)).body, name).toMatchObject({
          records: { texts: {} },
          source: "indexed",
        });
      }
      expect(await whois("migrated.eth")).toMatchObject({ protocol: "ensv2", source: "indexed" });
    });
  });

  test("by hash and in bulk is the same as by name", async () => {
    const names = rows.map(({ fullName }) => fullName).filter((name) => name !== "eth");
    const { results } = (await api.post("/whois/bulk", { names })).body as { results: object[] };
    for (const [i, name] of names.entries()) {
      const one = await whois(name);
      expect(results[i], name).toEqual(one);
      const { query: _, ...byHash } = one;
      expect((await api.get(`/lookup-namehash/${namehash(name)}`)).body, name).toEqual(byHash);
    }
  });

  test("mentions nothing of it if the deployment has no ENSv2", async () => {
    const { body } = await openApi(tables, NOW, { contracts: ofEnsv1 }).get("/whois/reserved.eth");
    for (const field of ["protocol", "registry", "token", "roles", "reservation", "migration"]) {
      expect(body).not.toHaveProperty(field);
    }
  });
});

test("an owner in ENSv1 ends with the parent's migration, but not with a reservation", async () => {
  const historyOf = async (name: string) => (await api.get(`/domain/${name}/ownership-history`)).body.history;
  const endedIn = (block: number) => ({
    to_block: block,
    to_timestamp: block,
    to_tx: transaction(block),
  });
  expect(await historyOf("old.migrated.eth")).toMatchObject([
    { address: ALICE, ...endedIn(20), to_timestamp: 1_600_000_240 },
  ]);
  expect(await historyOf("deep.old.native.eth")).toMatchObject([{ address: BOB, ...endedIn(18) }]);
  // A wrapper registry leaves names to ENSv1 until they migrate themselves.
  expect(await historyOf("x.came.locked.eth")).toMatchObject([{ address: BOB, ...endedIn(16) }]);
  expect(await historyOf("sub.reserved.eth")).toMatchObject([{ address: BOB, to_timestamp: null }]);
});

describe("records", () => {
  const textsOf = async (name: string) => {
    const { body } = await api.get(`/domain/${name}/records`);
    return (body.records as { texts: object }).texts;
  };

  test("come from the resolver's record number for the name", async () => {
    const { body } = await api.get("/domain/native.eth/records");
    expect(body).toMatchObject({
      resolver: { status: "indexed", address: getAddress(RESOLVER) },
      records: { texts: { url: "https://native.example" }, addresses: { 60: ALICE } },
      source: "indexed",
    });
    expect((await api.get("/domain/native.eth/records/text/url")).body).toMatchObject({
      value: "https://native.example",
      transaction_hash: transaction(12),
      source: "indexed",
    });
  });

  test("that claim an agent are found there too", async () => {
    const adapter = { ...noChain.live, bindings: async () => [{ answer: null }] };
    const { body } = await openApi(tables, NOW, { contracts, live: adapter }).get("/domain/native.eth/agent");
    expect(body).toMatchObject({ is_erc8004_agent: true, registrations: [{ agent_id: "7" }] });
  });

  test("of names without a number are the resolver's records for all names", async () => {
    for (const name of ["sub.native.eth", "any.native.eth", "cleared.native.eth"]) {
      expect(await textsOf(name), name).toEqual({ url: "https://all.example" });
    }
  });

  test("of a resolver that stores by node are those of the name's own node only", async () => {
    expect(await textsOf("migrated.eth")).toEqual({ url: "https://migrated.example" });
    expect(await textsOf("x.migrated.eth")).toEqual({});
    expect(await textsOf("old.migrated.eth")).toEqual({});
  });

  test("of names that ENSv1 answers for come from ENSv1", async () => {
    expect(await textsOf("left.locked.eth")).toEqual({ url: "https://left.example" });
    expect(await textsOf("reserved.eth")).toEqual({ url: "https://reserved.example" });
  });

  test("of an expired name are empty", async () => {
    expect(await textsOf("now.eth")).toEqual({});
    expect(await textsOf("sub.now.eth")).toEqual({});
  });

  test("at a resolver that delegates to ENSv1, or that is unknown, need the chain", async () => {
    await tables.writer
      .update(ensv2Entry)
      .set({ resolver: ENSV1_RESOLVER })
      .where(eq(ensv2Entry.labelhash, labelhashOf("bare")));
    expect(await status("/domain/bare.eth/records")).toBe(502);
    expect(await status("/domain/strange.eth/records")).toBe(502);
  });
});
