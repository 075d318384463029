import type { z } from "@hono/zod-openapi";
import { numberToHex, pad, toHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addressOf,
  agentKey,
  bindAgent,
  ethNode,
  mineBlocks,
  registerReferred,
  registrarToken,
  releaseAgent,
  rpc,
  send,
  setResolver,
  setText,
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

/* What no random history has: test/truth/judgeAgents.ts and judgeAgentAnswers.ts compare all other bindings and claims. */

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
      const key = await agentKey(chain, { agentId });
      await setText(chain, { from: alice, resolver: "resolver5", node: ethNode("zero"), key, value: "1" });
    },
  });
});
afterAll(() => stage?.close());

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
async function nameWithAgent(label: string) {
  const { chain, cast } = stage;
  await registerReferred(chain, { from: cast.alice, label, resolver: "resolver5" });
  const token = registrarToken(label);
  const { agentId } = await bindAgent(chain, { from: cast.alice, token, uri: `ipfs://${label}` });
  return { agentId, key: await agentKey(chain, { agentId }) };
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

test("an agent bound to a token and claimed by a record is verified, even agent 0", async () => {
  const answer = await agentsOf("zero.eth");
  expect(answer).toMatchObject({
    is_erc8004_agent: true,
    onchain_verified: true,
    adapter: addressOf(stage.chain, "agentAdapter"),
    source: "live",
  });
  expect(flagsOf(answer)).toEqual([{ agent_id: "0", ...both }]);
});

describe("the directory of agents", () => {
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
