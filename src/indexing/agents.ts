import { type Context, ponder } from "ponder:registry";
import type { Address, Hex } from "viem";
import { nodeOfToken } from "../ens/agentToken.ts";
import { leaveAdapter, putAgent, putBinding, setAgentUri } from "./write/agents.ts";
import { addressesOf } from "./write/contracts.ts";
import { appendEvent } from "./write/events.ts";
import { logRefOf } from "./write/logRef.ts";

const AGENT_ADAPTER = "AGENT_ADAPTER";

/**
 * An agent was bound to a token. The first binding holds for good: a second log for the same agent changes nothing. The
 * token may be a name's, of the registrar or of the wrapper. Writes: events, agent_bindings.
 */
ponder.on("AgentAdapter:AgentBound", async ({ event, context }) => {
  const { agentId, standard, tokenContract, tokenId, registeredBy } = event.args;
  const log = logRefOf(context, event, AGENT_ADAPTER, "AgentBound");
  const node = nodeOf(context, tokenContract, tokenId);
  const isFirst = await putBinding(context, log, {
    agentId,
    tokenStandard: standard,
    tokenContract,
    tokenId,
    node,
    registeredBy,
  });
  await appendEvent(context, log, {
    node,
    fromAddress: registeredBy,
    details: { agentId, standard, tokenContract, tokenId },
    ...(!isFirst && { anomaly: "the agent was bound before" }),
  });
});

/** The name that a token of this chain stands for; null for other tokens, and where the chain has no names. */
const nodeOf = (context: Context, tokenContract: Address, tokenId: bigint): Hex | null =>
  nodeOfToken(
    { chainId: context.chain.id, tokenContract, tokenId },
    {
      registrars: addressesOf(context, "BaseRegistrar"),
      wrappers: addressesOf(context, "NameWrapper"),
    },
  );

/*
 * Of the identity registry we follow only the adapter's agents: the configuration asks for logs that name the adapter
 * as the owner, as the writer, or as the owner that the agent leaves.
 */
const AGENT_REGISTRY = "AGENT_REGISTRY";

/** The adapter registered an agent. Writes: events, agents. */
ponder.on("AgentRegistry:Registered", async ({ event, context }) => {
  const { agentId, agentURI, owner } = event.args;
  const log = logRefOf(context, event, AGENT_REGISTRY, "Registered");
  await appendEvent(context, log, { ownerAddress: owner, value: agentURI, details: { agentId } });
  await putAgent(context, log, { agentId, owner, uri: agentURI });
});

/** Writes: events, agents. */
ponder.on("AgentRegistry:URIUpdated", async ({ event, context }) => {
  const { agentId, newURI, updatedBy } = event.args;
  const log = logRefOf(context, event, AGENT_REGISTRY, "URIUpdated");
  await appendEvent(context, log, { fromAddress: updatedBy, value: newURI, details: { agentId } });
  await setAgentUri(context, log, agentId, newURI);
});

/** An agent left the adapter. Writes: events, agents. */
ponder.on("AgentRegistry:Transfer", async ({ event, context }) => {
  const { from, to, tokenId: agentId } = event.args;
  const log = logRefOf(context, event, AGENT_REGISTRY, "Transfer");
  await appendEvent(context, log, { fromAddress: from, toAddress: to, details: { agentId } });
  await leaveAdapter(context, log, agentId, to);
});
