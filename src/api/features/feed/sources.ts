import { exactText } from "../../../ens/storable.ts";
import { domains } from "./nameSource.ts";
import { addressRecords, links, resolverNodes, textRecords } from "./recordSources.ts";
import { always, columnsOf, plain, type Source, texts, writtenBy } from "./source.ts";

const primaryNames: Source = {
  table: "primary_names",
  key: [
    ["address", "text"],
    ["coin_type", "int8"],
  ],
  columns: plain(["name", "is_name_known", "registrar", "block_number", "transaction_hash"]),
  slots: {
    primary: {
      value: ({ name, is_name_known }) => ({
        name: name == null ? null : exactText(String(name)),
        is_name_known: is_name_known ?? null,
      }),
      type: always("primary_name.changed"),
      causes: [],
    },
  },
  about: ([address = "", coinType = ""]) => ({
    addresses: [address],
    details: { address, coin_type: coinType },
  }),
  cause: writtenBy,
};

const agentBindings: Source = {
  table: "agent_bindings",
  key: [
    ["chain_id", "int4"],
    ["adapter", "text"],
    ["agent_id", "numeric"],
  ],
  columns: {
    ...plain(["token_standard", "token_contract", "node", "registered_by"]),
    ...texts(["token_id"]),
    ...plain(["block_number", "log_index", "transaction_hash"]),
  },
  slots: {
    binding: {
      value: columnsOf(["token_standard", "token_contract", "token_id", "registered_by"]),
      type: always("agent.bound"),
      causes: [],
    },
  },
  about: ([, adapter = "", agentId = ""], { node, registered_by }) => ({
    node: (node ?? null) as string | null,
    addresses: [registered_by as string | null],
    details: { adapter_address: adapter, agent_id: agentId },
  }),
  cause: writtenBy,
};

const labels: Source = {
  table: "labels",
  key: [
    ["chain_id", "int4"],
    ["labelhash", "text"],
  ],
  columns: plain(["label"]),
  slots: {
    label: { value: columnsOf(["label"]), type: always("label.known"), causes: [] },
  },
  about: ([, labelhash = ""]) => ({ addresses: [], details: { labelhash } }),
};

const all = {
  domains,
  resolver_nodes: resolverNodes,
  text_records: textRecords,
  address_records: addressRecords,
  ensv2_links: links,
  primary_names: primaryNames,
  agent_bindings: agentBindings,
  labels,
} satisfies Record<string, Source>;

/** Every source, by its table. */
export const sources: ReadonlyMap<string, Source> = new Map(Object.entries(all));

/** SQL for the key of a row as JSON. `row` is the alias of the row. */
export const keySql = ({ key }: Source, row: string): string =>
  `jsonb_build_array(${key.map(([column]) => `${row}.${column}::text`).join(", ")})`;

/** SQL for the columns of a row as JSON. */
export const rowSql = ({ columns }: Source, row: string): string =>
  `jsonb_build_object(${Object.entries(columns)
    .map(([name, text]) => `'${name}', ${text.replace(/^r\./, `${row}.`)}`)
    .join(", ")})`;
