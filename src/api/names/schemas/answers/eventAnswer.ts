import { z } from "@hono/zod-openapi";
import { eventTypes } from "../../rules/eventTypes.ts";
import { payment } from "./paymentAnswer.ts";
import { address, blockNumber, bytes, count, decimal, hash, truncated } from "./valuesAnswer.ts";

/** One event; fields that the event does not have are absent. */
export const event = z
  .strictObject({
    id: z
      .string()
      .regex(/^[0-9]+(-[0-9]+){3}$/)
      .openapi({
        example: "1-22764821-17-0",
        description: "Chain, block, log index, and position among the log's names: the same in every answer",
      }),
    type: z.enum(eventTypes).optional().openapi({
      description:
        "Kind of change. Absent for logs without one, such as a contract's administration or bids. `agent` binds an agent to the name. `primary_name` includes every `name` record, by which reverse nodes name addresses. A sale is logged by both registrar and controller. That a name expires has no log",
    }),
    contract: z.string().openapi({
      example: "REGISTRY",
      description:
        "The contract's role in ENS. Controllers and resolvers of the deployment carry their first block, as in `CONTROLLER_22764821`; plain `RESOLVER` is any other contract",
    }),
    contract_address: address.openapi({ description: "The contract that emitted the log" }),
    event_type: z.string().openapi({ example: "NewOwner", description: "The contract's name for the event" }),
    block_number: blockNumber,
    block_timestamp: count,
    transaction_hash: hash,
    log_index: count,
    chain: z.string(),
    domain: z
      .string()
      .optional()
      .openapi({ description: "The event's name, as known now", example: "alice.eth" }),
    namehash: hash
      .optional()
      .openapi({ description: "Namehash of the name. For some events the name itself is unknown" }),
    from_address: address.optional(),
    to_address: address.optional(),
    owner_address: address.optional(),
    new_owner_address: address.optional(),
    resolver_address: address.optional(),
    operator_address: address.optional().openapi({
      description: "The operator in the log: the mover of a token, or the account approved for everything",
    }),
    sender_address: address.optional().openapi({ description: "ENSv2: the caller of the registry" }),
    account_address: address.optional().openapi({
      description: "The account whose roles changed, or that was approved for a token or for records",
    }),
    is_approved: z.boolean().optional().openapi({ description: "Whether the approval was given or revoked" }),
    token_id: decimal.optional().openapi({
      description: "Token id after the event. In ENSv2 it changes with each role change",
    }),
    old_token_id: decimal.optional(),
    resource: decimal
      .optional()
      .openapi({ description: "ENSv2: the resource that the roles apply to; 0 for the whole contract" }),
    roles: z
      .array(z.string())
      .optional()
      .openapi({
        description: "ENSv2: all roles of the account after the event",
        example: ["SET_RESOLVER"],
      }),
    old_roles: z.array(z.string()).optional().openapi({ description: "ENSv2: all roles before the event" }),
    subregistry_address: address
      .optional()
      .openapi({ description: "ENSv2: the registry below the name; the zero address for none" }),
    parent_address: address.optional().openapi({ description: "ENSv2: the parent registry" }),
    record_number: decimal
      .optional()
      .openapi({ description: "ENSv2: the resolver's record number; in links 0 for none" }),
    ttl: decimal.optional(),
    cost_wei: decimal.optional(),
    base_cost_wei: decimal.optional(),
    premium_wei: decimal.optional(),
    payment: payment.optional().openapi({ description: "A price that ENSv2 took, in a token" }),
    referrer: bytes.optional(),
    expiry_timestamp: decimal.optional(),
    fuses: z.int().min(0).optional(),
    coin_type: decimal.optional(),
    address: bytes.or(address).optional(),
    key: z.string().optional(),
    value: z.string().optional(),
    contenthash: bytes.optional(),
    name: z.string().optional(),
    agent_id: decimal.optional().openapi({ description: "`AgentBound`: the bound agent", example: "0" }),
    is_foreign: z.literal(true).optional().openapi({
      description:
        "Present if the log says nothing about the name: it comes from a resolver that the deployment does not list and the name never had",
    }),
    truncated,
  })
  .openapi("Event");
