import { z } from "@hono/zod-openapi";
import { address, blockNumber, decimal, hash, source } from "./answers.ts";

/*
 * Schemas of the answers about agents. What owners write (values, profiles) is untrusted. Clients must escape it where
 * they show it, and must not follow its URLs without a guard against requests into their own network.
 */

const url = z.string().openapi({ example: "https://agent.example/mcp" });

/** What a name says of its agent. */
export const agentProfile = z
  .strictObject({
    avatar: z.string().nullable().openapi({ description: "Text record `avatar`; null for none" }),
    description: z.string().nullable().openapi({ description: "Text record `description`; null for none" }),
    context: z
      .string()
      .nullable()
      .openapi({ description: "Text record `agent-context` (ENSIP-26), any format; null for none" }),
    endpoints: z.record(z.string(), url).openapi({
      description: "Text records `agent-endpoint[<protocol>]` (ENSIP-26) that are http, https or ipfs URLs",
      example: { mcp: "https://agent.example/mcp" },
    }),
  })
  .openapi("AgentProfile", {
    description:
      "Written by the name's owner: untrusted and unchecked. Escape it, and do not fetch its URLs without a guard against server-side request forgery.",
  });

/** What the adapter says of an agent, and its registry. */
export const agentBinding = z
  .strictObject({
    agent_id: decimal.openapi({ example: "0" }),
    token_standard: z.int().min(0).openapi({
      description: "As the adapter has it: 0 ERC-721, 1 ERC-1155, 2 ERC-6909; later adapters may have others",
    }),
    token_contract: address,
    token_id: decimal,
    token_uri: z.string().nullable().openapi({
      description: "URI of the agent in its registry; null if longer than 8192 characters, or not known",
    }),
    agent_owner: address.nullable().openapi({
      description: "Owner of the agent in its registry: as a rule the adapter. Null if not known",
    }),
  })
  .openapi("AgentBinding");

const isBound = z.boolean().openapi({
  description:
    "The adapter binds the agent to a token of the name. Proof of the binding alone, not of identity",
});

/** An agent of a name, by the name's claim, by the adapter, or by both. */
export const agentRegistration = z
  .strictObject({
    key: z.string().nullable().openapi({
      description: "Key of the text record, as written; null if no record claims the bound agent",
      example: "agent-registration[0x00010000010114…][167]",
    }),
    value: z.string().nullable().openapi({ description: "Value of that record; null where there is none" }),
    registry: z.string().nullable().openapi({
      description:
        "As the key has it; without a key the interoperable address (ERC-7930); null where neither is known. `registry_address` and `registry_chain_id` have one form in all answers",
    }),
    agent_id: z.string().openapi({ example: "167" }),
    registry_chain_id: decimal
      .nullable()
      .openapi({ description: "Chain of the registry; null if it is not on an EVM chain", example: "1" }),
    registry_address: address
      .nullable()
      .openapi({ description: "EIP-55 checksummed; null if the registry is not on an EVM chain" }),
    binding: agentBinding.nullable().openapi({
      description: "What the agent is bound to, which may be another name's token; null if it is not bound",
    }),
    onchain_verified: z
      .boolean()
      .openapi({ description: "Both sides say so: `is_bound` and `has_ensip25_registration`" }),
    is_bound: isBound,
    has_ensip25_registration: z.boolean().openapi({
      description: "A record with a value claims the agent, with a key that conforms to ENSIP-25",
    }),
  })
  .openapi("AgentRegistration");

/** Everything about a name's agents. */
export const nameAgents = z
  .strictObject({
    domain: z.string().openapi({ example: "agent.eth" }),
    namehash: hash,
    indexed: z.boolean().openapi({ description: "The name is in the index" }),
    is_erc8004_agent: z
      .boolean()
      .openapi({ description: "The name claims an agent by a record with a value: its own word alone" }),
    onchain_verified: z
      .boolean()
      .openapi({ description: "The adapter binds an agent that the name claims to a token of the name" }),
    adapter: address
      .nullable()
      .openapi({ description: "Adapter that was asked; null if the network has none" }),
    registrations: z.array(agentRegistration),
    profile: agentProfile,
    source,
  })
  .openapi("NameAgents");

/** A row of the directory of agents. */
export const agentItem = z
  .strictObject({
    agent_id: decimal.openapi({ example: "0" }),
    chain: z.string().openapi({ example: "mainnet" }),
    registry: address.openapi({ description: "The same as `registry_address`" }),
    registry_chain_id: decimal.openapi({ description: "Chain of the registry", example: "1" }),
    registry_address: address,
    adapter: address,
    name: z.string().nullable().openapi({
      description: "Null for agents that are bound to a token that is no name",
      example: "agent.eth",
    }),
    namehash: hash.nullable().openapi({ description: "Null where `name` is" }),
    is_bound: z.boolean().openapi({
      description:
        "The adapter binds the agent to a token of the name, or where there is no name, to another token. Proof of the binding alone, not of identity",
    }),
    has_ensip25_registration: z.boolean().nullable().openapi({
      description:
        "The name claims the agent by a conforming record. Null where only the chain can tell, which `/domain/{name}/agent` asks",
    }),
    onchain_verified: z
      .boolean()
      .nullable()
      .openapi({ description: "`is_bound` and `has_ensip25_registration`; null where that is" }),
    binding: agentBinding.nullable().openapi({ description: "Null where no adapter binds the agent" }),
    registered_by: address
      .nullable()
      .openapi({ description: "Who asked for the binding; null where there is none" }),
    block_number: blockNumber.openapi({
      description: "Of the binding, or of the record where there is none",
    }),
    transaction_hash: hash,
    profile: agentProfile
      .nullable()
      .openapi({ description: "Null where there is no name, or only the chain can tell its records" }),
  })
  .openapi("Agent");
