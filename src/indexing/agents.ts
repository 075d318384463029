import type { Context } from "ponder:registry";
import type { Address, Hex } from "viem";
import { nodeOfToken } from "../ens/agentToken.ts";
import { on } from "./on.ts";
import { patchAgent, putAgent, putBinding } from "./write/agents.ts";
import { addressesOf } from "./write/contracts.ts";
import { appendEventAndHolders } from "./write/events.ts";

/**
 * An agent was bound to a token. The first binding is final: a second log for the same agent changes nothing. The token
 * can be a name's, in the registrar or the wrapper. Writes: events, agent_bindings.
 */
on("AgentAdapter", "AgentBound", async ({ event, context, log }) => {
  const { agentId, standard, tokenContract, tokenId, registeredBy } = event.args;
  const node = nodeOf(context, tokenContract, tokenId);
  const isFirst = await putBinding(context, log, {
    agentId,
    tokenStandard: standard,
    tokenContract,
    tokenId,
    node,
    registeredBy,
  });
  await appendEventAndHolders(context, log, {
    node,
    fromAddress: registeredBy,
    details: { agentId, standard, tokenContract, tokenId },
    ...(!isFirst && { anomaly: "the agent was bound before" }),
  });
});

/** The name of a token of this chain; null for other tokens, and where the chain has no names. */
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

/** The adapter registered an agent. Writes: events, agents. */
on("AgentRegistry", "Registered", async ({ event, context, log }) => {
  const { agentId, agentURI, owner } = event.args;
  await appendEventAndHolders(context, log, { ownerAddress: owner, value: agentURI, details: { agentId } });
  await putAgent(context, log, { agentId, owner, uri: agentURI });
});

/** Writes: events, agents. */
on("AgentRegistry", "URIUpdated", async ({ event, context, log }) => {
  const { agentId, newURI, updatedBy } = event.args;
  await appendEventAndHolders(context, log, { fromAddress: updatedBy, value: newURI, details: { agentId } });
  await patchAgent(context, log, agentId, { uri: newURI });
});

/** An agent left the adapter. Writes: events, agents. */
on("AgentRegistry", "Transfer", async ({ event, context, log }) => {
  const { from, to, tokenId: agentId } = event.args;
  await appendEventAndHolders(context, log, { fromAddress: from, toAddress: to, details: { agentId } });
  await patchAgent(context, log, agentId, { owner: to });
});
