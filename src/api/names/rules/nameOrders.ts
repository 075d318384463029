import { ADDR_REVERSE_NODE, ETH_NODE, ROOT_NODE } from "../../../ens/name.ts";
import { GRACE_PERIOD, isEmancipated } from "../../../ens/wrapper.ts";
import { asText, snakeCase, write } from "./conditionText.ts";

/*
 * Orders of all names in lists of the subgraph, as SQL over a row of `domains`. Indexes have them, and statements say the same:
 * PostgreSQL uses an index of an expression for that expression alone.
 */

/** Writes a column of the row. */
export type At = (column: string) => string;

/** Characters of a text that indexes have. Texts have no limit, and an entry of an index has one. */
export const BEGINNING = 128;

const beginning = (text: string): string => `nullif(left(${text}, ${BEGINNING}), '')`;

/** The beginning of a name in the order of bytes, in any locale of the database; null for the root. */
export const nameOrder = (at: At): string => `(${beginning(at("full_name"))} collate "C")`;

/** The same of a name below another one, in an index of its own: no such name is empty. */
export const nameBelowOrder = (at: At): string => `(left(${at("full_name")}, ${BEGINNING}) collate "C")`;

/** Parents below which the index of names below a name has none: most names are below these two, and other indexes have their orders. */
export const PARENTS_OF_MOST: readonly string[] = [ETH_NODE, ADDR_REVERSE_NODE];

/** That a name is in the index of names below a name. */
export const isBelowOther = (at: At): string =>
  PARENTS_OF_MOST.map((node) => `${at("parent_node")} <> '${node}'`).join(" and ");

/** The beginning of a label in the order of bytes; null where the label is not known. */
export const labelOrder = (at: At): string =>
  `((case when ${at("is_label_known")} then ${beginning(at("label"))} end) collate "C")`;

/** The time of the first event of a name, in unix seconds; 0 for the root. */
export const createdOrder = (at: At): string =>
  `(case when ${at("node")} = '${ROOT_NODE}' then 0 else ${at("created_timestamp")} end)`;

/** The time of a name's last registration, in unix seconds; 0 where none is known. */
export const registeredOrder = (at: At): string => `coalesce(${at("registered_timestamp")}, 0)`;

/** Names right under .eth that a registrar or ENSv2 has: no registration is without. */
export const hasRegistrar = (at: At): string =>
  `${at("parent_node")} = '${ETH_NODE}' and (${at("registrar_expiry_timestamp")} is not null or ${at("registry")} is not null)`;

/** In ENSv1: the end of the grace of a .eth name, the expiry of a subname that its parent gave up control of; else null. */
export const expiryOrder = (at: At): string => {
  const emancipated = write(
    isEmancipated,
    asText((name) => at(snakeCase(name)), "null"),
  ).join("");
  return `(case when ${at("parent_node")} = '${ETH_NODE}' then ${at("registrar_expiry_timestamp")} + ${GRACE_PERIOD}
    when ${at("wrapper_owner")} is not null and ${emancipated} then ${at("wrapper_expiry_timestamp")} end)`;
};

/** The orders in which an index has the names of each effective owner, each with the seed of its hash. */
export const heldOrders = { name: 0, expiry: 1 } as const;

/**
 * SQL of a hash of an address: in indexes of 8 bytes, where an address has 42. Each order has hashes of its own, so that one index
 * has a statement's hash, and it is that of its order.
 */
export const holderHash = (address: string, order: keyof typeof heldOrders): string =>
  `hashtextextended(${address}, ${heldOrders[order]})`;
