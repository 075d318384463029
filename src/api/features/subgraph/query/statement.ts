import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { type Entity, type Env, nameOf, type Relation, soughtValue } from "../table/entity.ts";
import { columnsOf, type Key } from "./columns.ts";
import type { Filter } from "./filter.ts";
import { createNames, filterSql, relationIs } from "./filterSql.ts";
import type { ListArguments } from "./listArguments.ts";
import { type Of, orderInIndex, orderTerms } from "./order.ts";
import type { EntityPlan } from "./plan.ts";

/** A list of entities. */
export const listStatement = (plan: EntityPlan, list: ListArguments, env: Env): SQL =>
  pageSql(plan, list, placeOf(plan, env), {});

/** The same, of the first entities that a filter leaves, in the order of the list. */
export function beginningStatement(
  plan: EntityPlan,
  list: ListArguments,
  env: Env,
  { count, bounds }: { count: number; bounds: Filter },
): SQL {
  const of = placeOf(plan, env);
  const { entity, row } = of;
  const { values, names } = named(orderTerms(list, of));
  const from = sql`(select *, ${values} from ${entity.from(row, env)}
    where ${entity.where(row, env)} and ${filterSql(bounds, of)}
    order by ${directed(names, list.direction)} limit ${sql.raw(String(count))}) as ${sql.identifier(nameOf(row))}`;
  return pageSql(plan, list, of, {
    from,
    terms: names.map((name) => sql`${sql.identifier(nameOf(row))}.${name}`),
  });
}

/** Terms as columns, and the names of these: by the names a statement around them has their order. */
export const named = (terms: readonly SQL[]): { values: SQL; names: SQL[] } => {
  const names = terms.map((_, i) => sql`${sql.identifier(`o${i}`)}`);
  const values = sql.join(
    terms.map((term, i) => sql`${term} as ${names[i]}`),
    sql`, `,
  );
  return { values, names };
};

export const placeOf = ({ entity }: EntityPlan, env: Env): Of => {
  const names = createNames();
  return { row: names.next(), entity, env, names };
};

type PageParts = {
  /** Columns before those of the plan, each with a comma. */
  before?: SQL;
  /** Where the rows are, unless the type says it. */
  from?: SQL;
  /** Conditions besides those of the list. */
  more?: readonly SQL[];
  /** The order, unless it is that of the list. */
  terms?: readonly SQL[];
};

export function pageSql(
  plan: EntityPlan,
  list: ListArguments,
  of: Of,
  {
    before = sql``,
    from = of.entity.from(of.row, of.env),
    more = [],
    terms = orderTerms(list, of),
  }: PageParts,
): SQL {
  const { row, entity, env } = of;
  const { filter, first, skip, direction } = list;
  const conditions = [entity.where(row, env), ...more, filterSql(filter, of)];
  return sql`select ${before} ${columnsOf(plan, row, env)} from ${from}
    where ${sql.join(conditions, sql` and `)} order by ${directed(terms, direction)}
    limit ${sql.raw(String(first))} ${skip === 0 ? sql`` : sql`offset ${skip}`}`;
}

export const directed = (terms: readonly SQL[], direction: ListArguments["direction"]): SQL =>
  sql.join(
    terms.map((term) => sql`${term} ${sql.raw(direction)}`),
    sql`, `,
  );

/** One entity by its key. */
export function oneStatement(plan: EntityPlan, key: Key, env: Env): SQL {
  const { rowOf, isThere } = plan.entity;
  if (rowOf === undefined || isThere === undefined) return keysStatement(plan, [key], env);
  const values = key.map((value, part) => sql`${value}::${sql.raw(plan.entity.key.types[part] ?? "text")}`);
  return sql`select ${columnsOf(plan, rowOf(values), env)} where ${isThere(values, env)}`;
}

/** The entities of some keys. */
export function keysStatement(plan: EntityPlan, keys: readonly Key[], env: Env): SQL {
  const { entity } = plan;
  const wanted = entity.key.types.map((_, part) => sql`wanted.${sql.identifier(`c${part}`)}`);
  const from = wantedKeys(entity, keys);
  if (entity.rowOf !== undefined)
    return sql`select ${columnsOf(plan, entity.rowOf(wanted), env)} from ${from}`;
  const row = createNames().next();
  const isSame = entity.key.columns(row).map((column, part) => sql`${column} = ${wanted[part]}`);
  return sql`select ${columnsOf(plan, row, env)} from ${from} cross join ${entity.from(row, env)}
    where ${entity.where(row, env)} and ${sql.join(isSame, sql` and `)}`;
}

/** A table of keys, each with its position. */
const wantedKeys = ({ key }: Entity, keys: readonly Key[]): SQL => {
  const lists = key.types.map(
    (type, part) => sql`${sql.param(keys.map((one) => one[part]))}::${sql.raw(type)}[]`,
  );
  const names = key.types.map((_, part) => sql.identifier(`c${part}`));
  return sql`unnest(${sql.join(lists, sql`, `)}) with ordinality as wanted (${sql.join(names, sql`, `)}, n)`;
};

/** Of each of some entities, given by their keys, a list of those that lead to it. */
export function belowStatement(
  plan: EntityPlan,
  {
    list,
    via,
    parent,
    keys,
    isNone,
  }: {
    list: ListArguments;
    via: Relation;
    parent: Entity;
    keys: readonly Key[];
    isNone: boolean;
  },
  env: Env,
): SQL {
  const of = placeOf(plan, env);
  const index = orderInIndex(list, { via, entity: plan.entity, ids: keys.map(([id]) => String(id)) });
  const terms = [...(index ? [index.term(of.row)] : []), ...orderTerms(list, of)];
  const leads = (values: readonly SQL[]): SQL[] => [
    relationIs(via, of, { values, isNone }),
    ...(index ? [index.where(of.row)] : []),
  ];
  const [only, ...others] = keys;
  if (only !== undefined && others.length === 0) {
    const values = parent.key.types.map((type, part) =>
      soughtValue(sql`${only[part]}::${sql.raw(type)}`, env),
    );
    return pageSql(plan, list, of, { before: sql`1 as n,`, more: leads(values), terms });
  }
  const more = leads(parent.key.types.map((_, part) => sql`wanted.${sql.identifier(`c${part}`)}`));
  const { values, names } = named(terms);
  const page = pageSql(plan, list, of, { before: sql`${values},`, more, terms: names });
  const outside = names.map((name) => sql`found.${name}`);
  return sql`select wanted.n, found.* from ${wantedKeys(parent, keys)} cross join lateral (${page}) as found
    order by wanted.n, ${directed(outside, list.direction)}`;
}
