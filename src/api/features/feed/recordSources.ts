import { exactText } from "../../../ens/storable.ts";
import { always, columnsOf, plain, type Row, type Source, writtenBy } from "./source.ts";

const RECORD_KEY = [
  ["chain_id", "int4"],
  ["resolver", "text"],
  ["node", "text"],
] as const;

/** A text with NUL, which PostgreSQL cannot store, is JSON in the column `exact`. */
const exactOf = ({ exact, key, value }: Row): { key: string; value: string | null } =>
  typeof exact === "string"
    ? (JSON.parse(exact) as { key: string; value: string | null })
    : { key: String(key), value: (value ?? null) as string | null };

export const textRecords: Source = {
  table: "text_records",
  key: [...RECORD_KEY, ["version", "int8"], ["key_hash", "text"]],
  columns: plain([
    "key",
    "value",
    "is_value_known",
    "exact",
    "block_number",
    "log_index",
    "transaction_hash",
  ]),
  slots: {
    text: {
      value: (row) => ({ value: exactOf(row).value, is_value_known: row.is_value_known ?? null }),
      type: always("record.text.changed"),
      causes: ["TextChanged", "TextUpdated"],
    },
  },
  about: ([, resolver = "", node = "", version = "0", keyHash = ""], row) => ({
    node,
    resolver,
    addresses: [],
    details: { version: Number(version), key_hash: keyHash, key: exactOf(row).key },
  }),
  cause: writtenBy,
};

export const addressRecords: Source = {
  table: "address_records",
  key: [...RECORD_KEY, ["version", "int8"], ["coin_type", "numeric"]],
  columns: plain(["address", "block_number", "transaction_hash"]),
  slots: {
    address: {
      value: ({ address }) => ({ address: address ?? null }),
      type: always("record.address.changed"),
      causes: ["AddrChanged", "AddressChanged", "AddressUpdated"],
    },
  },
  about: ([, resolver = "", node = "", version = "0", coinType = ""], { address }) => ({
    node,
    resolver,
    addresses: [typeof address === "string" && address.length === 42 ? address : null],
    details: { version: Number(version), coin_type: coinType },
  }),
  cause: writtenBy,
};

export const resolverNodes: Source = {
  table: "resolver_nodes",
  key: RECORD_KEY,
  columns: plain(["version", "contenthash", "name"]),
  slots: {
    version: {
      value: ({ version }) => (Number(version ?? 0) === 0 ? null : { version: version ?? null }),
      type: always("records.cleared"),
      causes: ["VersionChanged", "Cleared"],
    },
    contenthash: {
      value: columnsOf(["contenthash"]),
      type: always("record.contenthash.changed"),
      causes: [
        "ContenthashChanged",
        "ContenthashUpdated",
        "ContentChanged",
        "MultihashChanged",
        "VersionChanged",
      ],
    },
    name_record: {
      value: ({ name }) => (name == null ? null : { name: exactText(String(name)) }),
      type: always("record.name.changed"),
      causes: ["NameChanged", "NameUpdated", "VersionChanged"],
    },
  },
  about: ([, resolver = "", node = ""]) => ({ node, resolver, addresses: [], details: {} }),
};

export const links: Source = {
  table: "ensv2_links",
  key: RECORD_KEY,
  columns: plain(["record", "block_number", "transaction_hash"]),
  slots: {
    link: {
      value: ({ record }) => (record == null ? null : { record }),
      type: always("record.link.changed"),
      causes: ["Linked"],
    },
  },
  about: ([, resolver = "", node = ""]) => ({ node, resolver, addresses: [], details: {} }),
  cause: writtenBy,
};
