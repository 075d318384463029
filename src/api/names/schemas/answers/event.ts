import { z } from "@hono/zod-openapi";
import { eventTypes } from "../../rules/eventTypes.ts";
import { payment } from "./payment.ts";
import { address, blockNumber, bytes, count, decimal, hash, truncated } from "./values.ts";

/** One event; fields that the event does not have are absent. */
export const event = z
  .strictObject({
    id: z
      .string()
      .regex(/^[0-9]+(-[0-9]+){3}$/)
      .openapi({
        example: "1-22764821-17-0",
        description:
          "Chain, block, log index, and the place among the names that the log concerns: the same in every answer",
      }),
    type: z.enum(eventTypes).optional().openapi({
      description:
        "The kind of change. Absent where the log is of none: a contract's own administration, bids. `agent` is a binding of an agent to the name. `primary_name` also has each record `name`, by which reverse nodes name addresses. Registrar and controller both log a sale. No log tells an expiry",
    }),
    contract: z.string().openapi({
      example: "REGISTRY",
      description:
        "The contract by its part in ENS. Controllers and resolvers of the deployment carry their first block: `CONTROLLER_22764821`; `RESOLVER` alone is any other contract",
    }),
    contract_address: address.openapi({ description: "The contract that logged it" }),
    event_type: z.string().openapi({ example: "NewOwner", description: "The event's name in the contract" }),
    block_number: blockNumber,
    block_timestamp: count,
    transaction_hash: hash,
    log_index: count,
    chain: z.string(),
    domain: z
      .string()
      .optional()
      .openapi({ description: "The name concerned, as it is known now", example: "alice.eth" }),
    namehash: hash
      .optional()
      .openapi({ description: "Its namehash; of some events the name itself is unknown" }),
    from_address: address.optional(),
    to_address: address.optional(),
    owner_address: address.optional(),
    new_owner_address: address.optional(),
    resolver_address: address.optional(),
    operator_address: address.optional().openapi({
      description: "The operator that the log names: who moved a token, or was approved for all",
    }),
    sender_address: address.optional().openapi({ description: "ENSv2: who called the registry" }),
    account_address: address.optional().openapi({
      description: "Whose roles changed, or who was approved for a token or for records",
    }),
    is_approved: z
      .boolean()
      .optional()
      .openapi({ description: "Whether an approval was given, or taken back" }),
    token_id: decimal.optional().openapi({
      description: "The token's id after the event: in ENSv2 it changes with each change of roles",
    }),
    old_token_id: decimal.optional(),
    resource: decimal
      .optional()
      .openapi({ description: "ENSv2: what the roles are for; 0 is the whole contract" }),
    roles: z
      .array(z.string())
      .optional()
      .openapi({
        description: "ENSv2: all roles that the account has after the event",
        example: ["SET_RESOLVER"],
      }),
    old_roles: z.array(z.string()).optional().openapi({ description: "ENSv2: those that it had before" }),
    subregistry_address: address
      .optional()
      .openapi({ description: "ENSv2: the registry below the name; the zero address for none" }),
    parent_address: address.optional().openapi({ description: "ENSv2: the registry above" }),
    record_number: decimal
      .optional()
      .openapi({ description: "ENSv2: the record of the resolver; of a link 0 for none" }),
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
    agent_id: decimal
      .optional()
      .openapi({ description: "`AgentBound`: the agent that was bound", example: "0" }),
    is_foreign: z.literal(true).optional().openapi({
      description:
        "Present where the log says nothing of the name: its emitter is a resolver that the deployment does not list, and that never was the name's",
    }),
    truncated,
  })
  .openapi("Event");
