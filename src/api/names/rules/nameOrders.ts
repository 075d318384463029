import { ADDR_REVERSE_NODE, ETH_NODE, ROOT_NODE } from "../../../ens/name.ts";
import { GRACE_PERIOD, isEmancipated } from "../../../ens/wrapper.ts";
import { asText, snakeCase, write } from "./conditionText.ts";

/**
 * Orders of all names in subgraph lists, as SQL over a row of `domains`. Indexes and statements share these expressions:
 * PostgreSQL uses an expression index only for exactly that expression.
 */

/** Writes a column of the row. */
export type At = (column: string) => string;

/** Characters of a text in an index. Texts have no length limit, but index entries do. */
export const BEGINNING = 128;

const beginning = (text: string): string => `nullif(left(${text}, ${BEGINNING}), '')`;

/** The beginning of a name in byte order, whatever the locale of the database; null for the root. */
export const nameOrder = (at: At): string => `(${beginning(at("full_name"))} collate "C")`;

/** The same for a name below another one, in a separate index. Such a name is never empty. */
export const nameBelowOrder = (at: At): string => `(left(${at("full_name")}, ${BEGINNING}) collate "C")`;

/** Parents excluded from the index of subnames: most names are below these two, and other indexes have their orders. */
export const PARENTS_OF_MOST: readonly string[] = [ETH_NODE, ADDR_REVERSE_NODE];

/** The predicate of the index of subnames. */
export const isBelowOther = (at: At): string =>
  PARENTS_OF_MOST.map((node) => `${at("parent_node")} <> '${node}'`).join(" and ");

/** The beginning of a label in byte order; null if the label is unknown. */
export const labelOrder = (at: At): string =>
  `((case when ${at("is_label_known")} then ${beginning(at("label"))} end) collate "C")`;

/** The time of a name's first event, in Unix seconds; 0 for the root. */
export const createdOrder = (at: At): string =>
  `(case when ${at("node")} = '${ROOT_NODE}' then 0 else ${at("created_timestamp")} end)`;

/** The time of a name's last registration, in Unix seconds; 0 if unknown. */
export const registeredOrder = (at: At): string => `coalesce(${at("registered_timestamp")}, 0)`;

/** Names directly under .eth that a registrar or ENSv2 has. Every registration is one of them. */
export const hasRegistrar = (at: At): string =>
  `${at("parent_node")} = '${ETH_NODE}' and (${at("registrar_expiry_timestamp")} is not null or ${at("registry")} is not null)`;

/** In ENSv1: the end of grace of a .eth name, or the expiry of a subname whose parent gave up control; otherwise null. */
export const expiryOrder = (at: At): string => {
  const emancipated = write(
    isEmancipated,
    asText((name) => at(snakeCase(name)), "null"),
  ).join("");
  return `(case when ${at("parent_node")} = '${ETH_NODE}' then ${at("registrar_expiry_timestamp")} + ${GRACE_PERIOD}
    when ${at("wrapper_owner")} is not null and ${emancipated} then ${at("wrapper_expiry_timestamp")} end)`;
};

/** The orders in which an index has the names of each effective owner, with the seeds of their hashes. */
export const heldOrders = { name: 0, expiry: 1 } as const;

/**
 * SQL of an address's hash: it takes 8 bytes in an index, where an address takes 42. Each order has its own hashes, so a
 * statement's hash matches exactly one index, which has the statement's order.
 */
export const holderHash = (address: string, order: keyof typeof heldOrders): string =>
  `hashtextextended(${address}, ${heldOrders[order]})`;
