import { domain } from "ponder:schema";
import { getAddress, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { reverseNode } from "../../src/api/names/schemas/input.ts";
import { failure, openApi, withQuery } from "./api.ts";
import { lostNode } from "./noChain.ts";
import { carol, domainRow, inDays, NOW, ownedBy, registeredRow, STRANGE_RESOLVER } from "./rows.ts";
import { useWorld } from "./world.ts";

/* No node is configured here. */

const { tables, api } = useWorld();

/** An address whose reverse node's resolver is not indexed. */
beforeAll(async () => {
  const reverse = { ...ownedBy(carol), node: reverseNode(carol), resolver: STRANGE_RESOLVER };
  await tables.writer
    .insert(domain)
    .values([
      domainRow(`${carol.slice(2)}.addr.reverse`, reverse),
      registeredRow("carol.eth", carol, inDays(1)),
    ]);
});

const reason = { code: "LIVE_RESOLUTION_FAILED", message: expect.stringMatching(/LIVE_RPC_URL/) };
const error = { error: reason };
const partOf = (part: string) => ({ part, ...reason });

/** Answers that need the chain, without and with `partial`. */
async function both(path: string) {
  const [whole, partial] = [await api.get(path), await api.get(withQuery(path, "partial=true"))];
  expect(whole).toEqual({ status: 502, body: error });
  expect(partial.status).toBe(200);
  return partial.body;
}

const bare = { status: "none" };

describe("a name that only the chain can answer for", () => {
  const nothing = { availability_status: "unknown", source: "indexed", unresolved: [partOf("domain")] };

  test("by name has only its question, and is neither free nor registered", async () => {
    expect(await both("/whois/sub.strange.eth")).toEqual({ query: "sub.strange.eth", ...nothing });
  });

  test("in bulk also has its error, unless less is enough", async () => {
    const ask = async (query: string) =>
      (await api.post(`/whois/bulk${query}`, { names: ["sub.strange.eth", "a b.eth"] })).body;
    const item = { query: "sub.strange.eth", ...nothing };
    const invalid = { query: "a b.eth", availability_status: "unknown", ...failure("INVALID_NAME").body };
    expect(await ask("")).toMatchObject({
      results: [{ ...item, ...error }, invalid],
      summary: { unknown: 2 },
    });
    expect((await ask("?partial=true")).results).toEqual([item, invalid]);
  });

  test("has unknown records, which is not the same as empty ones", async () => {
    const { domain, ...reply } = await both("/domain/sub.strange.eth/records");
    expect(reply).toEqual({ source: "indexed", unresolved: [partOf("domain")] });
  });
});

describe("a name whose resolver was not asked", () => {
  test("has its resolver, and no records", async () => {
    const resolver = { status: "unindexed", address: getAddress(STRANGE_RESOLVER) };
    const known = { domain: "strange.eth", resolver, source: "indexed" };
    expect(await both("/domain/strange.eth/records")).toEqual({ ...known, unresolved: [partOf("records")] });
    expect(await both("/domain/strange.eth/records/text/url")).toEqual({
      ...known,
      key: "url",
      unresolved: [partOf("value")],
    });
  });

  test("that has no resolver of its own leaves open who would have answered", async () => {
    expect(await both("/domain/bare.eth/records")).toEqual({
      domain: "bare.eth",
      resolver: bare,
      source: "indexed",
      unresolved: [partOf("records"), partOf("resolver.answered_by")],
    });
  });
});

describe("a text whose value is in no event", () => {
  test("is missing from the records and listed as missing; the others are there", async () => {
    expect(await both("/domain/legacy.eth/records")).toMatchObject({
      records: { texts: { email: "known" }, addresses: {} },
      source: "indexed",
      unresolved: [{ ...partOf("records.texts"), keys: ["url"] }],
    });
    const without = await api.get("/domain/legacy.eth/records?types=addr");
    expect(without.status).toBe(200);
  });

  test("has no value, and its history has no newest entry", async () => {
    const text = await both("/domain/legacy.eth/records/text/url");
    expect(text).toMatchObject({ key: "url", unresolved: [partOf("value")] });
    for (const field of ["value", "block_number", "transaction_hash"]) expect(text).not.toHaveProperty(field);
    expect(await both("/domain/legacy.eth/records/text/url/history")).toMatchObject({
      history: [],
      total: 0,
      unresolved: [partOf("value")],
    });
  });
});

describe("an address whose primary name only the chain can give", () => {
  test("is still counted, and its primary name is absent, which is not the same as null", async () => {
    const summary = await both(`/address/${carol}/summary`);
    expect(summary).toMatchObject({ domain_count: 1, unresolved: [partOf("primary_name")] });
    expect(summary).not.toHaveProperty("primary_name");
    expect(summary).not.toHaveProperty("primary_name_source");
    const address = getAddress(carol);
    const unresolved = [partOf("primary_name")];
    expect(await both(`/address/${carol}/primary-name`)).toEqual({ address, unresolved });
    expect(await both(`/address/${carol}/primary-name?history=true`)).toEqual({
      address,
      history: [],
      total: 0,
      unresolved,
    });
  });

  test("has its error in a bulk, and no primary name", async () => {
    const { body } = await api.post("/address/primary-names/bulk", { addresses: [carol] });
    expect(body).toEqual({ results: { [getAddress(carol)]: { query: carol, ...error } } });
  });
});

describe("when the node is gone", () => {
  const failed = { code: "LIVE_RESOLUTION_FAILED", message: expect.stringContaining("could not be asked") };
  const ask = async (path: string) => openApi(tables, NOW, { live: lostNode }).get(path);

  test.each([
    ["strange.eth", "registered", ["display"]],
    ["bare.eth", "registered", ["display", "resolver.answered_by"]],
    ["relic.eth", "available", ["display"]],
  ])("%s has what its registries say, as without a node", async (name, availability_status, parts) => {
    expect(await ask(`/whois/${name}`)).toEqual({ status: 502, body: { error: failed } });
    const { unresolved: off, ...known } = await both(`/whois/${name}`);
    expect(known).toMatchObject({ availability_status, source: "indexed" });
    expect([known.live, off]).toEqual([undefined, parts.map(partOf)]);
    const unresolved = parts.map((part) => ({ part, ...failed }));
    expect((await ask(`/whois/${name}?partial=true`)).body).toEqual({ ...known, unresolved });
  });
});

test("answers that need no chain are the same with and without it", async () => {
  for (const path of ["/whois/alice.eth", "/whois/never.eth", `/lookup-hash/${namehash("alice.eth")}`]) {
    const whole = await api.get(path);
    expect(whole.status).toBe(200);
    expect(await api.get(`${path}?partial=true`)).toEqual(whole);
  }
});

test("the calendar of a name that only the chain can answer for says that its end is unknown; others do not", async () => {
  const calendar = async (name: string) => (await api.app.request(`/domain/${name}/expiry.ics`)).text();
  expect(await calendar("sub.strange.eth")).toContain("Only the chain can tell");
  for (const name of ["strange.eth", "never.eth"]) {
    expect(await calendar(name), name).not.toContain("Only the chain");
  }
});
