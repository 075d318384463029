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
import { type Address, getAddress, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { buildAgentKey } from "../../src/api/names/rules/agentKey.ts";
import { failure, openApi, useApi } from "./api.ts";
import {
  contracts,
  ENSV1_RESOLVER,
  type EntryRow,
  ETH_ENTRY,
  ETH_REGISTRY,
  entryRow,
  FAR,
  GRAVEYARD,
  labelhashOf,
  linkRow,
  MIGRATOR,
  NODE_RESOLVER,
  proxyRow,
  REGISTRY_CODE,
  RESOLVER,
  RESOLVER_CODE,
  ROOT,
  record,
  reservedRow,
  roleRow,
  STRANGE,
  WRAPPER_CODE,
} from "./ensv2.ts";
import { noChain } from "./noChain.ts";
import {
  AGENT_REGISTRY,
  account,
  addressRow,
  alice,
  at,
  bob,
  CHAIN_ID,
  domainRow,
  inDays,
  NOW,
  contracts as ofEnsv1,
  ownedBy,
  ownershipRow,
  registeredRow,
  STATIC_RESOLVER,
  textRow,
  transaction,
  wrappedBy,
} from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

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
  registeredTimestamp: at(20).blockTimestamp,
  registeredTransactionHash: transaction(20),
});

const ofLocked = { owner: alice, expiry: inDays(100), subregistry: WRAPPER_REGISTRY };
const entries: EntryRow[] = [
  ETH_ENTRY,
  ethEntry("native", { owner: alice, expiry: inDays(100), resolver: RESOLVER, subregistry: USER }),
  ethEntry("migrated", { owner: bob, expiry: inDays(100), resolver: NODE_RESOLVER, ...migratedBy(MIGRATOR) }),
  ethEntry("locked", { ...ofLocked, ...migratedBy(MIGRATOR) }),
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
const indexed = { resolver: STATIC_RESOLVER };
const ofUser = { registry: USER, effectiveOwnerAddress: bob };
const lagging = { ...ofUser, resolver: NODE_RESOLVER };
const native = { registry: ETH_REGISTRY, effectiveOwnerAddress: alice, expiryTimestamp: inDays(100) };
const wrapped = (fuses: number) => ({ ...wrappedBy(alice, inDays(80), fuses), ...indexed });

const rows = [
  domainRow("eth", { registry: ROOT }),
  domainRow("native.eth", native),
  registeredRow("migrated.eth", GRAVEYARD, FAR, { ...graveyard, registry: ETH_REGISTRY }),
  domainRow("old.migrated.eth", { ...ownedBy(alice), ...indexed }),
  registeredRow("locked.eth", GRAVEYARD, FAR, { ...graveyard, registry: ETH_REGISTRY }),
  domainRow("left.locked.eth", wrapped(65_536)),
  domainRow("x.left.locked.eth", { ...ownedBy(bob), ...indexed }),
  domainRow("ours.locked.eth", wrapped(1)),
  domainRow("deep.old.native.eth", ownedBy(bob)),
  domainRow("x.came.locked.eth", ownedBy(bob)),
  domainRow("came.locked.eth", { ...graveyard, registry: WRAPPER_REGISTRY }),
  registeredRow("reserved.eth", bob, inDays(100), indexed),
  domainRow("sub.reserved.eth", { ...ownedBy(bob), ...indexed }),
  registeredRow("lapsed.eth", bob, inDays(-63), indexed),
  registeredRow("only1.eth", bob, inDays(100), indexed),
  // The row lags: its registry was unlinked, or expired above it, or the entry is not projected.
  domainRow("sub.native.eth", ofUser),
  domainRow("sub.now.eth", lagging),
  domainRow("cut.native.eth", lagging),
];

const change = (
  block: number,
  owner: Address,
  name = "migrated.eth",
  log = 0,
  reason: "registry" | "token" = "registry",
) => ownershipRow({ block, log }, name, owner, { reason });

const tables = useTables();
const api = useApi(tables, NOW, { contracts });
const nativeEntry = entries.find(({ label }) => label === "native");
const whois = (name: string) => api.ask(`/whois/${name}`);
const needsChain = failure("LIVE_RESOLUTION_FAILED");

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
    .values([linkRow("native.eth", 1), linkRow("", 2), linkRow("cleared.native.eth", null)]);
  const numbered = (number: number) => ({ resolver: RESOLVER, node: record(number) });
  const ofNode = { resolver: NODE_RESOLVER };
  const agent = buildAgentKey({ chainId: CHAIN_ID, address: AGENT_REGISTRY }, 7n);
  await writer
    .insert(textRecord)
    .values([
      textRow("", "url", "https://native.example", numbered(1)),
      textRow("", "display", "NATIVE.eth", numbered(1)),
      textRow("", agent, "1", numbered(1)),
      textRow("", "url", "https://all.example", numbered(2)),
      textRow("migrated.eth", "url", "https://migrated.example", ofNode),
      textRow("x.migrated.eth", "url", "no wildcard", ofNode),
      textRow("left.locked.eth", "url", "https://left.example"),
      textRow("reserved.eth", "url", "https://reserved.example"),
      textRow("only1.eth", "url", "https://only.example"),
    ]);
  await writer.insert(addressRecord).values(addressRow("", 60, alice, numbered(1)));
  await writer.insert(ownershipChange).values([
    change(5, alice),
    change(20, MIGRATOR, "migrated.eth", 1),
    change(20, GRAVEYARD, "migrated.eth", 2),
    change(20, bob, "migrated.eth", 3),
    change(30, alice),
    change(6, alice, "old.migrated.eth"),
    change(7, bob, "sub.reserved.eth"),
    change(6, bob, "deep.old.native.eth", 1),
    change(6, bob, "x.came.locked.eth", 2),
    // Each of these parents was registered earlier than its entry says, because it was bought
    // again.
    change(18, alice, "native.eth", 0, "token"),
    change(15, alice, "locked.eth", 0, "token"),
    change(16, bob, "came.locked.eth", 0, "token"),
  ]);
  const ofAlice = (1n << 20n) | (1n << 24n) | (1n << 148n) | (1n << 152n) | (1n << 156n);
  await writer
    .insert(ensv2Role)
    .values([
      roleRow(ETH_REGISTRY, nativeEntry?.resource, alice, ofAlice),
      roleRow(ETH_REGISTRY, nativeEntry?.resource, bob, 1n << 24n),
      roleRow(ETH_REGISTRY, nativeEntry?.resource, account(0xdead), 0n),
    ]);
});

/** The tables during one test, with the ENSv2 Universal Resolver in force. */
async function whenPublic(work: () => Promise<void>): Promise<void> {
  await tables.writer.insert(ensv2Phase).values({ ...at(900), phase: "public" });
  try {
    await work();
  } finally {
    await tables.writer.delete(ensv2Phase).where(eq(ensv2Phase.phase, "public"));
  }
}

describe("GET /whois/:name", () => {
  test("of a name registered in ENSv2", async () => {
    const admins = ["SET_SUBREGISTRY_ADMIN", "SET_RESOLVER_ADMIN"];
    expect(await whois("native.eth")).toMatchObject({
      protocol: "ensv2",
      registry: getAddress(ETH_REGISTRY),
      display: "NATIVE.eth",
      token_id: String(nativeEntry?.tokenId),
      token: { contract: getAddress(ETH_REGISTRY), id: String(nativeEntry?.tokenId), standard: "ERC-1155" },
      expiry_timestamp: String(inDays(100)),
      ownership: { is_wrapped: false, owner: ALICE },
      roles: {
        total: 2,
        holders: [
          { address: BOB, roles: ["SET_RESOLVER"] },
          {
            address: ALICE,
            roles: ["SET_SUBREGISTRY", "SET_RESOLVER", ...admins, "CAN_TRANSFER"],
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
    const check = async () => {
      const left = { protocol: "ensv1", ownership: { owner: ALICE, is_wrapped: true }, source: "indexed" };
      expect(await whois("left.locked.eth")).toMatchObject(left);
      const below = { protocol: "ensv1", ownership: { owner: BOB } };
      expect(await whois("x.left.locked.eth")).toMatchObject(below);
    };
    await check();
    await whenPublic(check);
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
    expect(await api.get("/whois/sub.strange.eth")).toMatchObject(needsChain);
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
    to_timestamp: at(block).blockTimestamp,
    to_tx: transaction(block),
  });
  expect(await historyOf("old.migrated.eth")).toMatchObject([{ address: ALICE, ...endedIn(20) }]);
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
      transaction_hash: transaction(7),
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
    for (const name of ["bare.eth", "strange.eth"])
      expect(await api.get(`/domain/${name}/records`), name).toMatchObject(needsChain);
  });
});
