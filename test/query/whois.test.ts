import { domain } from "ponder:schema";
import { getAddress, keccak256, labelhash, namehash, stringToBytes } from "viem";
import { describe, expect, test } from "vitest";
import { nameByNode } from "../../src/ens/name.ts";
import { failure } from "./api.ts";
import { alice, domainRow, inDays, NOW, PARENT_CANNOT_CONTROL, STATIC_RESOLVER, WRAPPER } from "./rows.ts";
import { DEEP_NAME, deep, known, ownerOf, useWorld } from "./world.ts";

const ALICE = getAddress(alice);
const { tables, api } = useWorld();
const whois = (name: string) => api.ask(`/whois/${name}?partial=true`);

describe("GET /whois/:name", () => {
  test("returns every field of a registered name", async () => {
    expect(await api.ask("/whois/Alice.eth")).toEqual({
      query: "Alice.eth",
      resolution: "resolves",
      name: "alice.eth",
      label: "alice",
      label_source: "event",
      labelhash: labelhash("alice"),
      token_id: BigInt(labelhash("alice")).toString(),
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
      subname_count: 3,
    });
  });

  test("answers the same under /api", async () => {
    expect(await api.get("/api/whois/alice.eth")).toEqual(await api.get("/whois/alice.eth"));
  });

  test.each(known.filter(({ name }) => /^[a-z.]+$/.test(name)))(
    "$name is $state and belongs to its owner",
    async ({ name, row, state }) => {
      const { availability_status, ownership } = await whois(name);
      const { owner } = ownership as { owner?: string };
      const expected = ownerOf(row);
      expect({ availability_status, owner }).toEqual({
        availability_status: state,
        owner: expected === null ? undefined : getAddress(expected),
      });
    },
  );

  test.each([
    ["never.eth", "available", "not_registered"],
    ["abc.eth", "available", "not_registered"],
    ["ab.eth", "unknown", "not_registered"],
    [`[${"0".repeat(64)}].eth`, "unknown", "not_registered"],
    ["never.alice.eth", "unknown", "no_resolver"],
    ["example.com", "unknown", "no_resolver"],
  ])("%s, which no event named, is answered with its state only: %s", async (name, status, resolution) => {
    const expected = { query: name, availability_status: status, resolution, source: "indexed" };
    expect(await api.ask(`/whois/${name}`)).toEqual(expected);
  });

  test("a wrapped name has its token's owner, its fuses and the node as token id, and the registrar's expiry", async () => {
    const [registry, registrar] = [getAddress(WRAPPER), getAddress(WRAPPER)];
    expect(await whois("wrapped.eth")).toMatchObject({
      ownership: {
        is_wrapped: true,
        owner: ALICE,
        is_owner_current: true,
        registry,
        registrar,
        wrapper: ALICE,
      },
      wrapper: {
        fuses: PARENT_CANNOT_CONTROL + 131_072 + 1,
        expiry_timestamp: inDays(100).toString(),
        fuse_names: ["CANNOT_UNWRAP", "PARENT_CANNOT_CONTROL", "IS_DOT_ETH"],
      },
      token_id: BigInt(namehash("wrapped.eth")).toString(),
      expiry_timestamp: inDays(10).toString(),
    });
  });

  test("if the wrapper expired before the registrar, the name belongs to the NameWrapper and its fuses are gone", async () => {
    const { ownership, wrapper, token_id } = await whois("lapsed.eth");
    expect(ownership).toEqual({
      is_wrapped: false,
      owner: getAddress(WRAPPER),
      owner_title: "NAME_WRAPPER",
      is_owner_current: false,
      registry: getAddress(WRAPPER),
      registrar: getAddress(WRAPPER),
      last_owner: { address: ALICE, to_timestamp: NOW, ended_by: "wrapper_expiry" },
    });
    expect(wrapper).toEqual({ fuses: 0, expiry_timestamp: String(NOW - 1), fuse_names: [], expired: true });
    expect(token_id).toBe(BigInt(labelhash("lapsed")).toString());
  });

  test("a subname wrapped without expiry has none", async () => {
    const { expiry_timestamp, wrapper } = await whois("endless.wrapped.eth");
    expect(expiry_timestamp).toBeNull();
    expect(wrapper).toEqual({ fuses: 0, expiry_timestamp: "0", fuse_names: [] });
  });

  test("the display name is the record in force, at a resolver whose events can be trusted", async () => {
    expect((await whois("cleared.eth")).display).toBe("Cleared.eth");
    expect((await whois("strange.eth")).display).toBeUndefined();
  });

  test("a name without resolver is answered in full by the index, by name and by hash", async () => {
    const ask = async (path: string) => (await api.get(`${path}?partial=true`)).body;
    const { query, ...body } = await ask("/whois/bare.eth");
    expect(body).toMatchObject({
      name: "bare.eth",
      ownership: { owner: ALICE },
      expiry_timestamp: inDays(100).toString(),
      resolver: { status: "none" },
      unresolved: [{ part: "display" }, { part: "resolver.answered_by" }],
    });
    const [node, label] = [namehash("bare.eth"), labelhash("bare")];
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

  test.each(["/whois/absent.strange.eth", "/domain/bare.eth/records", "/domain/strange.eth/records"])(
    "data that only the chain has is never made up: %s",
    async (path) => {
      const failed = failure("LIVE_RESOLUTION_FAILED", expect.stringMatching(/LIVE_RPC_URL/));
      expect(await api.get(path)).toMatchObject(failed);
    },
  );

  test("a top-level name has the empty root as its parent", async () => {
    expect(await whois("eth")).toMatchObject({ parent_name: "", parent_node: namehash(""), label: "eth" });
  });

  test("a label may be given by its hash", async () => {
    const hash = keccak256(stringToBytes("alice")).slice(2).toUpperCase();
    expect(await whois(`[${hash}].eth`)).toMatchObject({ name: "alice.eth" });
  });
});

test("GET /pending-stats counts the names with an unknown label", async () => {
  const before = (await api.ask("/pending-stats")).pendingCount as number;
  const hidden = domainRow("hidden.eth", { isLabelKnown: false, labelLength: null, isNameKnown: false });
  await tables.writer.insert(domain).values([hidden]);
  expect(await api.ask("/pending-stats")).toEqual({
    pendingCount: before + 1,
    healedCount: 0,
    healedShare: 0,
    waitingCount: 0,
  });
});

describe("a name written as its node", () => {
  const [name, node] = [DEEP_NAME, deep.node];

  test("is answered from the index, although its resolver is not indexed", async () => {
    const parent_name = nameByNode(namehash("strange.eth"));
    const answer = await api.ask(`/whois/${name}`);
    expect(answer).toMatchObject({ query: name, name, namehash: node, source: "indexed", parent_name });
    const both = (await api.post("/whois/bulk", { names: [name], namehashes: [node] })).body;
    expect(both.results).toMatchObject([
      { query: name, name },
      { query: node, name },
    ]);
  });

  test("has no records that could be requested, unless by its text", async () => {
    const unknown = failure("LIVE_RESOLUTION_FAILED", expect.stringContaining("known only by its node"));
    expect(await api.get(`/domain/${name}/records`)).toMatchObject(unknown);
    expect(await api.get("/domain/deep.strange.eth/records")).not.toMatchObject(unknown);
  });

  test("is that node, whatever its name", async () => {
    const named = { name: "alice.eth", label: "alice" };
    expect(await whois(nameByNode(namehash("alice.eth")))).toMatchObject(named);
    const absent = nameByNode(namehash("missing.nowhere"));
    const nothing = { query: absent, availability_status: "unknown", source: "indexed" };
    expect(await whois(absent)).toEqual(nothing);
  });
});
