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
    avatar: z.string().nullable().openapi({ description: "Text record `avatar`; null if not set" }),
    description: z.string().nullable().openapi({ description: "Text record `description`; null if not set" }),
    context: z
      .string()
      .nullable()
      .openapi({ description: "Text record `agent-context` (ENSIP-26), in any format; null if not set" }),
    endpoints: z.record(z.string(), url).openapi({
      description: "Text records `agent-endpoint[<protocol>]` (ENSIP-26) that are http, https or ipfs URLs",
      example: { mcp: "https://agent.example/mcp" },
    }),
  })
  .openapi("AgentProfile", {
    description:
      "Written by the name's owner: untrusted and unchecked. Escape it, and guard against server-side request forgery before fetching its URLs.",
  });

/** What the adapter says of an agent, and its registry. */
export const agentBinding = z
  .strictObject({
    agent_id: decimal.openapi({ example: "0" }),
    token_standard: z.int().min(0).openapi({
      description:
        "As in the adapter: 0 ERC-721, 1 ERC-1155, 2 ERC-6909, 5 a contract, 6 a contract's owner, 7 its administrator; later adapters may add others",
    }),
    token_contract: address,
    token_id: decimal,
    token_uri: z.string().nullable().openapi({
      description: "URI of the agent in its registry; null if unknown or longer than 8192 characters",
    }),
    agent_owner: address.nullable().openapi({
      description: "Owner of the agent in its registry, usually the adapter; null if unknown",
    }),
  })
  .openapi("AgentBinding");

const isBound = z.boolean().openapi({
  description: "The adapter binds the agent to a token of the name. Proves the binding, not the identity",
});

/** An agent of a name, by the name's claim, by the adapter, or by both. */
export const agentRegistration = z
  .strictObject({
    key: z.string().nullable().openapi({
      description: "Key of the text record as written; null if no record claims the bound agent",
      example: "agent-registration[0x00010000010114…][167]",
    }),
    value: z.string().nullable().openapi({ description: "Value of that record; null if there is none" }),
    registry: z.string().nullable().openapi({
      description:
        "As written in the key; without a key, the interoperable address (ERC-7930); null if neither is known. `registry_address` and `registry_chain_id` have one form in all answers",
    }),
    agent_id: z.string().openapi({ example: "167" }),
    registry_chain_id: decimal
      .nullable()
      .openapi({ description: "Chain of the registry; null if it is not on an EVM chain", example: "1" }),
    registry_address: address
      .nullable()
      .openapi({ description: "EIP-55 checksummed; null if the registry is not on an EVM chain" }),
    binding: agentBinding.nullable().openapi({
      description: "The token that the agent is bound to, possibly another name's; null if not bound",
    }),
    onchain_verified: z
      .boolean()
      .openapi({ description: "Both sides agree: `is_bound` and `has_ensip25_registration`" }),
    is_bound: isBound,
    has_ensip25_registration: z.boolean().openapi({
      description: "A record with a value claims the agent, and its key conforms to ENSIP-25",
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
      .openapi({ description: "The name claims an agent by a record with a value. The claim is unproven" }),
    onchain_verified: z
      .boolean()
      .openapi({ description: "The adapter binds an agent claimed by the name to a token of the name" }),
    adapter: address
      .nullable()
      .openapi({ description: "The adapter that was asked; null if the network has none" }),
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
    registry: address.openapi({ description: "Same as `registry_address`" }),
    registry_chain_id: decimal.openapi({ description: "Chain of the registry", example: "1" }),
    registry_address: address,
    adapter: address,
    name: z.string().nullable().openapi({
      description: "Null for agents bound to a token that is not a name",
      example: "agent.eth",
    }),
    namehash: hash.nullable().openapi({ description: "Null if `name` is null" }),
    is_bound: z.boolean().openapi({
      description:
        "The adapter binds the agent to a token of the name or, without a name, to another token. Proves the binding, not the identity",
    }),
    has_ensip25_registration: z.boolean().nullable().openapi({
      description:
        "The name claims the agent by a conforming record. Null if only the chain can tell; `/domain/{name}/agent` reads it",
    }),
    onchain_verified: z
      .boolean()
      .nullable()
      .openapi({ description: "`is_bound` and `has_ensip25_registration`; null if the latter is null" }),
    binding: agentBinding.nullable().openapi({ description: "Null if no adapter binds the agent" }),
    registered_by: address
      .nullable()
      .openapi({ description: "Account that requested the binding; null if there is none" }),
    block_number: blockNumber.openapi({
      description: "Of the binding or, without one, of the record",
    }),
    transaction_hash: hash,
    profile: agentProfile
      .nullable()
      .openapi({ description: "Null if there is no name, or only the chain can tell its records" }),
  })
  .openapi("Agent");
