import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { heldOrders, holderHash } from "../../../names/rules/nameOrders.ts";
import {
  type Env,
  NONE,
  nameOf,
  type Relation,
  type Row,
  type ScalarField,
  soughtValue,
} from "../table/entity.ts";
import { domainAs } from "../table/rowNames.ts";
import { type Filter, isBoundOf, partsOf } from "./filter.ts";
import { filterSql } from "./filterSql.ts";
import type { ListArguments } from "./listArguments.ts";
import { fieldTerms, type Of, orderTerms } from "./order.ts";
import type { EntityPlan } from "./plan.ts";
import { directed, named, pageSql, placeOf } from "./statement.ts";

/*
 * The names of an account by every role, as wallets ask for them: owner, registrant or wrapped owner. Nearly all are those of
 * which it is the effective owner. These are read in the order of an index until a page is full; the few others, found by their
 * own indexes, are sorted into it.
 */

/** An account, and what a name of its meets: a role of it, or something else that few names do. */
type Held = { account: string; roles: readonly Relation[]; others: readonly Filter[] };

/** What alternatives are, if each is one condition. */
const alternativesOf = (filter: Filter): readonly Filter[] =>
  filter.kind === "or"
    ? filter.of.map((one) => {
        const [only, ...more] = partsOf(one);
        return only === undefined || more.length > 0 ? one : only;
      })
    : [];

const ROLES = ["registryOwner", "registrarOwner", "wrapperOwner"] as const;

const accountIn = (one: Filter): string | undefined =>
  one.kind === "field" && one.field.kind === "relation" && one.field.role && one.suffix === ""
    ? String(one.values[0])
    : undefined;

/** The account of alternatives that leave only names of it by any role; undefined of others. */
function heldIn(filter: Filter): Held | undefined {
  const all = alternativesOf(filter);
  const ofRoles = all.flatMap((one) => (one.kind === "field" && accountIn(one) !== undefined ? [one] : []));
  const [account = NONE, ...more] = new Set(ofRoles.map(accountIn));
  const roles = ofRoles.map(({ field }) => field as Relation);
  const hasAll = ROLES.every((role) => roles.some((one) => one.role === role));
  if (account === NONE || more.length > 0 || !hasAll) return undefined;
  return { account, roles, others: all.filter((one) => accountIn(one) === undefined) };
}

/** Parts of the order in which all entities of a filter are, each by itself; one without a condition if none is said. */
function partsOfOrder(filter: Filter, field: ScalarField): readonly Filter[] {
  const isNone = (one: Filter): boolean =>
    one.kind === "field" && one.field === field && one.suffix === "null";
  const parts = partsOf(filter);
  const compared = parts.filter((one) => isBoundOf(one, field));
  if (compared.length > 0) return [{ kind: "and", of: compared }];
  const either = parts
    .map(alternativesOf)
    .find((all) => all.length === 2 && all.some((one) => isBoundOf(one, field)) && all.some(isNone));
  return either ?? [{ kind: "and", of: [] }];
}

/** A page of an account's names; undefined for other lists, or if no index has the order. */
export function heldStatement(plan: EntityPlan, list: ListArguments, env: Env): SQL | undefined {
  const { order, filter, direction } = list;
  const field = order?.kind === "own" && order.field.kind === "scalar" ? order.field : undefined;
  if (field?.heldOrder === undefined || env.ensv2 !== undefined || !plan.entity.isRowOfDomains)
    return undefined;
  const held = partsOf(filter)
    .map(heldIn)
    .find((one) => one !== undefined);
  if (held === undefined) return undefined;
  const of = placeOf(plan, env);
  const inOrder: Of = { ...of, env: { ...env, reading: "whole" } };
  const { values, names } = named([...fieldTerms(field, inOrder), ...orderTerms(list, of).slice(-1)]);
  const row = sql.identifier(nameOf(of.row));
  const source = sql`select *, ${values} from ${domain} as ${row} where`;
  // `is true`: no other index looks as if it led to fewer names.
  const met = sql`(${plan.entity.where(of.row, env)} and ${filterSql(filter, of)}) is true`;
  const end = sql`order by ${directed(names, direction)} limit ${sql.raw(String(list.first + list.skip))}`;
  const owned = partsOfOrder(filter, field).map(
    (part) =>
      sql`(${source} ${isOwner(of.row, held, { env, field })} and ${filterSql(part, inOrder)} and ${met} ${end})`,
  );
  const from = sql`(${sql.join([...owned, sql`${source} ${isOther(of, held)}`], sql` union all `)}) as ${row}`;
  return pageSql(plan, list, of, { from, terms: names.map((name) => sql`${row}.${name}`) });
}

/** The account is the effective owner. */
function isOwner(row: Row, { account }: Held, { env, field }: { env: Env; field: ScalarField }): SQL {
  if (field.heldOrder === undefined) throw new Error("Invariant(subgraph): no index has the order");
  const sought = soughtValue(sql`${account}::text`, env);
  const owner = `"${nameOf(row)}"."effective_owner_address"`;
  const seed = sql.raw(String(heldOrders[field.heldOrder]));
  return sql`${sql.raw(holderHash(owner, field.heldOrder))} = hashtextextended(${sought}, ${seed})
    and coalesce(${sql.raw(owner)}, '') = ${sought}`;
}

/** A name is the account's, and it is not the effective owner: each way has an index of these alone. */
function isOther(of: Of, { account, roles, others }: Held): SQL {
  const row = domainAs(nameOf(of.row));
  const sought = soughtValue(sql`${account}::text`, of.env);
  const owner = row.effectiveOwnerAddress;
  const ways = roles.flatMap(({ role }) =>
    role === undefined ? [] : [sql`(${row[role]} = ${sought} and ${row[role]} is distinct from ${owner})`],
  );
  const all = [...ways, ...others.map((one) => filterSql(one, of))];
  return sql`(${sql.join(all, sql` or `)}) and ${owner} is distinct from ${sought}`;
}
