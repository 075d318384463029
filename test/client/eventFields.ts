import type { EventType } from "../../src/api/names/rules/eventTypes.ts";

/** Fields that an event of any kind may have. */
export const fieldsOfEveryEvent: readonly string[] = [
  "id",
  "contract",
  "contract_address",
  "event_type",
  "block_number",
  "block_timestamp",
  "transaction_hash",
  "log_index",
  "chain",
  "domain",
  "namehash",
  "token_id",
  "record_number",
  "sender_address",
  "operator_address",
  "is_foreign",
  "truncated",
];

const paid = ["cost_wei", "base_cost_wei", "premium_wei", "payment", "referrer", "expiry_timestamp", "name"];
const moved = ["from_address", "to_address"];

/** Fields by kind of event, in addition to those of every event. A test compares them with all events of the demo. */
export const eventFields: Readonly<Record<EventType, readonly string[]>> = {
  registration: [...paid, "owner_address", "resolver_address", "subregistry_address", "ttl"],
  renewal: paid,
  release: ["owner_address"],
  transfer: moved,
  authority: ["owner_address", "new_owner_address", "name", "fuses", "expiry_timestamp"],
  migration: ["owner_address", "expiry_timestamp", "name"],
  resolver: ["resolver_address"],
  record: ["key", "value", "coin_type", "address", "contenthash", "name"],
  primary_name: ["name", "address", "coin_type", "owner_address"],
  permission: [
    "account_address",
    "owner_address",
    "is_approved",
    "roles",
    "old_roles",
    "resource",
    "old_token_id",
    "fuses",
    "key",
    "coin_type",
    "name",
  ],
  subregistry: ["subregistry_address", "parent_address", "name"],
  agent: ["agent_id", "value", "owner_address", "from_address", "to_address"],
};
