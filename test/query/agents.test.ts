import { agent, agentBinding, domain, event, resolverNode, textRecord } from "ponder:schema";
import { type Address, getAddress, type Hex, labelhash, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import type { Live } from "../../src/api/names/live/live.ts";
import { listBindings, listProfileTexts } from "../../src/api/names/query/agents.ts";
import { failure, openApi, useApi } from "./api.ts";
import { lostNode, noChain } from "./noChain.ts";
import {
  AGENT_ADAPTER,
  AGENT_REGISTRY,
  account,
  alice,
  at,
  CHAIN_ID,
  domainRow,
  eventRow,
  inDays,
  LAYER2_AGENT_ADAPTER,
  LAYER2_CHAIN_ID,
  NOW,
  REGISTRAR,
  registeredRow,
  STATIC_RESOLVER,
  STRANGE_RESOLVER,
  textRow,
  transaction,
  versionRow,
  WRAPPER,
} from "./rows.ts";
import { useTables } from "./tables.ts";

const tables = useTables();

/** ENSIP-25 keys as the standard writes them, composed by hand: 31337 is 7a69, 31338 is 7a6a. */
const keyOf = (agentId: number | string, chain = "7a69") =>
  `agent-registration[0x000100000${chain.length / 2}${chain}14${AGENT_REGISTRY.slice(2)}][${agentId}]`;

const registrarToken = (label: string) => ({
  tokenContract: REGISTRAR,
  tokenId: BigInt(labelhash(label)),
  node: namehash(`${label}.eth`),
});

const wrapperToken = (name: string) => ({
  tokenContract: WRAPPER,
  tokenId: BigInt(namehash(name)),
  node: namehash(name),
});

type Token = { tokenContract: Address; tokenId: bigint; node: Hex | null };

/** A binding as logged in a block. The adapter owns the agent unless given otherwise. */
async function bind(
  agentId: bigint,
  token: Token,
  {
    block,
    chainId = CHAIN_ID,
    adapter = AGENT_ADAPTER,
    owner = adapter as Address,
    tokenStandard = 0,
  }: {
    block: number;
    chainId?: number;
    adapter?: Address;
    owner?: Address;
    tokenStandard?: number;
  },
) {
  const made = { ...at(block, 5), chainId, agentId };
  const uri = `ipfs://agent/${agentId}\u24000`;
  await tables.writer.insert(agent).values([{ ...made, registry: AGENT_REGISTRY, owner, uri }]);
  await tables.writer
    .insert(agentBinding)
    .values([{ ...made, adapter, tokenStandard, ...token, registeredBy: alice }]);
}

/** Replaces the node and the adapter: answers with the bindings in the tables. */
const adapter: Live = {
  ...noChain.live,
  bindings: async (_, agentIds) => {
    const home = { chainId: CHAIN_ID, adapter: AGENT_ADAPTER, registry: AGENT_REGISTRY };
    const rows = await listBindings(tables.db, home, agentIds);
    return agentIds.map((agentId) => {
      const row = rows.find((one) => one.agentId === agentId);
      return { answer: row ? { ...row, tokenId: row.tokenId.toString() } : null };
    });
  },
};

const api = useApi(tables, NOW, { live: adapter });

/** Text records of a name with their logs, one block each, starting at the given block. */
async function setTexts(
  name: string,
  block: number,
  texts: Record<string, string | null>,
  more: Partial<typeof textRecord.$inferInsert> = {},
) {
  const rows = Object.entries(texts).map(([key, value], index) =>
    textRow(name, key, value, { ...at(block + index), ...more }),
  );
  await tables.writer.insert(textRecord).values(rows);
  const logged = { contract: "RESOLVER", eventType: "TextChanged" };
  await tables.writer
    .insert(event)
    .values(rows.map(({ blockNumber: block, node, key }) => eventRow({ block }, { ...logged, node, key })));
}

beforeAll(async () => {
  const indexed = ["agent", "bound", "claimed", "wrapped", "thief", "odd", "old"];
  const name = (label: string, resolver: Address | null = STATIC_RESOLVER) =>
    registeredRow(`${label}.eth`, alice, inDays(9), { resolver });
  await tables.writer
    .insert(domain)
    .values([
      ...indexed.map((label) => name(label)),
      name("strange", STRANGE_RESOLVER),
      name("bare", null),
      domainRow("sub.agent.eth", { resolver: STATIC_RESOLVER }),
    ]);
  await bind(0n, registrarToken("agent"), { block: 100 });
  await bind(1n, registrarToken("bound"), { block: 101 });
  await bind(2n, wrapperToken("wrapped.eth"), { block: 102, tokenStandard: 1 });
  await bind(3n, registrarToken("wrapped"), { block: 103 });
  await bind(4n, { tokenContract: account(0xae), tokenId: 7n, node: null }, { block: 104, tokenStandard: 7 });
  await bind(5n, registrarToken("strange"), { block: 105 });
  await bind(6n, registrarToken("bare"), { block: 106, owner: alice });
  const onLayer2 = { chainId: LAYER2_CHAIN_ID, adapter: LAYER2_AGENT_ADAPTER };
  await bind(0n, { ...registrarToken("agent"), node: null }, { block: 107, ...onLayer2 });
  await setTexts("agent.eth", 200, {
    [keyOf(0)]: "1",
    avatar: "https://agent.example/a.png",
    description: "d".repeat(5_000),
    "agent-context": "# What I do",
    "agent-endpoint[mcp]": "https://agent.example/mcp",
    "agent-endpoint[a2a]": "javascript:alert(1)",
    "agent-endpoint[web]": "ipfs://bafy/agent",
    "agent-endpoint[file]": "file:///etc/passwd",
    "agent-endpoint[data]": "data:text/html,hello",
    "agent-endpoint[long]": `https://agent.example/${"x".repeat(3_000)}`,
    "agent-endpoint[none]": "agent.example",
  });
  await setTexts("claimed.eth", 220, { [keyOf(77)]: "yes", [keyOf(78)]: null });
  await setTexts("wrapped.eth", 230, { [keyOf(2)]: "1" });
  await setTexts("thief.eth", 240, { [keyOf(0)]: "1", [keyOf(0, "7a6a")]: "1" });
  await setTexts("odd.eth", 250, {
    [keyOf("007")]: "1",
    [keyOf("seven")]: "1",
    [keyOf(79).replace("ec]", "EC]")]: "1",
    [`agent-registration[eip155:${CHAIN_ID}:${getAddress(AGENT_REGISTRY)}][0]`]: "1",
    [keyOf(0).replace(AGENT_REGISTRY.slice(2), account(0xbad).slice(2))]: "1",
    [keyOf(0, "01")]: "1",
    [`Agent-registration${keyOf(80).slice("agent-registration".length)}`]: "1",
    [keyOf("1".repeat(80))]: "1",
  });
  // One record of an earlier version and one at a resolver the name has left. Neither is in force.
  await tables.writer.insert(resolverNode).values([versionRow("old.eth", { version: 1 })]);
  await setTexts("old.eth", 260, { [keyOf(90)]: "1" });
  await setTexts("old.eth", 261, { [keyOf(91)]: "1" }, { version: 1, resolver: STRANGE_RESOLVER });
  await setTexts("strange.eth", 270, { [keyOf(5)]: "1" }, { resolver: STRANGE_RESOLVER });
});

type Registration = Record<string, unknown> & { binding: Record<string, unknown> | null };
type Answer = Record<string, unknown> & { registrations: Registration[]; profile: Record<string, unknown> };

const agentsOf = async (name: string) => (await api.get(`/domain/${name}/agent`)).body as Answer;

describe("GET /domain/:name/agent", () => {
  test("a name whose agent is confirmed by both sides; agent 0 counts like any other", async () => {
    const answer = await agentsOf("agent.eth");
    expect(answer).toMatchObject({
      domain: "agent.eth",
      namehash: namehash("agent.eth"),
      indexed: true,
      is_erc8004_agent: true,
      onchain_verified: true,
      adapter: getAddress(AGENT_ADAPTER),
      source: "live",
    });
    expect(answer.registrations).toEqual([
      {
        key: keyOf(0),
        value: "1",
        registry: `0x00010000027a6914${AGENT_REGISTRY.slice(2)}`,
        agent_id: "0",
        registry_chain_id: "31337",
        registry_address: getAddress(AGENT_REGISTRY),
        binding: {
          agent_id: "0",
          token_standard: 0,
          token_contract: getAddress(REGISTRAR),
          token_id: BigInt(labelhash("agent")).toString(),
          token_uri: "ipfs://agent/0\0",
          agent_owner: getAddress(AGENT_ADAPTER),
        },
        onchain_verified: true,
        is_bound: true,
        has_ensip25_registration: true,
      },
    ]);
  });

  test("its profile has only links that are safe to follow, and no endless texts", async () => {
    const { profile } = await agentsOf("agent.eth");
    expect(profile).toMatchObject({
      avatar: "https://agent.example/a.png",
      context: "# What I do",
      endpoints: { mcp: "https://agent.example/mcp", web: "ipfs://bafy/agent" },
    });
    expect(Object.keys(profile.endpoints as object).sort()).toEqual(["mcp", "web"]);
    expect((profile.description as string).length).toBe(4_096);
  });

  test("a binding without a claim does not count as the name's claim", async () => {
    expect(await agentsOf("bound.eth")).toMatchObject({
      is_erc8004_agent: false,
      onchain_verified: false,
      registrations: [
        {
          key: null,
          value: null,
          registry: `0x00010000027a6914${AGENT_REGISTRY.slice(2)}`,
          agent_id: "1",
          onchain_verified: false,
          is_bound: true,
          has_ensip25_registration: false,
          binding: { agent_id: "1" },
        },
      ],
      profile: { avatar: null, description: null, context: null, endpoints: {} },
    });
  });

  test("a claim without a binding is not verified, and an empty record is not a claim", async () => {
    const answer = await agentsOf("claimed.eth");
    expect(answer).toMatchObject({ is_erc8004_agent: true, onchain_verified: false });
    expect(answer.registrations).toMatchObject([
      { agent_id: "77", value: "yes", binding: null, is_bound: false, has_ensip25_registration: true },
    ]);
  });

  test("several agents of one name, by wrapper token and registrar token: the claimed one comes first", async () => {
    const answer = await agentsOf("wrapped.eth");
    expect(answer.onchain_verified).toBe(true);
    expect(answer.registrations).toMatchObject([
      { agent_id: "2", onchain_verified: true, binding: { token_standard: 1 } },
      { agent_id: "3", onchain_verified: false, is_bound: true, binding: { token_standard: 0 } },
    ]);
  });

  test("a claim on another name's agent shows its name and is not verified", async () => {
    const answer = await agentsOf("thief.eth");
    expect(answer).toMatchObject({ is_erc8004_agent: true, onchain_verified: false });
    const onOwnChain = answer.registrations.find((one) => one.registry_chain_id === "31337");
    expect(onOwnChain).toMatchObject({
      is_bound: false,
      has_ensip25_registration: true,
      binding: { token_id: BigInt(labelhash("agent")).toString() },
    });
  });

  test("a claim on an agent of another chain is never checked against this chain's adapter", async () => {
    const { registrations } = await agentsOf("thief.eth");
    const onOtherChain = registrations.find((one) => one.registry_chain_id === "31338");
    expect(onOtherChain).toMatchObject({ binding: null, is_bound: false, has_ensip25_registration: true });
  });

  test("claims in other spellings: which ones conform and what they name", async () => {
    const { registrations, is_erc8004_agent, onchain_verified } = await agentsOf("odd.eth");
    expect([is_erc8004_agent, onchain_verified]).toEqual([true, false]);
    const shown = registrations.map((one) => [
      one.agent_id,
      one.registry_chain_id,
      one.has_ensip25_registration,
      one.binding,
    ]);
    expect(new Set(shown)).toEqual(
      new Set([
        ["007", "31337", true, null],
        ["seven", "31337", true, null],
        ["79", "31337", true, null],
        ["0", "31337", false, null],
        ["0", "31337", true, null],
        ["0", "1", true, null],
        ["1".repeat(80), "31337", true, null],
      ]),
    );
  });

  test("records of an earlier version or resolver are not in force", async () => {
    expect(await agentsOf("old.eth")).toMatchObject({ is_erc8004_agent: false, registrations: [] });
  });

  test("a subname has no agents", async () => {
    expect(await agentsOf("sub.agent.eth")).toMatchObject({ indexed: true, registrations: [] });
  });

  test("a name that was never registered has none, and the index knows it", async () => {
    expect(await agentsOf("unregistered.eth")).toMatchObject({
      indexed: false,
      is_erc8004_agent: false,
      registrations: [],
      source: "indexed",
    });
  });

  test.each(["strange.eth", "bare.eth"])("%s needs the chain, which cannot be asked here", async (name) => {
    expect(await api.get(`/domain/${name}/agent`)).toMatchObject(failure("LIVE_RESOLUTION_FAILED"));
  });
});

type Item = Record<string, unknown>;
const directory = (query = "") => api.ask<{ agents: Item[] }>(`/agents${query}`);
/** `agent chain name` of each line. */
const lines = async (query = "") =>
  (await directory(query)).agents.map((one) => `${one.agent_id} ${one.chain} ${one.name}`);

const CLAIMS = ["79 devnet odd.eth", "0 devnet2 thief.eth", "0 devnet thief.eth", "77 devnet claimed.eth"];
const BINDINGS = [
  "0 devnet2 null",
  "6 devnet bare.eth",
  "5 devnet strange.eth",
  "4 devnet null",
  "3 devnet wrapped.eth",
  "2 devnet wrapped.eth",
  "1 devnet bound.eth",
  "0 devnet agent.eth",
];

describe("GET /agents", () => {
  test("lists every bound or claimed agent, newest first", async () => {
    expect(await lines()).toEqual([...CLAIMS, ...BINDINGS]);
    expect(await directory()).toMatchObject({ total: 12, page: 1, page_size: 25 });
    expect(await directory("?page=2")).toMatchObject({ agents: [], total: 12, page: 2 });
    const { agents } = await directory();
    expect(await api.walk("/agents", 5, "agents")).toEqual(agents);
  });

  test("an item has all the details", async () => {
    const item = (await directory("?q=AGENT")).agents[0];
    const { profile } = await agentsOf("agent.eth");
    expect(item).toEqual({
      agent_id: "0",
      chain: "devnet",
      registry: getAddress(AGENT_REGISTRY),
      // The same as in `/domain/{name}/agent`, where `registry` is written as in the key.
      registry_chain_id: "31337",
      registry_address: getAddress(AGENT_REGISTRY),
      adapter: getAddress(AGENT_ADAPTER),
      name: "agent.eth",
      namehash: namehash("agent.eth"),
      is_bound: true,
      has_ensip25_registration: true,
      onchain_verified: true,
      binding: (await agentsOf("agent.eth")).registrations[0]?.binding,
      registered_by: getAddress(alice),
      block_number: 100,
      transaction_hash: transaction(100),
      profile,
    });
  });

  test("a claim on another name's agent has a line of its own, with the contradicting binding", async () => {
    const item = (await directory("?q=thief&chain=devnet")).agents[0];
    expect(item).toMatchObject({
      agent_id: "0",
      is_bound: false,
      has_ensip25_registration: true,
      onchain_verified: false,
      binding: { token_id: BigInt(labelhash("agent")).toString() },
    });
  });

  test("the claim of a name whose records only the chain can give is reported as unknown", async () => {
    for (const name of ["strange", "bare"]) {
      expect((await directory(`?q=${name}`)).agents).toMatchObject([
        { is_bound: true, has_ensip25_registration: null, onchain_verified: null, profile: null },
      ]);
    }
  });

  test("the fate of an agent that left its adapter is unknown", async () => {
    expect((await directory("?q=bare")).agents).toMatchObject([
      { binding: { agent_id: "6", agent_owner: null, token_uri: null } },
    ]);
  });

  test("an unknown standard is kept as is", async () => {
    const item = (await directory()).agents.find(({ agent_id }) => agent_id === "4");
    expect(item).toMatchObject({ name: null, profile: null, is_bound: true, binding: { token_standard: 7 } });
  });

  test.each([
    ["?is_bound=true", BINDINGS],
    ["?is_bound=false", CLAIMS],
    ["?has_ensip25_registration=true", [...CLAIMS, "2 devnet wrapped.eth", "0 devnet agent.eth"]],
    [
      "?has_ensip25_registration=false",
      ["0 devnet2 null", "4 devnet null", "3 devnet wrapped.eth", "1 devnet bound.eth"],
    ],
    ["?chain=devnet2", ["0 devnet2 thief.eth", "0 devnet2 null"]],
    ["?chain=devnet2&is_bound=true", ["0 devnet2 null"]],
    ["?q=D.eth", ["79 devnet odd.eth", "77 devnet claimed.eth", BINDINGS[4], BINDINGS[5], BINDINGS[6]]],
    ["?q=%25", []],
    ["?is_bound=true&has_ensip25_registration=true", ["2 devnet wrapped.eth", "0 devnet agent.eth"]],
  ])("%s", async (query, expected) => {
    expect(await lines(query)).toEqual(expected);
    expect(await directory(query)).toMatchObject({ total: expected.length });
  });
});

describe("GET /agents/:agentId", () => {
  test("returns the agent with the name it is bound to, even if other names claim it", async () => {
    const { body } = await api.get("/agents/0");
    expect(body).toEqual((await directory("?q=agent.eth")).agents[0]);
  });

  test("returns an unbound agent with the name that claims it", async () => {
    expect((await api.get("/agents/77")).body).toMatchObject({ name: "claimed.eth", is_bound: false });
  });

  test("without a node or with a dead one, anything only the chain can give is a failure", async () => {
    const failed = failure("LIVE_RESOLUTION_FAILED");
    for (const live of [noChain.live, lostNode]) {
      const asked = openApi(tables, NOW, { live });
      expect(await asked.get("/agents/5")).toMatchObject(failed);
      expect(await asked.get("/domain/agent.eth/agent")).toMatchObject(failed);
      expect(await asked.get("/domain/strange.eth/agent")).toMatchObject(failed);
    }
  });

  test("the same id on another chain is another agent", async () => {
    expect((await api.get("/agents/0?chain=devnet2")).body).toMatchObject({
      chain: "devnet2",
      name: null,
      is_bound: true,
    });
  });

  test("an agent that is neither bound nor claimed is not indexed", async () => {
    const largest = (2n ** 256n - 1n).toString();
    expect((await api.get("/agents/12345")).body).toEqual({ agent_id: "12345", indexed: false });
    expect((await api.get(`/agents/${largest}`)).body).toEqual({ agent_id: largest, indexed: false });
  });

  test.each(["007", "-1", "0x1", "agent", (2n ** 256n).toString()])(
    "%s is not a valid agent id",
    async (id) => {
      expect(await api.get(`/agents/${id}`)).toMatchObject(failure("INVALID_PARAMETER"));
    },
  );
});

test("a name with very many texts displaces no other name from a list", async () => {
  const rows = ["loud.eth", "quiet.eth"].map((name) =>
    registeredRow(name, alice, inDays(9), { resolver: STATIC_RESOLVER }),
  );
  await tables.writer.insert(domain).values(rows);
  await setTexts("quiet.eth", 300, { description: "few words" });
  const endpoints = Array.from({ length: 900 }, (_, i) => [`agent-endpoint[${i}]`, `https://${i}.example`]);
  await setTexts("loud.eth", 400, Object.fromEntries(endpoints));
  const nodes = [namehash("loud.eth"), namehash("quiet.eth")];
  const texts = await listProfileTexts(tables.db, { chainId: CHAIN_ID, nodes });
  expect(texts.filter(({ node }) => node === nodes[1]).map(({ value }) => value)).toEqual(["few words"]);
  const loud = texts.filter(({ node }) => node === nodes[0]);
  expect(loud).toHaveLength(200);
  expect(loud.map(({ blockNumber }) => blockNumber)).toEqual(
    Array.from({ length: 200 }, (_, i) => 1_299 - i),
  );
});
