import { ETH_NODE } from "../../ens/name.ts";
import { FAMILY, hashOf, parties, TIME_OF_PLACE } from "../names/rules/eventParties.ts";
import {
  type At,
  createdOrder,
  expiryOrder,
  hasRegistrar,
  holderHash,
  isBelowOther,
  labelOrder,
  nameBelowOrder,
  nameOrder,
  registeredOrder,
} from "../names/rules/nameOrders.ts";
import { ROLES_OF, ROLES_TO } from "../names/rules/roleChanges.ts";

/** An index that Namedex builds itself. */
export type OwnIndex = { name: string; table: string; definition: string };

/** SQL by the name of each index. */
type Named = Record<string, string>;

const named = <Item>(items: readonly Item[], write: (item: Item) => [name: string, sql: string]): Named =>
  Object.fromEntries(items.map(write));

const only = (where?: string): string => (where === undefined ? "" : ` where ${where}`);

/** The events of a place by time, of each name on each chain. Hashing cuts each index entry to a third. */
const eventsOf = (places: readonly { name: string; value: string; where?: string }[]): Named =>
  named(places, ({ name, value, where }) => [
    `${name}_time`,
    `events (${hashOf(value)}, ${TIME_OF_PLACE})${only(where)}`,
  ]);

const itself: At = (column) => column;

/** All names in an order of the subgraph's lists. Ties are sorted when a page is read. */
const allNamesBy = (name: string, order: (at: At) => string, where?: string): Named => ({
  [`domains_all_${name}`]: `domains (${order(itself)})${only(where)}`,
});

/**
 * The large indexes, which serve the API's queries, the most important first. They are not declared in
 * `ponder.schema.ts`: at each restart of the indexer Ponder drops the indexes declared there and builds them again
 * before it is ready, which takes many minutes for a large table. These stay. They only decide how long an answer
 * takes, never what it says.
 */
export const ownIndexes: readonly OwnIndex[] = Object.entries<string>({
  // Has all columns that counting an owner's names needs, so that the rows themselves are not read.
  domains_owner_name: `domains (effective_owner_address, left(full_name, 128), node)
      include (chain_id, parent_node, expiry_timestamp, is_wrapped, wrapper_expiry_timestamp, wrapper_fuses, registry,
        path_expiry_timestamp)`,
  // The names of an owner in other orders.
  ...named(["expiry", "created", "registered"], (time) => [
    `domains_owner_${time}`,
    `domains (effective_owner_address, ${time}_timestamp, node)`,
  ]),
  // Names whose registry owner is not the effective one, which the indexes above find: those that the account manages.
  ...named(["name", "expiry", "created", "registered"], (order) => [
    `domains_manager_${order}`,
    `domains (registry_owner, ${order === "name" ? "left(full_name, 128)" : `${order}_timestamp`}, node)
      where registry_owner is distinct from effective_owner_address`,
  ]),
  // Anyone can emit resolvers' events for any node. With the emitter in the index, those of strangers are never read. It has
  // all that sorts and filters the events of a name, so that of the rows only those that are shown are read.
  events_node: `events (node, contract, contract_address, block_number, log_index)
      include (chain_id, ordinal, block_timestamp, event_type)`,
  ownership_changes_node: "ownership_changes (node, block_number, log_index, ordinal)",
  resolver_changes_node: "resolver_changes (node, block_number, log_index)",
  holders_address_block:
    "holders (address, last_owned_block_number, node) include (chain_id, last_owned_block_timestamp)",
  events_type: "events (event_type, block_timestamp)",
  events_transaction: "events (transaction_hash)",
  events_time: "events (block_timestamp)",
  ...eventsOf([
    { name: "events_kind", value: FAMILY },
    { name: "events_contract", value: "contract_address" },
    ...parties,
  ]),
  domains_wrapper_expiry: "domains (wrapper_expiry_timestamp) where is_wrapped",
  domains_path_expiry: "domains (path_expiry_timestamp) where path_expiry_timestamp is not null",
  // Searches read names in order until a page is full. Reverse nodes begin with digits and meet few filters: a search
  // that had to pass them first would be slow.
  domains_name_named: `domains (left(full_name, 128), node)
      where parent_node = '${ETH_NODE}' or expiry_timestamp is not null or is_wrapped or label_length < 40`,
  // The same for a search that has names with unknown labels last.
  domains_known_name:
    "domains (left(case when is_label_known then full_name end, 128), node) where is_label_known",
  domains_resolver_name: "domains (resolver, left(full_name, 128), node)",
  // Names of ENSv2 in the order of names, and the newest that came from ENSv1.
  domains_ensv2_name: "domains (left(full_name, 128), node) where registry is not null",
  // How many labels others than the chains' logs gave.
  labels_given: "labels (chain_id) where source <> 'event'",
  // From the roles of an account to its names.
  ensv2_entries_resource: "ensv2_entries (registry, resource)",
  domains_registry_label: "domains (registry, labelhash) where registry is not null",
  ensv2_entries_registered:
    "ensv2_entries (registered_timestamp, storage_id) where registered_timestamp is not null",
  // Operators of an owner, and owners of an operator. Answers do not contain revoked rows.
  operators_owner: "operators (owner, chain_id, contract, operator) where is_approved",
  operators_operator: "operators (operator, chain_id, contract, owner) where is_approved",
  token_approvals_owner: "token_approvals (owner, chain_id, contract, node) where approved is not null",
  token_approvals_approved: "token_approvals (approved, chain_id, contract, node) where approved is not null",
  record_delegates_owner: "record_delegates (owner, chain_id, resolver, node, delegate) where is_approved",
  record_delegates_delegate: "record_delegates (delegate, chain_id, resolver, node, owner) where is_approved",
  ensv2_roles_account: "ensv2_roles (account, chain_id, contract, resource) where roles <> 0",
  // The labels of a registry in their order; has all that counting who owns them needs.
  ensv2_entries_label:
    "ensv2_entries (registry, label, storage_id) include (chain_id, owner, expiry, is_registered)",
  ensv2_entries_referring:
    "ensv2_entries (subregistry, registry, storage_id) include (chain_id) where subregistry is not null",
  resolver_changes_previous:
    "resolver_changes (previous_resolver, block_timestamp, chain_id, block_number, log_index, ordinal) where previous_resolver is not null",
  ensv2_links_record: "ensv2_links (resolver, record, node) include (chain_id) where record is not null",
  ensv2_roles_held: "ensv2_roles (contract, resource, account) include (chain_id) where roles <> 0",
  // Changes of roles by what they are for. A log that has several names is one change.
  events_roles: `events (contract_address, ${ROLES_OF}, block_number, log_index, ${ROLES_TO}) include (chain_id)
      where event_type = 'EACRolesChanged' and ordinal = 0`,
  // The records that have no column, and what clears them: the words of `query/otherRecords.ts`.
  events_other_records: `events (node, contract_address, block_number, log_index) include (chain_id)
      where event_type in ('ABIChanged', 'InterfaceChanged', 'PubkeyChanged', 'ABIUpdated', 'InterfaceUpdated', 'VersionChanged', 'Cleared')`,
  // Anyone can set a record of any length, and an entry of an index has a limit. With a condition the planner would not use what
  // it knows of the expression, take every address for a rare one, and sort all names of one that very many have.
  address_records_address: "address_records (left(address, 130), node, chain_id, resolver)",
  // Names that ENSv2 only reserves, by the end of the reservation.
  ensv2_entries_reserved: "ensv2_entries (expiry, registry, labelhash) where not is_registered",
  // Names that count for no parent in the subgraph: `subgraph/table/domain.ts`.
  domains_blank:
    "domains (parent_node) where resolver is null and (registry_owner is null or registry is not null)",
  ...allNamesBy("name", nameOrder),
  ...allNamesBy("label", labelOrder),
  ...allNamesBy("created", createdOrder),
  ...allNamesBy("registered", registeredOrder, hasRegistrar(itself)),
  ...allNamesBy("expiry", expiryOrder),
  // The names below a name in the order of the subgraph's lists.
  domains_below_name: `domains (parent_node, ${nameBelowOrder(itself)}) where ${isBelowOther(itself)}`,
  // Names by their effective owner in the orders of the subgraph's lists, and those that the owner of a token has without being
  // that: `subgraph/query/heldNames.ts`.
  domains_held_name: `domains (${holderHash("effective_owner_address", "name")}, (${nameOrder(itself)}))`,
  domains_held_expiry: `domains (${holderHash("effective_owner_address", "expiry")}, (${expiryOrder(itself)}))`,
  ...named(["registrar_owner", "wrapper_owner"], (owner) => [
    `domains_only_${owner}`,
    `domains (${owner}) where ${owner} is not null and ${owner} is distinct from effective_owner_address`,
  ]),
  // The operator class has its schema, because the extension's schema is in no search path.
  domains_label_trgm: "domains using gin (label public.gin_trgm_ops)",
  domains_name_trgm: "domains using gin (full_name public.gin_trgm_ops)",
}).map(([name, sql]) => {
  const [table = ""] = sql.split(" ", 1);
  return { name, table, definition: sql.slice(table.length + 1) };
});

/**
 * SQL for the names of the indexes that do not exist yet, or are not valid, the most important first.
 *
 * @param schema of the index, as an SQL expression
 */
export const missingIndexesIn = (schema: string): string =>
  `select name from unnest(array[${ownIndexes.map(({ name }) => `'${name}'`).join(", ")}]) with ordinality as own (name, place)
   where not exists (
     select from pg_index join pg_class on pg_class.oid = indexrelid join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = ${schema} and relname = name and indisvalid
   ) order by place`;
