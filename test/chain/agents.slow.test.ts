import type { z } from "@hono/zod-openapi";
import { type Address, getAddress, numberToHex, pad, toHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addController,
  addressOf,
  agentKey,
  bindAgent,
  DAY,
  ethNode,
  GRACE,
  mineBlocks,
  PREMIUM,
  read,
  readBinding,
  readString,
  registerAgent,
  registerByHash,
  registerReferred,
  registrarToken,
  releaseAgent,
  rpc,
  send,
  setAgentURI,
  setResolver,
  setText,
  type Token,
  unwrapETH2LD,
  warp,
  wrapETH2LD,
  wrapperToken,
  YEAR,
} from "../../devnet/acts.ts";
import { deployLiveResolvers } from "../../devnet/deploy.ts";
import { connect } from "../../devnet/localChain.ts";
import { agentEndpoints } from "../../src/api/names/endpoints/agentsEndpoints.ts";
import { agentItem, nameAgents } from "../../src/api/names/schemas/agents.ts";
import { type IndexOnly, openIndexOnly } from "./indexOnly.ts";
import { askInTime, openStage, type Stage } from "./stage.ts";

type NameAgents = z.infer<typeof nameAgents>;
type AgentItem = z.infer<typeof agentItem>;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({
    before: async (chain, { alice }) => {
      // The backfill contains agent 0, which no test may mistake for no agent.
      await registerReferred(chain, {
        from: alice,
        label: "zero",
        resolver: "resolver5",
        duration: 3n * YEAR,
      });
      const { agentId } = await bindAgent(chain, {
        from: alice,
        token: registrarToken("zero"),
        uri: "ipfs://0",
      });
      await claim(chain, { from: alice, label: "zero", key: await agentKey(chain, { agentId }) });
    },
  });
});
afterAll(() => stage?.close());

const claim = (
  chain: Stage["chain"],
  act: { from: Address; label: string; key: string; value?: string; resolver?: string },
) =>
  setText(chain, {
    from: act.from,
    resolver: act.resolver ?? "resolver5",
    node: ethNode(act.label),
    key: act.key,
    value: act.value ?? "1",
  });

const ask = (path: string) => askInTime(stage.stack, path);

async function agentsOf(name: string): Promise<NameAgents> {
  const { status, body } = await ask(`/domain/${name}/agent`);
  expect(status, JSON.stringify(body)).toBe(200);
  return nameAgents.parse(body);
}

async function findAgent(agentId: bigint): Promise<AgentItem> {
  return agentItem.parse((await ask(`/agents/${agentId}`)).body);
}

/** Gives alice a name with an agent bound to its token. Returns the key by which the name could claim the agent. */
async function nameWithAgent(label: string, { from = stage.cast.alice, token = registrarToken(label) } = {}) {
  const { chain } = stage;
  await registerReferred(chain, { from, label, resolver: "resolver5" });
  const { agentId } = await bindAgent(chain, { from, token, uri: `ipfs://${label}` });
  return { agentId, key: await agentKey(chain, { agentId }) };
}

/** The answers of adapter and registry about an agent, in the words of the specification. */
async function bindingOnChain(agentId: bigint) {
  const { chain } = stage;
  const binding = await readBinding(chain, agentId);
  if (binding === null) return null;
  const registry = { contract: "agentRegistry", args: [agentId] };
  return {
    agent_id: agentId.toString(),
    token_standard: binding.standard,
    token_contract: getAddress(binding.tokenContract),
    token_id: binding.tokenId.toString(),
    token_uri: await readString(chain, { ...registry, functionName: "tokenURI" }),
    agent_owner: getAddress(await read<Address>(chain, { ...registry, functionName: "ownerOf" })),
  };
}

/** Expects each binding of an answer to match the contracts, and every `is_bound` to follow from it. */
async function expectBindingsAsOnChain(label: string, answer: NameAgents): Promise<void> {
  const { chain } = stage;
  const tokens = [registrarToken(label), wrapperToken(ethNode(label))].map(
    ({ contract, id }) => `${getAddress(addressOf(chain, contract))} ${id}`,
  );
  for (const { agent_id, binding, is_bound } of answer.registrations) {
    if (binding !== null) expect(binding).toEqual(await bindingOnChain(BigInt(agent_id)));
    expect(is_bound).toBe(
      binding !== null && tokens.includes(`${binding.token_contract} ${binding.token_id}`),
    );
  }
}

const flagsOf = ({ registrations }: NameAgents) =>
  registrations.map(({ agent_id, is_bound, has_ensip25_registration, onchain_verified }) => ({
    agent_id,
    is_bound,
    has_ensip25_registration,
    onchain_verified,
  }));

const both = { is_bound: true, has_ensip25_registration: true, onchain_verified: true };
const boundOnly = { is_bound: true, has_ensip25_registration: false, onchain_verified: false };
const claimedOnly = { is_bound: false, has_ensip25_registration: true, onchain_verified: false };

describe("the owner of a name binds an agent to it", () => {
  test("and claims it by a record: both sides agree, even for agent 0", async () => {
    const answer = await agentsOf("zero.eth");
    expect(answer).toMatchObject({
      is_erc8004_agent: true,
      onchain_verified: true,
      adapter: addressOf(stage.chain, "agentAdapter"),
      source: "live",
    });
    expect(flagsOf(answer)).toEqual([{ agent_id: "0", ...both }]);
    await expectBindingsAsOnChain("zero", answer);
  });

  test("without a claim: it is bound, but no agent by its own record", async () => {
    const { agentId } = await nameWithAgent("silent");
    const answer = await agentsOf("silent.eth");
    expect(answer).toMatchObject({ is_erc8004_agent: false, onchain_verified: false });
    expect(flagsOf(answer)).toEqual([{ agent_id: `${agentId}`, ...boundOnly }]);
    expect(await findAgent(agentId)).toMatchObject({
      ...boundOnly,
      name: "silent.eth",
      registered_by: stage.cast.alice,
      binding: await bindingOnChain(agentId),
    });
  });

  test("and a second one, and changes its description", async () => {
    const { chain, cast } = stage;
    const first = await nameWithAgent("twice");
    const second = await bindAgent(chain, { from: cast.alice, token: registrarToken("twice") });
    await claim(chain, { from: cast.alice, label: "twice", key: first.key });
    await setAgentURI(chain, { from: cast.alice, agentId: first.agentId, uri: "https://new.example" });
    const answer = await agentsOf("twice.eth");
    expect(flagsOf(answer)).toEqual([
      { agent_id: `${first.agentId}`, ...both },
      { agent_id: `${second.agentId}`, ...boundOnly },
    ]);
    await expectBindingsAsOnChain("twice", answer);
  });
});

describe("a claim without the adapter's confirmation", () => {
  test("of an agent that is not bound to anything", async () => {
    const { chain, cast } = stage;
    const { agentId } = await registerAgent(chain, { from: cast.bob });
    await registerReferred(chain, { from: cast.bob, label: "claimed", resolver: "resolver5" });
    await claim(chain, { from: cast.bob, label: "claimed", key: await agentKey(chain, { agentId }) });
    const answer = await agentsOf("claimed.eth");
    expect(answer).toMatchObject({ is_erc8004_agent: true, onchain_verified: false, source: "live" });
    expect(flagsOf(answer)).toEqual([{ agent_id: `${agentId}`, ...claimedOnly }]);
    expect(answer.registrations[0]?.binding).toBeNull();
    expect(await findAgent(agentId)).toMatchObject({ ...claimedOnly, name: "claimed.eth", binding: null });
  });

  test("of an agent that is bound to another name's token", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.bob, label: "borrowed", resolver: "resolver5" });
    const key = await agentKey(chain, { agentId: 0n });
    await claim(chain, { from: cast.bob, label: "borrowed", key });
    const answer = await agentsOf("borrowed.eth");
    expect(flagsOf(answer)).toEqual([{ agent_id: "0", ...claimedOnly }]);
    await expectBindingsAsOnChain("borrowed", answer);
    expect(await findAgent(0n)).toMatchObject({ name: "zero.eth", ...both });
  });

  test("in any other spelling is shown if it conforms, and is checked only against the adapter's own registry", async () => {
    const { chain, cast } = stage;
    const { agentId, key } = await nameWithAgent("spelled");
    const registry = addressOf(chain, "agentRegistry");
    const keys = {
      caip10: `agent-registration[eip155:31337:${registry}][${agentId}]`,
      otherChain: await agentKey(chain, { agentId, chainId: 1 }),
      otherRegistry: await agentKey(chain, { agentId, registry: cast.frank }),
      zeros: await agentKey(chain, { agentId: `0${agentId}` }),
      unknown: await agentKey(chain, { agentId: 10n ** 60n }),
    };
    for (const one of Object.values(keys))
      await claim(chain, { from: cast.alice, label: "spelled", key: one });
    await claim(chain, { from: cast.alice, label: "spelled", key, value: "" });
    const answer = await agentsOf("spelled.eth");
    expect(answer).toMatchObject({ is_erc8004_agent: true, onchain_verified: false });
    const byKey = new Map(answer.registrations.map((one) => [one.key, one]));
    expect(byKey.get(keys.caip10)).toMatchObject({
      is_bound: false,
      has_ensip25_registration: false,
      onchain_verified: false,
      binding: null,
      registry_address: getAddress(registry),
    });
    for (const one of [keys.otherChain, keys.otherRegistry, keys.zeros, keys.unknown]) {
      expect(byKey.get(one), one).toMatchObject({ ...claimedOnly, binding: null });
    }
    expect(byKey.get(null)).toMatchObject({ ...boundOnly, agent_id: `${agentId}` });
    expect(answer.registrations).toHaveLength(6);
  });

  test("in capitals is the same claim, shown as written", async () => {
    const { chain, cast } = stage;
    const { key } = await nameWithAgent("capitals");
    const written = key.replace(/\[0x([0-9a-f]+)\]/, (_, digits: string) => `[0x${digits.toUpperCase()}]`);
    await claim(chain, { from: cast.alice, label: "capitals", key: written });
    const answer = await agentsOf("capitals.eth");
    expect(answer.registrations).toMatchObject([{ ...both, key: written }]);
  });
});

describe("a binding follows the name's token", () => {
  test("of either contract, under either standard, before, during and after a wrapping", async () => {
    const { chain, cast } = stage;
    const { alice } = cast;
    const first = await nameWithAgent("boxed");
    await wrapETH2LD(chain, { from: alice, label: "boxed", resolver: addressOf(chain, "resolver5") });
    const token: Token = wrapperToken(ethNode("boxed"));
    const asErc721 = await bindAgent(chain, { from: alice, token, standard: 0 });
    const asErc1155 = await bindAgent(chain, { from: alice, token, standard: 1 });
    const expected = [asErc1155, asErc721, first].map(({ agentId }) => ({
      agent_id: `${agentId}`,
      ...boundOnly,
    }));
    expect(flagsOf(await agentsOf("boxed.eth"))).toEqual(expected);
    await expectBindingsAsOnChain("boxed", await agentsOf("boxed.eth"));
    await unwrapETH2LD(chain, { from: alice, label: "boxed" });
    expect(flagsOf(await agentsOf("boxed.eth"))).toEqual(expected);
  });

  test("after the name expired and another account bought it", async () => {
    const { chain, cast } = stage;
    await addController(chain, { from: cast.deployer, controller: cast.dave });
    await registerByHash(chain, { from: cast.dave, owner: cast.alice, label: "reborn", duration: 30n * DAY });
    const { agentId } = await bindAgent(chain, { from: cast.alice, token: registrarToken("reborn") });
    await warp(chain, { seconds: 30n * DAY + GRACE + PREMIUM + DAY });
    await registerReferred(chain, { from: cast.bob, label: "reborn", resolver: "resolver5" });
    const answer = await agentsOf("reborn.eth");
    expect(flagsOf(answer)).toEqual([{ agent_id: `${agentId}`, ...boundOnly }]);
    await expectBindingsAsOnChain("reborn", answer);
  });
});

describe("the directory of agents", () => {
  test("has every binding as the adapter answers it, and no others", async () => {
    const { body } = await ask("/agents?is_bound=true");
    const { total } = body as { total: number };
    const pages = Array.from({ length: Math.ceil(total / 25) }, (_, i) =>
      ask(`/agents?is_bound=true&page=${i + 1}`),
    );
    const items = (await Promise.all(pages)).flatMap((page) =>
      agentItem.array().parse((page.body as { agents: unknown }).agents),
    );
    const found = new Map(items.map((item) => [item.agent_id, item.binding]));
    const last = await registerAgent(stage.chain, { from: stage.cast.frank });
    for (let agentId = 0n; agentId <= last.agentId; agentId++) {
      expect([agentId, found.get(`${agentId}`) ?? null]).toEqual([agentId, await bindingOnChain(agentId)]);
    }
    expect(items).toHaveLength(total);
  });

  test("keeps a binding of an unknown standard to a contract without names", async () => {
    const { chain, cast } = stage;
    const token = { contract: "reverseRegistrar3", id: 0n };
    const { agentId } = await bindAgent(chain, { from: cast.deployer, token, standard: 7 });
    expect(await findAgent(agentId)).toMatchObject({
      name: null,
      namehash: null,
      is_bound: true,
      profile: null,
      binding: { ...(await bindingOnChain(agentId)), token_standard: 7 },
    });
  });

  test("ignores AgentBound logs of contracts other than the adapter", async () => {
    const { chain, cast } = stage;
    const topics = [
      "0x1cb39fc13e08b8994b5bc1afdfe2cc88d223e5e855bfafa4b959fcdf8025664c",
      numberToHex(4_242n, { size: 32 }),
      numberToHex(0n, { size: 32 }),
      pad(addressOf(chain, "registrar")),
    ];
    const data = `${toHex(registrarToken("zero").id, { size: 32 })}${pad(cast.frank).slice(2)}`;
    const args = [topics, data];
    await send(chain, { from: cast.frank, contract: "logEmitter", functionName: "emitLog", args });
    expect((await ask("/agents/4242")).body).toEqual({ agent_id: "4242", indexed: false });
    expect(flagsOf(await agentsOf("zero.eth"))).toHaveLength(1);
  });

  test("does not name the owner of an agent that left its adapter, since that is not followed", async () => {
    const { chain, cast } = stage;
    const { agentId } = await nameWithAgent("released");
    await releaseAgent(chain, { from: cast.alice, agentId, to: cast.bob });
    expect((await findAgent(agentId)).binding).toMatchObject({ agent_owner: null, token_uri: null });
    const answer = await agentsOf("released.eth");
    expect(answer.registrations).toMatchObject([{ binding: { agent_owner: cast.bob } }]);
    await expectBindingsAsOnChain("released", answer);
  });
});

describe("a name whose resolver is not indexed", () => {
  const say = (words: string) =>
    send(stage.chain, {
      from: stage.cast.alice,
      contract: "changeableResolver",
      functionName: "say",
      args: [stage.cast.alice, words],
    });

  test("is asked for the keys of the agents bound to it, and its answer counts", async () => {
    const { chain, cast } = stage;
    Object.assign(chain.contracts, await deployLiveResolvers(connect(stage.local.anvil.url)));
    const { agentId, key } = await nameWithAgent("unlisted");
    const resolver = addressOf(chain, "changeableResolver");
    await setResolver(chain, { from: cast.alice, node: ethNode("unlisted"), resolver });
    await say("");
    expect(flagsOf(await agentsOf("unlisted.eth"))).toEqual([{ agent_id: `${agentId}`, ...boundOnly }]);
    await say("1");
    const answer = await agentsOf("unlisted.eth");
    expect(answer).toMatchObject({ source: "live", onchain_verified: true });
    expect(answer.registrations).toMatchObject([{ ...both, key, value: "1" }]);
    expect(await findAgent(agentId)).toMatchObject({ ...both, profile: answer.profile });
    const { body } = await ask("/agents?q=unlisted");
    const [listed] = agentItem.array().parse((body as { agents: unknown }).agents);
    expect(listed).toMatchObject({ has_ensip25_registration: null, onchain_verified: null, profile: null });
  });

  test("causes a failure, not an answer without agents, if it cannot answer", async () => {
    const { chain, cast } = stage;
    const resolver = addressOf(chain, "revertingResolver");
    await setResolver(chain, { from: cast.alice, node: ethNode("unlisted"), resolver });
    const [{ agent_id } = { agent_id: "" }] = await stage.sql<{ agent_id: string }>(
      "select agent_id from agent_bindings where node = $1",
      [ethNode("unlisted")],
    );
    for (const path of ["/domain/unlisted.eth/agent", `/agents/${agent_id}`]) {
      expect(await ask(path)).toMatchObject({
        status: 502,
        body: { error: { code: "LIVE_RESOLUTION_FAILED" } },
      });
    }
  });
});

test("an unreachable adapter causes a failure, never a `false`; a name without agents needs no adapter", async () => {
  const { chain } = stage;
  const adapter = addressOf(chain, "agentAdapter");
  const code = await rpc(chain, "eth_getCode", [adapter, "latest"]);
  await registerReferred(chain, { from: stage.cast.alice, label: "plain", resolver: "resolver5" });
  for (const other of [
    await rpc(chain, "eth_getCode", [addressOf(chain, "revertingResolver"), "latest"]),
    "0x",
  ]) {
    await rpc(chain, "anvil_setCode", [adapter, other]);
    await mineBlocks(chain, { count: 1 }); // Answers are kept for a block.
    expect(await ask("/domain/zero.eth/agent")).toMatchObject({
      status: 502,
      body: { error: { code: "LIVE_RESOLUTION_FAILED" } },
    });
    expect(await agentsOf("plain.eth")).toMatchObject({ registrations: [], source: "indexed" });
  }
  await rpc(chain, "anvil_setCode", [adapter, code]);
  await mineBlocks(chain, { count: 1 });
  expect(await agentsOf("zero.eth")).toMatchObject({ onchain_verified: true });
});

describe("without a node", () => {
  let index: IndexOnly;
  beforeAll(() => {
    index = openIndexOnly(agentEndpoints, stage);
  });
  afterAll(() => index?.close());

  test("indexed facts stay the same, and facts that only the chain has are a failure", async () => {
    const names = await stage.sql<{ name: string }>(
      "select full_name as name from domains where full_name like '%.eth'",
    );
    const sources = new Set<string>();
    for (const { name } of names) {
      const { status, body } = await ask(`/domain/${name}/agent`);
      if (status !== 200) continue;
      const reply = await index.app.request(`/domain/${name}/agent`);
      const { source } = body as NameAgents;
      sources.add(source);
      expect([name, reply.status]).toEqual([name, source === "live" ? 502 : 200]);
      if (source === "live") continue;
      // This index has no journal of blocks, so no block is named.
      const { as_of, ...answer } = (await reply.json()) as NameAgents & { as_of: unknown[] };
      expect([answer, as_of]).toEqual([body, []]);
    }
    expect(sources).toEqual(new Set(["live", "indexed"]));
  });
});
