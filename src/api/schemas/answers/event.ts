import { z } from "@hono/zod-openapi";
import { payment } from "./payment.ts";
import { address, blockNumber, bytes, count, decimal, hash, truncated } from "./values.ts";

/** One event; fields that the event does not have are absent. */
export const event = z
  .strictObject({
    contract: z.string().openapi({
      example: "REGISTRY",
      description:
        "The contract by its part in ENS. Controllers and resolvers of the deployment carry their first block: `CONTROLLER_22764821`; `RESOLVER` alone is any other contract",
    }),
    event_type: z.string().openapi({ example: "NewOwner", description: "The event's name in the contract" }),
    block_number: blockNumber,
    block_timestamp: count,
    transaction_hash: hash,
    log_index: count,
    chain: z.string(),
    from_address: address.optional(),
    to_address: address.optional(),
    owner_address: address.optional(),
    new_owner_address: address.optional(),
    resolver_address: address.optional(),
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
    truncated,
  })
  .openapi("Event");
