import { domain, resolverNode, textRecord } from "ponder:schema";
import { getAddress, keccak256, namehash, stringToBytes } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { nameByNode } from "../../src/ens/name.ts";
import { useApi } from "./api.ts";
import {
  account,
  answerable,
  CHAIN_ID,
  domainRow,
  registeredRow,
  STATIC_RESOLVER,
  STRANGE_RESOLVER,
  transaction,
  WRAPPER,
} from "./rows.ts";
import { useTables } from "./tables.ts";

const NOW = 1_800_000_000;
const DAY = 86_400;
const inDays = (days: number) => BigInt(NOW + days * DAY);
const alice = account(0xa11ce);
const ALICE = getAddress(alice);
const PCC = 65536;
/** Stands for a name of more than 1,024 bytes. */
const DEEP = namehash("deep.strange.eth");

const tables = useTables();
const api = useApi(tables, NOW);

const whois = async (name: string) => (await api.get(`/whois/${name}`)).body;

beforeAll(async () => {
  const owned = { registryOwner: alice, effectiveOwnerAddress: alice };
  const wrapped = {
    registryOwner: WRAPPER,
    wrapperOwner: alice,
    effectiveOwnerAddress: alice,
    isWrapped: true,
  };
  const rows = [
    domainRow("eth", { registryOwner: account(0xe2), effectiveOwnerAddress: account(0xe2) }),
    registeredRow("alice.eth", alice, inDays(100), { resolver: STATIC_RESOLVER }),
    registeredRow("strange.eth", alice, inDays(1), { resolver: STRANGE_RESOLVER }),
    registeredRow("grace.eth", alice, inDays(-90)),
    registeredRow("premium.eth", alice, BigInt(NOW - 90 * DAY - 1)),
    registeredRow("lapsed.eth", alice, inDays(-111)),
    domainRow("ghost.eth"),
    domainRow("deep.strange.eth", { ...owned, fullName: nameByNode(DEEP), resolver: STRANGE_RESOLVER }),
    registeredRow("wrapped.eth", WRAPPER, inDays(10), {
      ...wrapped,
      wrapperFuses: PCC | 131072 | 1,
      wrapperExpiryTimestamp: inDays(100),
    }),
    registeredRow("desync.eth", WRAPPER, inDays(300), {
      ...wrapped,
      wrapperFuses: PCC | 131072 | 1,
      wrapperExpiryTimestamp: BigInt(NOW - 1),
    }),
    domainRow("sub.wrapped.eth", {
      ...wrapped,
      wrapperFuses: PCC,
      wrapperExpiryTimestamp: inDays(5),
      expiryTimestamp: inDays(5),
    }),
    domainRow("plain.wrapped.eth", { ...wrapped, wrapperFuses: 0, wrapperExpiryTimestamp: 0n }),
    domainRow("ended.wrapped.eth", {
      ...wrapped,
      wrapperFuses: PCC,
      wrapperExpiryTimestamp: BigInt(NOW - 1),
      expiryTimestamp: BigInt(NOW - 1),
    }),
    domainRow("sub.alice.eth", { registryOwner: alice, effectiveOwnerAddress: alice }),
    domainRow("deleted.alice.eth"),
  ];
  await tables.writer.insert(domain).values(answerable(rows));
  await tables.writer.insert(domain).values([registeredRow("bare.eth", alice, inDays(-100))]);
  const record = {
    chainId: CHAIN_ID,
    keyHash: keccak256(stringToBytes("display")),
    key: "display",
    isValueKnown: true,
    blockNumber: 1,
    logIndex: 0,
    transactionHash: transaction(1),
    setsInTransaction: 1,
    isRead: false,
  };
  await tables.writer.insert(resolverNode).values([
    {
      chainId: CHAIN_ID,
      resolver: STATIC_RESOLVER,
      node: namehash("alice.eth"),
      version: 1,
      blockNumber: 1,
    },
  ]);
  await tables.writer.insert(textRecord).values([
    { ...record, resolver: STATIC_RESOLVER, node: namehash("alice.eth"), version: 0, value: "ALICE.eth" },
    { ...record, resolver: STATIC_RESOLVER, node: namehash("alice.eth"), version: 1, value: "Alice.eth" },
    {
      ...record,
      resolver: STRANGE_RESOLVER,
      node: namehash("strange.eth"),
      version: 0,
      value: "Strange.eth",
    },
  ]);
});

describe("GET /whois/:name", () => {
  test("returns every field of a registered name", async () => {
    expect(await whois("Alice.eth")).toEqual({
      query: "Alice.eth",
      resolution: "resolves",
      name: "alice.eth",
      display: "Alice.eth",
      label: "alice",
      label_source: "event",
      labelhash: keccak256(stringToBytes("alice")),
      token_id: BigInt(keccak256(stringToBytes("alice"))).toString(),
      namehash: namehash("alice.eth"),
      parent_node: namehash("eth"),
      parent_name: "eth",
      expiry_timestamp: inDays(100).toString(),
      ownership: {
        is_wrapped: false,
        owner: ALICE,
        is_owner_current: true,
        registry: ALICE,
        registrar: ALICE,
      },
      resolver: {
        status: "indexed",
        chain: "devnet",
        address: getAddress(STATIC_RESOLVER),
        title: "RESOLVER_5",
      },
      availability_status: "registered",
      source: "indexed",
      grace_end_timestamp: (inDays(190) + 1n).toString(),
      created_timestamp: 1_600_000_000,
      protocols: ["ensv1", "registry"],
      subname_count: 2,
    });
  });

  test("answers the same under /api", async () => {
    expect(await api.get("/api/whois/alice.eth")).toEqual(await api.get("/whois/alice.eth"));
  });

  test.each([
    ["grace.eth", "grace"],
    ["premium.eth", "premium"],
    ["lapsed.eth", "available"],
    ["ghost.eth", "available"],
    ["eth", "registered"],
    ["sub.alice.eth", "registered"],
    ["deleted.alice.eth", "unknown"],
    ["plain.wrapped.eth", "registered"],
    ["sub.wrapped.eth", "registered"],
    ["ended.wrapped.eth", "unknown"],
  ])("%s is %s", async (name, status) => {
    expect((await whois(name)).availability_status).toBe(status);
  });

  test.each([
    ["never.eth", "available"],
    ["abc.eth", "available"],
    ["ab.eth", "unknown"],
    [`[${"0".repeat(64)}].eth`, "unknown"],
    ["never.alice.eth", "unknown"],
    ["example.com", "unknown"],
  ])("%s, which no event named, is answered with its state only: %s", async (name, status) => {
    const resolution =
      name.endsWith(".eth") && name.split(".").length === 2 ? "not_registered" : "no_resolver";
    expect(await whois(name)).toEqual({
      query: name,
      availability_status: status,
      resolution,
      source: "indexed",
    });
  });

  test("a wrapped name has its token's owner, its fuses and the node as token id, and the registrar's expiry", async () => {
    const body = await whois("wrapped.eth");
    expect(body.ownership).toEqual({
      is_wrapped: true,
      owner: ALICE,
      is_owner_current: true,
      registry: getAddress(WRAPPER),
      registrar: getAddress(WRAPPER),
      wrapper: ALICE,
    });
    expect(body.wrapper).toEqual({
      fuses: PCC + 131072 + 1,
      expiry_timestamp: inDays(100).toString(),
      fuse_names: ["CANNOT_UNWRAP", "PARENT_CANNOT_CONTROL", "IS_DOT_ETH"],
    });
    expect(body.token_id).toBe(BigInt(namehash("wrapped.eth")).toString());
    expect(body.expiry_timestamp).toBe(inDays(10).toString());
  });

  test("if the wrapper expired before the registrar, the name belongs to the NameWrapper and its fuses are gone", async () => {
    const body = await whois("desync.eth");
    expect(body.ownership).toEqual({
      is_wrapped: false,
      owner: getAddress(WRAPPER),
      owner_title: "NAME_WRAPPER",
      is_owner_current: false,
      registry: getAddress(WRAPPER),
      registrar: getAddress(WRAPPER),
      last_owner: { address: ALICE, to_timestamp: NOW, ended_by: "wrapper_expiry" },
    });
    expect(body.wrapper).toEqual({
      fuses: 0,
      expiry_timestamp: String(NOW - 1),
      fuse_names: [],
      expired: true,
    });
    expect(body.availability_status).toBe("registered");
    expect(body.token_id).toBe(BigInt(keccak256(stringToBytes("desync"))).toString());
  });

  test("a subname wrapped without expiry has none", async () => {
    const body = await whois("plain.wrapped.eth");
    expect(body.expiry_timestamp).toBeNull();
    expect(body.wrapper).toEqual({ fuses: 0, expiry_timestamp: "0", fuse_names: [] });
  });

  test("data of a resolver outside the list of static ones is left out, and its events do not replace it", async () => {
    const { display, ...body } = (await api.get("/whois/strange.eth?partial=true")).body;
    expect(display).toBeUndefined();
    expect(body).toMatchObject({
      availability_status: "registered",
      ownership: { owner: ALICE },
      source: "indexed",
      resolver: { status: "unindexed" },
      unresolved: [{ part: "display" }],
    });
  });

  test("a name without resolver is answered in full by the index, by name and by hash", async () => {
    const ask = async (path: string) => (await api.get(`${path}?partial=true`)).body;
    const { query, ...body } = await ask("/whois/bare.eth");
    expect(body).toMatchObject({
      name: "bare.eth",
      ownership: { owner: ALICE },
      expiry_timestamp: inDays(-100).toString(),
      availability_status: "premium",
      resolver: { status: "none" },
      source: "indexed",
      unresolved: [{ part: "display" }, { part: "resolver.answered_by" }],
    });
    const [node, label] = [namehash("bare.eth"), keccak256(stringToBytes("bare"))];
    expect(await ask(`/lookup-namehash/${node}`)).toEqual(body);
    expect(await ask(`/lookup-hash/${node}`)).toEqual({ type: "namehash", ...body });
    expect(await ask(`/lookup-hash/${label}`)).toMatchObject({ domains: [body] });
    expect(await ask(`/lookup-labelhash/${label}`)).toMatchObject({ domains: [body] });
    const bulk = await api.post("/whois/bulk?partial=true", { names: ["bare.eth"], namehashes: [node] });
    expect(bulk.body.results).toEqual([
      { ...body, query },
      { ...body, query: node },
    ]);
  });

  test("data that only the chain has is never made up: for a name missing from the index, or for records", async () => {
    for (const path of [
      "/whois/absent.strange.eth",
      "/domain/bare.eth/records",
      "/domain/strange.eth/records",
    ]) {
      expect(await api.get(path), path).toMatchObject({
        status: 502,
        body: {
          error: { code: "LIVE_RESOLUTION_FAILED", message: expect.stringMatching(/LIVE_RPC_URL/) },
        },
      });
    }
  });

  test("a top-level name has the empty root as its parent", async () => {
    expect(await whois("eth")).toMatchObject({ parent_name: "", parent_node: namehash(""), label: "eth" });
  });

  test("a label may be given by its hash", async () => {
    const hash = keccak256(stringToBytes("alice")).slice(2);
    expect(await whois(`[${hash.toUpperCase()}].eth`)).toMatchObject({ name: "alice.eth" });
  });
});

describe("GET /pending-stats", () => {
  test("counts the names with an unknown label", async () => {
    const before = (await api.get("/pending-stats")).body.pendingCount as number;
    const hidden = domainRow("hidden.eth", { isLabelKnown: false, labelLength: null, isNameKnown: false });
    await tables.writer.insert(domain).values([hidden]);
    expect((await api.get("/pending-stats")).body).toEqual({
      pendingCount: before + 1,
      healedCount: 0,
      healedShare: 0,
      waitingCount: 0,
    });
  });
});

describe("a name written as its node", () => {
  const name = nameByNode(DEEP);

  test("is answered from the index, although its resolver is not indexed", async () => {
    const answer = await whois(name);
    expect(answer).toMatchObject({ query: name, name, namehash: DEEP, source: "indexed" });
    expect(answer).toMatchObject({ parent_name: nameByNode(namehash("strange.eth")) });
    const both = (await api.post("/whois/bulk", { names: [name], namehashes: [DEEP] })).body;
    expect(both).toMatchObject({
      results: [
        { query: name, name },
        { query: DEEP, name },
      ],
    });
  });

  test("has no records that could be requested, unless by its text", async () => {
    const path = `/domain/${name}/records`;
    const { status, body } = await api.get(path);
    expect(status).toBe(502);
    expect(body).toMatchObject({ error: { code: "LIVE_RESOLUTION_FAILED" } });
    expect(JSON.stringify(body)).toContain("known only by its node");
    const byText = await api.get("/domain/deep.strange.eth/records");
    expect(JSON.stringify(byText.body)).not.toContain("known only by its node");
  });

  test("is that node, whatever its name", async () => {
    expect(await whois(nameByNode(namehash("alice.eth")))).toMatchObject({
      name: "alice.eth",
      label: "alice",
    });
    const absent = nameByNode(namehash("missing.nowhere"));
    expect(await whois(absent)).toEqual({
      query: absent,
      availability_status: "unknown",
      source: "indexed",
    });
  });
});
