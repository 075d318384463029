import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { type Env, NONE, nameOf, type Relation, type ScalarField, soughtValue } from "../table/entity.ts";
import { domainAs } from "../table/rows.ts";
import { type Filter, isBoundOf, partsOf } from "./filter.ts";
import { filterSql, relationIs } from "./filterSql.ts";
import type { ListArguments } from "./listArguments.ts";
import { type Of, orderTerms } from "./order.ts";
import type { EntityPlan } from "./plan.ts";
import { directed, named, type PageParts, pageSql, placeOf } from "./statement.ts";

/*
 * The registrations of an account in the order of their time or expiry. Nearly all are of names of which it is the effective
 * owner, too: these are read in the order of an index until a page is full. The few others, found by an index of such names alone,
 * are sorted into it.
 */

/** Whose registrations a list has: what leads to the account, and its id. */
type Owned = { by: Relation; account: string };

/** The account of a list of registrations; undefined of others. */
function ownedIn({ entity }: EntityPlan, filter: Filter): Owned | undefined {
  for (const one of partsOf(filter)) {
    const isOne = one.kind === "field" && one.field.kind === "relation" && one.suffix === "";
    if (isOne && one.field === entity.fields.registrant && one.values[0] !== NONE)
      return { by: one.field as Relation, account: String(one.values[0]) };
  }
  return undefined;
}

/** A page of an account's registrations; undefined of a list that is none, or whose order no index has. */
export function ownedStatement(plan: EntityPlan, list: ListArguments, env: Env): SQL | undefined {
  const owned = ownedIn(plan, list.filter);
  const of = placeOf(plan, env);
  const parts = owned && ownedParts(owned, list, of);
  return parts && pageSql(plan, list, of, parts);
}

/** Where the registrations of an account are, in the order of a list; undefined where no index has it. */
export function ownedParts(
  { by, account }: Owned,
  list: ListArguments,
  of: Of,
): Pick<PageParts, "from" | "terms"> | undefined {
  const { order, filter, direction } = list;
  const { entity, row, env } = of;
  const field = order?.kind === "own" && order.field.kind === "scalar" ? order.field : undefined;
  if (by.isOfHolder !== true || field?.ownedOrder === undefined || env.ensv2 !== undefined) return undefined;
  const name = sql.identifier(nameOf(row));
  const d = domainAs(nameOf(row));
  const sought = soughtValue(sql`${account}::text`, env);
  const { values, names } = named(orderTerms(list, of));
  const source = sql`select *, ${values} from ${domain} as ${name} where`;
  const isHeld = relationIs(by, of, { values: [sought], isNone: false });
  // `is true`: no other index looks as if it led to fewer names.
  const met = sql`(${entity.where(row, env)} and ${isHeld} and ${filterSql(filter, of)}) is true`;
  const column = d[field.ownedOrder];
  const inOrder: ScalarField = { ...field, value: () => column };
  const bounds = partsOf(filter).flatMap((one) =>
    isBoundOf(one, field) ? [{ ...one, field: inOrder }] : [],
  );
  const isWithin = filterSql({ kind: "and", of: bounds as Filter[] }, of);
  const owner = sql`${d.effectiveOwnerAddress} = ${sought}`;
  // Also of names without a value: it says which index has them.
  const end = sql`order by ${directed([column, ...names.slice(-1)], direction)} limit ${sql.raw(String(list.first + list.skip))}`;
  const inIndex = sql`(${source} ${owner} and ${column} is not null and ${isWithin} and ${met} ${end})`;
  const without = sql`(${source} ${owner} and ${column} is null and ${met} ${end})`;
  const others = sql`${source} ${isHeld} and ${d.registrarOwner} is distinct from ${d.effectiveOwnerAddress}`;
  return {
    from: sql`(${inIndex} union all ${without} union all ${others}) as ${name}`,
    terms: names.map((one) => sql`${name}.${one}`),
  };
}
