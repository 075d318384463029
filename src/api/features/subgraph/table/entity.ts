import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Address } from "viem";
import type { Contracts, Ensv2Contracts } from "../../../../../abis/contracts.ts";
import { mainChain, type Scope } from "../../../names/query/scope.ts";
import { type heldOrders, PARENTS_OF_MOST } from "../../../names/rules/nameOrders.ts";
import { columnAt } from "./aliased.ts";

/*
 * The words of the table of types. Each type of the subgraph is rows of our tables with a condition, and each field an
 * expression over such a row. Schema, filters, orders, statements and the documentation come from it.
 */

/** Scalars of graph-node. `String` fields of ids are `ID`. */
export type Scalar = "ID" | "String" | "Bytes" | "BigInt" | "Int" | "Boolean";

/** What statements need to know of the deployment. */
export type Env = {
  chains: Scope;
  chainId: number;
  ensv2: Ensv2Contracts | undefined;
  /** Resolvers that answer the default address for Ethereum, where there is no record of it. */
  withDefault: readonly Address[];
  /** Texts that so many rows have that an index which leads to them is no short way: no owner, the NameWrapper, parents of most names. */
  commonValues: ReadonlySet<string>;
  /** The time of the answer, in unix seconds: that of the block which is asked for, else of the request. */
  now: number;
  /** True for a statement whose plan is right for all values: they are written so that no plan can depend on them. */
  hidesValues?: true;
  /**
   * `whole`: no filter leads to a list by an index, so that it is read in the order of one of all entities. `found`: its entities
   * are found first and sorted then, and its order must not look like that of an index.
   */
  reading?: "whole" | "found";
};

export const envOf = (contracts: Contracts, now: number): Env => {
  const { chainId, ensv2 } = contracts;
  const { withDefault } = contracts.resolversOf(chainId);
  const commonValues = new Set([NONE, ...PARENTS_OF_MOST, ...contracts.wrappers]);
  return { chains: mainChain(contracts), chainId, ensv2, withDefault, commonValues, now };
};

/** The name of a row in a statement. Each use of a table in a statement has its own. */
export type Row = string | RowOfKey;

/** A row that follows from a key: its columns are given. */
export type RowOfKey = { readonly columns: Readonly<Record<string, SQL>> };

/** The name of a row of a table. */
export function nameOf(row: Row): string {
  if (typeof row === "string") return row;
  throw new Error("Invariant(subgraph): a row that follows from a key is no row of a table");
}

/** A value of a key, as a parameter of a statement or as `any(…)` of several. */
export type KeyValue = SQL;

/** What a relation is compared with. `isNone`: the zero address. `texts`: the values, if the query has them. */
export type KeyOfRelation = { values: readonly KeyValue[]; isNone: boolean; texts?: readonly string[] };

/** How a field reads on the page: where its value comes from. */
type Described = { /** Where the value comes from, for the documentation. */ source: string };

type HeldOrder = keyof typeof heldOrders;

/** A value of the row itself. */
export type ScalarField = Described & {
  kind: "scalar";
  type: Scalar;
  isRequired: boolean;
  isList?: true;
  value: (row: Row, env: Env) => SQL;
  /** What sorts as the value does, and has an index. */
  order?: (row: Row) => SQL;
  /** Terms that sort like the value, the first of them indexed for all entities; undefined without an index. */
  orderOfAll?: (row: Row, env: Env) => readonly SQL[] | undefined;
  /** Where the text is stored, for filters by an index. */
  stored?: StoredText;
  /** Where an index has the names of each effective owner in the order of `orderOfAll`: which. */
  heldOrder?: HeldOrder;
  /** The type of the column, for numbers. */
  column?: "int8";
  /** True if an index leads to the entities that have a value, and most values have few. */
  isNarrow?: true;
  /** Hexadecimal: in the same order in every locale, so that indexes of any are used. */
  isHex?: true;
  /** True if it never changes while the entity is there. */
  isFixed?: true;
  /** Values that are counted by other means than the statement's expression, because that would take too long. */
  count?: "subdomains";
};

/**
 * Where a text is stored. Indexes have its beginning, that in the order of bytes, and its trigrams.
 */
export type StoredText = {
  column: (row: Row) => SQL;
  /** The condition for the column to be the value; otherwise there is none. */
  isValue: (row: Row) => SQL;
  /** The beginning in the order of bytes. */
  inBytes: (row: Row) => SQL;
  /** Of a name: the field of its first label. Which names begin with a text without a dot is seen by their labels. */
  firstLabel?: string;
};

/** The key of another entity. */
export type Relation = Described & {
  kind: "relation";
  type: string;
  isRequired: boolean;
  /** The columns of the target's key; the first is null without a target. */
  key: (row: Row, env: Env) => SQL[];
  /** The target's id as text. */
  id: (row: Row, env: Env) => SQL;
  /** True if it never changes while the entity is there. */
  isFixed?: true | undefined;
  /** True if the target is the row itself. */
  isOfSameRow?: true;
  /** True if an index leads to the entities of a target, and most targets have few. */
  isNarrow?: true;
  /** The column of `domains` that has the account, where it is an owner or a holder of a name. */
  role?: "registryOwner" | "registrarOwner" | "wrapperOwner";
  /** Orders in which an index has the entities of a target, by the names of their fields. */
  orders?: Readonly<Record<string, OrderOfTarget>>;
  /** True if it follows from records, which at a resolver of ENSv2 can be of many names. */
  isOfRecords?: true;
  /** The target's id at a past block, where the tables know it. */
  idAt?: (row: Row, block: SQL, env: Env) => SQL;
  /** True if time alone can end it: then `idAt` says who it was before. */
  isEndedByTime?: true;
  /** The condition for a key, in the form that an index has. */
  matches?: (row: Row, key: KeyOfRelation, env: Env) => SQL;
};

/** What an index has of the entities of a target: the first term of their order, and the condition, which some targets do not meet. */
export type OrderOfTarget = {
  term: (row: Row) => SQL;
  where: (row: Row) => SQL;
  isOf: (id: string) => boolean;
};

/** The entities whose relation `via` names this one. */
export type Derived = Described & {
  kind: "derived";
  type: string;
  via: string;
  isList: boolean;
  isRequired: boolean;
};

export type Field = ScalarField | Relation | Derived;

/** The key of an entity: the meaning of its id in our tables. */
export type Key = {
  columns: (row: Row) => SQL[];
  types: readonly ("text" | "int")[];
  /** The values of an id; null if no entity can have it. */
  read: (id: string) => (string | number)[] | null;
  /** The id, where it follows from the values. */
  write?: (values: readonly (string | number)[]) => string;
};

/** A type, or an interface of several types that are rows of one table. */
export type Entity = {
  name: string;
  /** The types of an interface; undefined for a type. */
  members?: readonly string[];
  /** The interface of a type. */
  implements?: string;
  /** The condition by which an entity of the interface is of the type. */
  kind?: (row: Row) => SQL;
  description: string;
  /** `table as row`. */
  from: (row: Row, env: Env) => SQL;
  /** Which rows are entities. */
  where: (row: Row, env: Env) => SQL;
  key: Key;
  /** True if an entity of each key that a relation names exists, and has nothing but its id. */
  isBare?: true;
  /** True if it is a log: it never changes, and its id is text of numbers. */
  isLog?: true;
  /** Of logs: which kinds can be of the type, as `REGISTRY NewOwner`. An index has the logs of each kind by time. */
  kinds?: readonly string[];
  /** Where one entity is read by its id more simply than from a list: the condition that there is one of the key. */
  isThere?: (key: readonly SQL[], env: Env) => SQL;
  /** True if it is a row of `domains`, by its node: a domain, its registration and its wrapped name are one row. */
  isRowOfDomains?: true;
  /** The row of a key that a relation names, where there is an entity of every such key: it need not be looked up. */
  rowOf?: (key: readonly SQL[]) => RowOfKey;
  /** The condition that an entity changed since a block. */
  changedSince: (row: Row, block: SQL, env: Env) => SQL;
  /** The node whose logs are all that change the entity. */
  nodeOf?: (row: Row) => SQL;
  /** Which rows are entities or were some, where entities can be gone. */
  whereEver?: (row: Row, env: Env) => SQL;
  /** The condition that the entity's row was there at a block. */
  existedAt?: (row: Row, block: SQL) => SQL;
  /** Where ENSv2 is indexed: the condition that it answers for the entity. */
  isEnsv2?: (row: Row) => SQL;
  fields: Record<string, Field>;
};

/** A field of a row by its names in SQL, for rows of subqueries. */
export function columnOf(row: Row, column: string): SQL {
  if (typeof row === "string") return columnAt(row, column);
  const value = row.columns[column];
  if (value === undefined) throw new Error(`Invariant(subgraph): a row of a key has no ${column}`);
  return value;
}

/** A value by which rows are found. A plan cannot see into a subquery. */
export const soughtValue = (value: SQL, { hidesValues }: Env): SQL =>
  hidesValues === true ? sql`(select ${value})` : value;

export const NONE = `0x${"0".repeat(40)}`;

/** The zero address as SQL, the subgraph's form of no owner. */
export const none = sql.raw(`'${NONE}'`);

/** `transfer` and `transfers`: how the roots of a type are called. */
export const rootOf = ({ name }: Pick<Entity, "name">): { one: string; many: string } => {
  const one = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  return { one, many: `${one}s` };
};

/** Whether what a field leads to is the row itself. */
export const leadsToSameRow = (entity: Entity, field: Relation | Derived, target: Entity): boolean =>
  entity.isRowOfDomains === true &&
  target.isRowOfDomains === true &&
  (field.kind === "derived" ? !field.isList : field.isOfSameRow === true);

/** The id of an entity. */
export const idOf = (entity: Entity): ScalarField => entity.fields.id as ScalarField;

/**
 * The end of a subquery that is answered for each row by an index. Without it the planner can read all that the subquery can
 * have for any row, before it knows how few rows a page needs.
 */
export const ROW_BY_ROW = sql.raw("offset 0");
