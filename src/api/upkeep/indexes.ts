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

/** The events of a place by time, of each name on each chain. The hash makes an entry a third of what it were. */
const eventsOf = ({ name, value, where }: { name: string; value: string; where?: string }): OwnIndex => ({
  name: `${name}_time`,
  table: "events",
  definition: `(${hashOf(value)}, ${TIME_OF_PLACE})${where === undefined ? "" : ` where ${where}`}`,
});

const itself: At = (column) => column;

/** All names in an order of the subgraph's lists. Ties are sorted when a page is read. */
const allNamesBy = (name: string, order: (at: At) => string, where?: string): OwnIndex => ({
  name: `domains_all_${name}`,
  table: "domains",
  definition: `(${order(itself)})${where === undefined ? "" : ` where ${where}`}`,
});

/**
 * The large indexes, which serve the API's queries, the most important first. They are not declared in
 * `ponder.schema.ts`: at each restart of the indexer Ponder drops the indexes declared there and builds them again
 * before it is ready, which takes many minutes for a large table. These stay. They only decide how long an answer
 * takes, never what it says.
 */
export const ownIndexes: readonly OwnIndex[] = [
  // Has all columns that counting an owner's names needs, so that the rows themselves are not read.
  {
    name: "domains_owner_name",
    table: "domains",
    definition: `(effective_owner_address, left(full_name, 128), node)
      include (chain_id, parent_node, expiry_timestamp, is_wrapped, wrapper_expiry_timestamp, wrapper_fuses, registry,
        path_expiry_timestamp)`,
  },
  // The names of an owner in other orders.
  ...(["expiry_timestamp", "created_timestamp", "registered_timestamp"] as const).map((column) => ({
    name: `domains_owner_${column.replace("_timestamp", "")}`,
    table: "domains",
    definition: `(effective_owner_address, ${column}, node)`,
  })),
  // Names whose registry owner is not the effective one, which the indexes above find: those that the account manages.
  ...[
    ["name", "left(full_name, 128)"],
    ["expiry", "expiry_timestamp"],
    ["created", "created_timestamp"],
    ["registered", "registered_timestamp"],
  ].map(([order, key]) => ({
    name: `domains_manager_${order}`,
    table: "domains",
    definition: `(registry_owner, ${key}, node) where registry_owner is distinct from effective_owner_address`,
  })),
  // Anyone can emit resolvers' events for any node. With the emitter in the index, those of strangers are never read. It has
  // all that sorts and filters the events of a name, so that of the rows only those that are shown are read.
  {
    name: "events_node",
    table: "events",
    definition: `(node, contract, contract_address, block_number, log_index)
      include (chain_id, ordinal, block_timestamp, event_type)`,
  },
  {
    name: "ownership_changes_node",
    table: "ownership_changes",
    definition: "(node, block_number, log_index, ordinal)",
  },
  { name: "resolver_changes_node", table: "resolver_changes", definition: "(node, block_number, log_index)" },
  {
    name: "holders_address_block",
    table: "holders",
    definition: "(address, last_owned_block_number, node) include (chain_id, last_owned_block_timestamp)",
  },
  { name: "events_type", table: "events", definition: "(event_type, block_timestamp)" },
  { name: "events_transaction", table: "events", definition: "(transaction_hash)" },
  { name: "events_time", table: "events", definition: "(block_timestamp)" },
  eventsOf({ name: "events_kind", value: FAMILY }),
  eventsOf({ name: "events_contract", value: "contract_address" }),
  ...parties.map(eventsOf),
  {
    name: "domains_wrapper_expiry",
    table: "domains",
    definition: "(wrapper_expiry_timestamp) where is_wrapped",
  },
  {
    name: "domains_path_expiry",
    table: "domains",
    definition: "(path_expiry_timestamp) where path_expiry_timestamp is not null",
  },
  // Searches read names in order until a page is full. Reverse nodes begin with digits and meet few filters: a search
  // that had to pass them first would be slow.
  {
    name: "domains_name_named",
    table: "domains",
    definition: `(left(full_name, 128), node)
      where parent_node = '${ETH_NODE}' or expiry_timestamp is not null or is_wrapped or label_length < 40`,
  },
  // The same for a search that has names with unknown labels last.
  {
    name: "domains_known_name",
    table: "domains",
    definition: "(left(case when is_label_known then full_name end, 128), node) where is_label_known",
  },
  { name: "domains_resolver_name", table: "domains", definition: "(resolver, left(full_name, 128), node)" },
  // Names of ENSv2 in the order of names, and the newest that came from ENSv1.
  {
    name: "domains_ensv2_name",
    table: "domains",
    definition: "(left(full_name, 128), node) where registry is not null",
  },
  // How many labels others than the chains' logs gave.
  { name: "labels_given", table: "labels", definition: "(chain_id) where source <> 'event'" },
  // From the roles of an account to its names.
  { name: "ensv2_entries_resource", table: "ensv2_entries", definition: "(registry, resource)" },
  {
    name: "domains_registry_label",
    table: "domains",
    definition: "(registry, labelhash) where registry is not null",
  },
  {
    name: "ensv2_entries_registered",
    table: "ensv2_entries",
    definition: "(registered_timestamp, storage_id) where registered_timestamp is not null",
  },
  // Operators of an owner, and owners of an operator. Answers do not contain revoked rows.
  {
    name: "operators_owner",
    table: "operators",
    definition: "(owner, chain_id, contract, operator) where is_approved",
  },
  {
    name: "operators_operator",
    table: "operators",
    definition: "(operator, chain_id, contract, owner) where is_approved",
  },
  {
    name: "token_approvals_owner",
    table: "token_approvals",
    definition: "(owner, chain_id, contract, node) where approved is not null",
  },
  {
    name: "token_approvals_approved",
    table: "token_approvals",
    definition: "(approved, chain_id, contract, node) where approved is not null",
  },
  {
    name: "record_delegates_owner",
    table: "record_delegates",
    definition: "(owner, chain_id, resolver, node, delegate) where is_approved",
  },
  {
    name: "record_delegates_delegate",
    table: "record_delegates",
    definition: "(delegate, chain_id, resolver, node, owner) where is_approved",
  },
  {
    name: "ensv2_roles_account",
    table: "ensv2_roles",
    definition: "(account, chain_id, contract, resource) where roles <> 0",
  },
  // The labels of a registry in their order; has all that counting who owns them needs.
  {
    name: "ensv2_entries_label",
    table: "ensv2_entries",
    definition: "(registry, label, storage_id) include (chain_id, owner, expiry, is_registered)",
  },
  {
    name: "ensv2_entries_referring",
    table: "ensv2_entries",
    definition: "(subregistry, registry, storage_id) include (chain_id) where subregistry is not null",
  },
  {
    name: "resolver_changes_previous",
    table: "resolver_changes",
    definition:
      "(previous_resolver, block_timestamp, chain_id, block_number, log_index, ordinal) where previous_resolver is not null",
  },
  {
    name: "ensv2_links_record",
    table: "ensv2_links",
    definition: "(resolver, record, node) include (chain_id) where record is not null",
  },
  {
    name: "ensv2_roles_held",
    table: "ensv2_roles",
    definition: "(contract, resource, account) include (chain_id) where roles <> 0",
  },
  // Changes of roles by what they are for. A log that has several names is one change.
  {
    name: "events_roles",
    table: "events",
    definition: `(contract_address, ${ROLES_OF}, block_number, log_index, ${ROLES_TO}) include (chain_id)
      where event_type = 'EACRolesChanged' and ordinal = 0`,
  },
  // The records that have no column, and what clears them: the words of `query/otherRecords.ts`.
  {
    name: "events_other_records",
    table: "events",
    definition: `(node, contract_address, block_number, log_index) include (chain_id)
      where event_type in ('ABIChanged', 'InterfaceChanged', 'PubkeyChanged', 'ABIUpdated', 'InterfaceUpdated', 'VersionChanged', 'Cleared')`,
  },
  // Anyone can set a record of any length, and an entry of an index has a limit. With a condition the planner would not use what
  // it knows of the expression, take every address for a rare one, and sort all names of one that very many have.
  {
    name: "address_records_address",
    table: "address_records",
    definition: "(left(address, 130), node, chain_id, resolver)",
  },
  // Names that ENSv2 only reserves, by the end of the reservation.
  {
    name: "ensv2_entries_reserved",
    table: "ensv2_entries",
    definition: "(expiry, registry, labelhash) where not is_registered",
  },
  // Names that count for no parent in the subgraph: `subgraph/table/domain.ts`.
  {
    name: "domains_blank",
    table: "domains",
    definition: "(parent_node) where resolver is null and (registry_owner is null or registry is not null)",
  },
  allNamesBy("name", nameOrder),
  allNamesBy("label", labelOrder),
  allNamesBy("created", createdOrder),
  allNamesBy("registered", registeredOrder, hasRegistrar(itself)),
  allNamesBy("expiry", expiryOrder),
  // The names below a name in the order of the subgraph's lists.
  {
    name: "domains_below_name",
    table: "domains",
    definition: `(parent_node, ${nameBelowOrder(itself)}) where ${isBelowOther(itself)}`,
  },
  // Names by their effective owner in the orders of the subgraph's lists, and those that the owner of a token has without being
  // that: `subgraph/query/heldNames.ts`.
  ...(
    [
      ["name", nameOrder],
      ["expiry", expiryOrder],
    ] as const
  ).map(([name, order]) => ({
    name: `domains_held_${name}`,
    table: "domains",
    definition: `(${holderHash("effective_owner_address", name)}, (${order(itself)}))`,
  })),
  ...["registrar_owner", "wrapper_owner"].map((owner) => ({
    name: `domains_only_${owner}`,
    table: "domains",
    definition: `(${owner}) where ${owner} is not null and ${owner} is distinct from effective_owner_address`,
  })),
  // The operator class has its schema, because the extension's schema is in no search path.
  { name: "domains_label_trgm", table: "domains", definition: "using gin (label public.gin_trgm_ops)" },
  { name: "domains_name_trgm", table: "domains", definition: "using gin (full_name public.gin_trgm_ops)" },
];

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
