import { always, type BlockType, columnsOf, plain, type Source, texts, type Value } from "./source.ts";

/** Registrations and expiries, as logs of all registrars have them. */
const SALES = [
  "NameRegistered",
  "NameRegisteredWithRecord",
  "NameRenewed",
  "HashRegistered",
  "HashReleased",
  "RegistrationCreated",
  "RegistrationExtended",
  "RegistrationBurned",
  "ExpiryExtended",
  "NameWrapped",
  "LabelRegistered",
  "LabelReserved",
  "LabelUnregistered",
  "ExpiryUpdated",
];

const MOVES = [
  "Transfer",
  "TransferSingle",
  "TransferBatch",
  "NewOwner",
  "NameWrapped",
  "NameUnwrapped",
  "NameRegistered",
  "NameMigrated",
  "RegistrationTransferred",
  "LabelRegistered",
  "LabelUnregistered",
];

/** By what a registration got longer, shorter, or new. */
function typeOfTerm(before: Value | null, after: Value | null): BlockType {
  if (after?.registered_timestamp && after.registered_timestamp !== before?.registered_timestamp) {
    return "name.registered";
  }
  const [from, to] = [before?.expiry_timestamp, after?.expiry_timestamp];
  return from && to && BigInt(to) > BigInt(from) ? "name.renewed" : "name.expiry_changed";
}

function typeOfMove(before: Value | null, after: Value | null): BlockType {
  if (!before?.is_wrapped && after?.is_wrapped) return "name.wrapped";
  return before?.is_wrapped && !after?.is_wrapped ? "name.unwrapped" : "name.transferred";
}

export const domains: Source = {
  table: "domains",
  key: [
    ["chain_id", "int4"],
    ["node", "text"],
  ],
  columns: {
    ...plain([
      "full_name",
      "parent_node",
      "registry_owner",
      "registrar_owner",
      "wrapper_owner",
      "is_wrapped",
    ]),
    ...plain(["effective_owner_address", "resolver", "registry"]),
    ...texts(["registrar_expiry_timestamp", "expiry_timestamp", "path_expiry_timestamp"]),
    ...texts(["registered_timestamp", "wrapper_fuses", "wrapper_expiry_timestamp"]),
  },
  slots: {
    name: {
      value: ({ full_name, parent_node }) => ({
        name: full_name ?? null,
        parent_namehash: parent_node ?? null,
      }),
      type: (before) => (before === null ? "subname.created" : "name.renamed"),
      causes: ["NewOwner"],
    },
    registration: {
      value: columnsOf([
        "expiry_timestamp",
        "registrar_expiry_timestamp",
        "path_expiry_timestamp",
        "registered_timestamp",
      ]),
      type: typeOfTerm,
      causes: SALES,
    },
    owner: {
      value: (row) =>
        columnsOf([
          "owner_address",
          "registry_owner",
          "registrar_owner",
          "wrapper_owner",
          "is_wrapped",
          "registry_address",
        ])({
          ...row,
          owner_address: row.effective_owner_address ?? null,
          registry_address: row.registry ?? null,
        }),
      type: typeOfMove,
      causes: MOVES,
    },
    wrapper: {
      value: ({ wrapper_fuses, wrapper_expiry_timestamp }) =>
        wrapper_fuses == null && wrapper_expiry_timestamp == null
          ? null
          : { fuses: wrapper_fuses ?? null, wrapper_expiry_timestamp: wrapper_expiry_timestamp ?? null },
      type: always("wrapper.changed"),
      causes: ["FusesSet", "ExpiryExtended", "NameWrapped", "NameUnwrapped", "NameRenewed"],
    },
    resolver: {
      value: ({ resolver }) => (resolver == null ? null : { resolver_address: resolver }),
      type: always("resolver.changed"),
      causes: ["NewResolver", "ResolverUpdated", "LabelRegistered"],
    },
  },
  about: ([, node = null], row) => ({
    node,
    resolver: row.resolver as string | null,
    addresses: [row.effective_owner_address, row.registry_owner, row.registrar_owner, row.wrapper_owner] as (
      | string
      | null
    )[],
    details: {},
  }),
};
