import { type Address, getAddress, namehash } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addressOf, hashLabel, mineBlocks, send, setResolver, setText, warp } from "../../devnet/acts.ts";
import { names, openScene, type Scene, setUrls, tellChangeable } from "./scene.ts";

let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

beforeEach(() => {
  scene.rpc.recorded.length = 0;
});

type Body = Record<string, unknown> & {
  source?: string;
  resolver?: { status: string; address?: string; answered_by?: string };
  records?: { texts: Record<string, string>; addresses: Record<string, string>; contenthash: string | null };
};

/** Requests an answer that reflects everything mined so far. */
async function ask(path: string): Promise<{ status: number; body: Body }> {
  await scene.stack.waitForHead();
  return scene.stack.api<Body>(path);
}

const answered = async (path: string): Promise<Body> => {
  const { status, body } = await ask(path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

const failed = async (path: string): Promise<string> => {
  const { status, body } = await ask(path);
  const { code, message } = body.error as { code: string; message: string };
  expect([status, code], message).toEqual([502, "LIVE_RESOLUTION_FAILED"]);
  return message;
};

/** What the index knows about a name whose resolver reverts, from its owner and the registrar. */
async function knownOfReverting(): Promise<Body> {
  const { query, ...known } = await answered(`/whois/${names.reverting}?partial=true`);
  expect(known).toMatchObject({
    name: names.reverting,
    availability_status: "registered",
    source: "indexed",
    ownership: { owner: scene.alice },
    unresolved: [{ part: "display" }],
  });
  return known;
}

const calls = () => scene.rpc.recorded.map(({ method }) => method);

describe("a name whose records are at a gateway", () => {
  test.each([names.offchain, "anything.offchain.eth", "a.b.offchain.eth"])("%s", async (name) => {
    const { oracle } = scene;
    const { records, source, resolver } = await answered(`/domain/${name}/records`);
    expect(source).toBe("live");
    expect(records?.texts.description).toBe(await oracle.text(name, "description"));
    expect(records?.addresses["60"]).toBe(await oracle.address(name));
    const own = name === names.offchain;
    expect(resolver).toEqual(
      own
        ? { status: "unindexed", address: addressOf(scene.chain, "offchainResolver") }
        : { status: "none", answered_by: addressOf(scene.chain, "offchainResolver") },
    );
    const text = await answered(`/domain/${name}/records/text/description`);
    expect(text).toMatchObject({ value: await oracle.text(name, "description"), source: "live" });
    expect(await answered(`/domain/${name}/records/text/nothing`)).toMatchObject({
      value: null,
      source: "live",
    });
  });

  test("has an owner and an expiry from the contracts", async () => {
    const [live, indexed] = await Promise.all([
      answered(`/whois/${names.offchain}`),
      answered(`/lookup-namehash/${namehash(names.offchain)}`),
    ]);
    expect(live).toMatchObject({ source: "live", name: names.offchain, query: names.offchain });
    for (const field of ["ownership", "expiry_timestamp", "token_id", "resolver", "labelhash"]) {
      expect([field, live[field]]).toEqual([field, indexed[field]]);
    }
  });

  test("has subnames without events, whose state is unknown and which have no owner", async () => {
    expect(await answered("/whois/anything.offchain.eth")).toMatchObject({
      name: "anything.offchain.eth",
      parent_name: names.offchain,
      label: "anything",
      resolver: { status: "none" },
      availability_status: "unknown",
      source: "live",
      ownership: { is_wrapped: false },
      expiry_timestamp: null,
    });
  });
});

describe("a wildcard resolver (ENSIP-10)", () => {
  test.each([names.wildcard, names.ownedBelowWildcard, "x.wild.eth", "y.x.wild.eth"])(
    "answers for %s",
    async (name) => {
      const { oracle } = scene;
      const { records, source, resolver } = await answered(`/domain/${name}/records`);
      expect(source).toBe("live");
      expect(records?.texts).toEqual({ description: await oracle.text(name, "description") });
      expect(records?.addresses).toEqual({ "60": await oracle.address(name) });
      expect(records?.contenthash).toBeNull();
      expect(resolver?.status).toBe(name === names.wildcard ? "unindexed" : "none");
      const wildcard = addressOf(scene.chain, "wildcardResolver");
      expect(resolver?.[name === names.wildcard ? "address" : "answered_by"]).toBe(wildcard);
      expect((await answered(`/whois/${name}`)).resolver).toEqual(resolver);
    },
  );

  test("a registry subname without resolver has its owner, and records from the parent's resolver", async () => {
    expect(await answered(`/whois/${names.ownedBelowWildcard}`)).toMatchObject({
      resolver: { status: "none" },
      source: "live",
      availability_status: "registered",
      ownership: { owner: scene.bob, registry: scene.bob },
    });
  });

  test("a wrapped name is answered with the wrapper, fuses and owners of the index", async () => {
    const [live, indexed] = await Promise.all([
      answered(`/whois/${names.wrapped}`),
      answered(`/lookup-namehash/${namehash(names.wrapped)}`),
    ]);
    expect(live).toMatchObject({ source: "live", ownership: { is_wrapped: true, wrapper: scene.alice } });
    expect(live.ownership).toEqual(indexed.ownership);
    expect(live.token_id).toBe(indexed.token_id);
    expect(live.wrapper).toMatchObject({
      fuse_names: ["CANNOT_UNWRAP", "CANNOT_SET_TTL", "PARENT_CANNOT_CONTROL", "IS_DOT_ETH"],
    });
  });
});

describe("one name has one answer", () => {
  const asked = [names.indexed, names.bare, names.offchain, names.wildcard, names.ownedBelowWildcard];

  test.each([...asked, names.changeable, names.wrapped, names.noContract, "eth", "neverregistered.eth"])(
    "%s, by name and by hash, alone and in bulk",
    async (name) => {
      const { query, ...body } = await answered(`/whois/${name}`);
      const [node, label] = [namehash(name), hashLabel(name.split(".")[0] as string)];
      const { results } = await bulk({ names: [name], namehashes: [node] });
      expect(results[0]).toEqual({ ...body, query });
      if (name === "neverregistered.eth") return; // If no event named the hash, no name is known.
      expect(results[1]).toEqual({ ...body, query: node });
      expect(await answered(`/lookup-namehash/${node}`)).toEqual(body);
      expect(await answered(`/lookup-hash/${node}`)).toEqual({ type: "namehash", ...body });
      expect((await answered(`/lookup-hash/${label}`)).domains).toEqual([body]);
      expect((await answered(`/lookup-labelhash/${label}`)).domains).toEqual([body]);
    },
  );

  test("a name that could not be resolved fails alone, without failing names with the same label", async () => {
    const node = namehash(names.reverting);
    expect(await failed(`/lookup-namehash/${node}`)).toBe(await failed(`/whois/${names.reverting}`));
    expect((await answered(`/lookup-labelhash/${hashLabel("reverting")}`)).domains).toEqual([
      {
        ...(await knownOfReverting()),
        error: { code: "LIVE_RESOLUTION_FAILED", message: expect.any(String) },
      },
    ]);
  });

  test("a name without events is read from the chain once an ancestor's resolver may answer for it", async () => {
    const { chain } = scene;
    const name = "foo.bar.imported";
    expect(await answered(`/whois/${name}`)).toEqual({
      query: name,
      availability_status: "unknown",
      resolution: "no_resolver",
      source: "indexed",
    });
    const [from] = chain.accounts as [Address];
    const resolver = addressOf(chain, "wildcardResolver");
    const args = [hashLabel("imported"), from];
    await send(chain, { from, contract: "root", functionName: "setSubnodeOwner", args });
    await setResolver(chain, { from, node: namehash("imported"), resolver });
    const body = await answered(`/whois/${name}`);
    expect(body).toMatchObject({ name, source: "live", resolver: { status: "none", answered_by: resolver } });
    expect((await bulk({ names: [name] })).results).toEqual([body]);
  });
});

describe("what the chain says for certain", () => {
  test("a name without any resolver has no records: that is an answer", async () => {
    expect(await answered(`/domain/${names.bare}/records`)).toEqual({
      domain: names.bare,
      resolver: { status: "none" },
      source: "live",
      records: { texts: {}, addresses: {}, contenthash: null },
    });
    expect(await answered(`/whois/${names.bare}`)).toMatchObject({
      resolver: { status: "none" },
      source: "live",
      ownership: { owner: scene.alice },
    });
  });

  test("a resolver without code has no records either, and is shown as it stands in the registry", async () => {
    const address = getAddress("0x00000000000000000000000000000000000abcde");
    expect(await answered(`/domain/${names.noContract}/records`)).toMatchObject({
      resolver: { status: "unindexed", address },
      records: { texts: {}, addresses: {} },
      source: "live",
    });
  });

  test("names that cannot exist are answered by the index alone", async () => {
    const unknown = { availability_status: "unknown", resolution: "no_resolver", source: "indexed" };
    expect(await answered("/whois/missing.indexed.eth")).toEqual({
      query: "missing.indexed.eth",
      ...unknown,
    });
    expect(await answered("/whois/example.com")).toEqual({ query: "example.com", ...unknown });
    expect(await answered("/whois/neverregistered.eth")).toMatchObject({
      availability_status: "available",
      source: "indexed",
    });
    expect(calls()).toEqual([]);
  });
});

describe("events of a resolver that is not indexed", () => {
  test("do not leak into any answer", async () => {
    const { oracle } = scene;
    const { records } = await answered(`/domain/${names.changeable}/records`);
    expect(records?.texts.description).toBe("what it answers");
    expect(records?.addresses["60"]).toBe(await oracle.address(names.changeable));
    expect(records?.addresses["60"]).toBe(scene.bob);
    const path = `/domain/${names.changeable}/records/text/description`;
    expect(await answered(path)).toMatchObject({ value: "what it answers", transaction_hash: null });
    const { history } = await answered(`${path}/history`);
    expect(history).toEqual([{ value: "what it answers", block_number: expect.any(Number), source: "live" }]);
  });
});

describe("the number of requests to the node", () => {
  test("is two for a live name, at one block: the resolver and the owners, side by side", async () => {
    await mineBlocks(scene.chain, { count: 1 });
    await answered(`/whois/${names.changeable}`);
    expect(calls()).toEqual(["eth_call", "eth_call"]);
    const { universalResolver, multicall3 } = scene.local.deployment;
    const targets = scene.rpc.recorded.map(({ to }) => getAddress(to as Address));
    expect(targets.sort()).toEqual([universalResolver, multicall3].sort());
    const head = await scene.chain.client.getBlockNumber();
    expect(scene.rpc.recorded.map(({ block }) => Number(block))).toEqual([Number(head), Number(head)]);
  });

  test("is one more for each round of look-ups", async () => {
    await mineBlocks(scene.chain, { count: 1 });
    await answered(`/whois/${names.offchain}`);
    expect(calls()).toEqual(["eth_call", "eth_call", "eth_call"]);
    expect(new Set(scene.rpc.recorded.map(({ block }) => block)).size).toBe(1);
  });

  test("is zero for an indexed name", async () => {
    await mineBlocks(scene.chain, { count: 1 });
    const paths = ["records", "records/text/description", "records/text/description/history"];
    for (const path of [
      `/whois/${names.indexed}`,
      ...paths.map((end) => `/domain/${names.indexed}/${end}`),
    ]) {
      const { source = "indexed" } = await answered(path);
      expect(source).toBe("indexed");
    }
    expect(calls()).toEqual([]);
  });

  test("is zero in the same block; a new block makes the answer stale", async () => {
    await mineBlocks(scene.chain, { count: 1 });
    const first = await answered(`/whois/${names.wildcard}`);
    const asked = calls().length;
    expect(await answered(`/whois/${names.wildcard}`)).toEqual(first);
    expect(calls()).toHaveLength(asked);
    await tellChangeable(scene.chain, { from: scene.alice, address: scene.alice, words: "changed" });
    expect((await answered(`/domain/${names.changeable}/records`)).records?.texts.description).toBe(
      "changed",
    );
    await tellChangeable(scene.chain, { from: scene.alice, address: scene.bob, words: "once more" });
    expect((await answered(`/domain/${names.changeable}/records`)).records?.texts.description).toBe(
      "once more",
    );
  });

  test("is that of one for equal concurrent questions", async () => {
    await mineBlocks(scene.chain, { count: 1 });
    await scene.stack.waitForHead();
    scene.rpc.recorded.length = 0;
    const path = `/whois/${names.changeable}`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => scene.stack.api<Body>(path)));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(calls()).toEqual(["eth_call", "eth_call"]);
  });

  test("in bulk is one for each live name, and one for all their owners", async () => {
    await mineBlocks(scene.chain, { count: 1 });
    await scene.stack.waitForHead();
    const asked = [names.indexed, names.changeable, names.wildcard, names.bare, "x.wild.eth", "no name!"];
    const { results } = await bulk({ names: asked, namehashes: [namehash(names.changeable)] });
    expect(results.map((item) => item.source ?? "none")).toEqual([
      "indexed",
      "live",
      "live",
      "live",
      "live",
      "none",
      "live",
    ]);
    const targets = scene.rpc.recorded.map(({ to }) => getAddress(to as Address));
    const { universalResolver, multicall3 } = scene.local.deployment;
    expect(targets.filter((to) => to === universalResolver)).toHaveLength(4);
    expect(targets.filter((to) => to === multicall3)).toHaveLength(1);
  });
});

type Item = Record<string, unknown> & { source?: string };

async function bulk(body: { names: string[]; namehashes?: string[] }): Promise<{ results: Item[] }> {
  const reply = await fetch(`${scene.stack.url}/whois/bulk`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(reply.status).toBe(200);
  return (await reply.json()) as { results: Item[] };
}

describe("a failure is never taken for an answer:", () => {
  test("a resolver that reverts", async () => {
    expect(await failed(`/domain/${names.reverting}/records`)).toBe(
      "The name's resolver reverted: out of order.",
    );
    await failed(`/domain/${names.reverting}/records/text/url/history`);
    await expect(scene.oracle.text(names.reverting, "url")).rejects.toThrow();
  });

  test("a resolver that answers garbage", async () => {
    expect(await failed(`/domain/${names.garbage}/records`)).toBe(
      "The answer of the name's resolver cannot be decoded.",
    );
    await expect(scene.oracle.text(names.garbage, "url")).rejects.toThrow();
  });

  test("a resolver whose gateway hangs", async () => {
    const before = Date.now();
    expect(await failed(`/whois/${names.hanging}`)).toMatch(
      /^A gateway of the name's resolver failed: .*in time/,
    );
    expect(Date.now() - before).toBeLessThan(30_000);
  });

  test("a resolver that asks for look-ups without end", async () => {
    const { asked } = scene.stranger;
    expect(await failed(`/whois/${names.endless}`)).toBe(
      "The resolver asked for more than 4 rounds of look-ups.",
    );
    expect(scene.stranger.asked - asked).toBe(4);
  });

  test("a failure is remembered for some seconds, without further requests", async () => {
    let began: number;
    let asked: number;
    do {
      await mineBlocks(scene.chain, { count: 1 });
      await scene.stack.waitForHead();
      began = Date.now();
      await failed(`/whois/${names.endless}`);
      asked = scene.stranger.asked;
      scene.rpc.recorded.length = 0;
      await failed(`/whois/${names.endless}`);
    } while (Date.now() - began > 2_500); // It may have been forgotten by now.
    expect([scene.stranger.asked, calls()]).toEqual([asked, []]);
  });

  test("a resolver whose gateway is at a private address", async () => {
    const { chain, alice: from } = scene;
    await setUrls(chain, { from, resolver: "lookupResolver", urls: ["https://169.254.169.254/{data}"] });
    expect(await failed(`/whois/${names.hanging}`)).toMatch(/169\.254\.169\.254 is not at a public address/);
  });

  test("a resolver that passes a gateway's garbage on", async () => {
    const { chain, alice: from, stranger } = scene;
    await setUrls(chain, { from, resolver: "lookupResolver", urls: [`${stranger.url}/junk/{data}`] });
    expect(await failed(`/whois/${names.hanging}`)).toBe(
      "The answer of the name's resolver cannot be decoded.",
    );
  });

  test("a gateway that is gone, with recovery once it is back", async () => {
    const { chain, alice: from, stranger } = scene;
    await setUrls(chain, { from, resolver: "lookupResolver", urls: ["http://127.0.0.1:1/{data}"] });
    expect(await failed(`/whois/${names.hanging}`)).toMatch(/127\.0\.0\.1:1 could not be reached/);
    await setUrls(chain, { from, resolver: "lookupResolver", urls: [`${stranger.url}/yes/{data}`] });
    expect(await answered(`/whois/${names.hanging}`)).toMatchObject({ source: "live" });
  });

  test("in bulk, only its own item fails", async () => {
    const { results } = await bulk({ names: [names.reverting, names.wildcard, names.indexed] });
    expect(results).toMatchObject([
      { query: names.reverting, error: { code: "LIVE_RESOLUTION_FAILED" } },
      { name: names.wildcard, source: "live" },
      { name: names.indexed, source: "indexed" },
    ]);
    const { query, error, ...known } = results[0] as Body;
    expect(known).toEqual(await knownOfReverting());
  });
});

describe("primary names", () => {
  const primary = async (address: Address) => answered(`/address/${address}/primary-name`);

  test("are verified by forward resolution on chain if the name's resolver is not indexed", async () => {
    const { alice, bob, oracle, chain } = scene;
    expect((await primary(alice)).primary_name).toBe(await oracle.primaryName(alice));
    expect((await primary(alice)).primary_name).toBe(names.offchain);
    await tellChangeable(chain, { from: alice, address: bob, words: "" });
    expect((await primary(bob)).primary_name).toBe(names.changeable);
    await tellChangeable(chain, { from: alice, address: alice, words: "" });
    expect(await primary(bob)).toMatchObject({ primary_name: null, registrar: null });
    expect(await oracle.primaryName(bob).catch(() => "mismatch")).toBe("mismatch");
  });

  test("are read from the reverse resolver if that is not indexed", async () => {
    const carol = scene.chain.accounts[3] as Address;
    expect((await primary(carol)).primary_name).toBe(await scene.oracle.primaryName(carol));
    expect((await primary(carol)).primary_name).toBe(names.silent);
    expect(await answered(`/address/${carol}/summary`)).toMatchObject({
      primary_name: names.silent,
      primary_name_source: "live",
    });
  });
});

describe("time", () => {
  test("a live name in grace shows its last registrant, as the index does", async () => {
    const { chain } = scene;
    await warp(chain, { seconds: 31_536_000n + 5n * 86_400n });
    for (const name of [names.offchain, names.wrapped, names.bare]) {
      const [live, indexed] = await Promise.all([
        answered(`/whois/${name}`),
        answered(`/lookup-namehash/${namehash(name)}`),
      ]);
      expect(live).toMatchObject({ source: "live", availability_status: "grace" });
      expect([name, live.ownership, live.expiry_timestamp]).toEqual([
        name,
        indexed.ownership,
        indexed.expiry_timestamp,
      ]);
    }
    const own = { from: scene.alice, resolver: "resolver5", node: namehash(names.indexed) };
    await setText(chain, { ...own, key: "url", value: "https://still.mine" }).catch(() => {});
    expect(await answered(`/whois/${names.indexed}`)).toMatchObject({ source: "indexed" });
  });
});
