import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Derived, Entity, Env, Relation, Row, ScalarField } from "../table/entity.ts";
import type { Filter } from "./filter.ts";
import { combined, createNames, filterSql, linked, type Names, textSql } from "./filterSql.ts";

/* Which entities changed since a block and meet a filter now, or can have met it then. */

/** Whether a field never changes. */
export const isFixed = (field: ScalarField | Relation | Derived): boolean =>
  field.kind !== "derived" && field.isFixed === true;

type Of = { row: Row; entity: Entity; env: Env; names: Names; block: SQL };

/** One row if there is such an entity. */
export function changedStatement(
  { entity, filter, isYoungerLeftOut }: { entity: Entity; filter: Filter; isYoungerLeftOut: boolean },
  { block, nodes, isEnsv2Changed }: { block: number; nodes: readonly string[]; isEnsv2Changed: boolean },
  env: Env,
): SQL {
  const names = createNames();
  const of: Of = { row: names.next(), entity, env, names, block: sql`${block}::int` };
  const { row } = of;
  const isChanged: SQL[] = [];
  if (entity.isLog || entity.nodeOf === undefined)
    isChanged.push(entity.changedSince(row, sql`(${of.block} + 1)`, env));
  else isChanged.push(sql`${entity.nodeOf(row)} = any(${sql.param([...nodes])}::text[])`);
  if (isEnsv2Changed && entity.isEnsv2 !== undefined) isChanged.push(entity.isEnsv2(row));
  const isNow = combined("and", [entity.where(row, env), filterSql(filter, of)]);
  const conditions = [
    combined("or", isChanged),
    ...(entity.whereEver ? [entity.whereEver(row, env)] : [entity.where(row, env)]),
    ...(isYoungerLeftOut && entity.existedAt ? [entity.existedAt(row, of.block)] : []),
    combined("or", [isNow, canHaveMet(filter, of)]),
  ];
  return sql`select from ${entity.from(row, env)} where ${sql.join(conditions, sql` and `)} limit 1`;
}

/** False only if the entity did not meet the filter at the block. */
function canHaveMet(filter: Filter, of: Of): SQL {
  switch (filter.kind) {
    case "and":
    case "or":
      return combined(
        filter.kind,
        filter.of.map((one) => canHaveMet(one, of)),
      );
    case "changed":
    case "existed":
      return sql`true`;
    case "child":
      return canHaveLed(filter, of);
    case "field":
      return fieldAt(filter, of);
  }
}

function canHaveLed({ field, entity, of: inside }: Extract<Filter, { kind: "child" }>, of: Of): SQL {
  const link = field.kind === "derived" ? entity.fields[field.via] : field;
  if (link === undefined || !isFixed(link) || entity.rowOf !== undefined) return sql`true`;
  const row = of.names.next();
  const child = { ...of, row, entity };
  return sql`exists (select from ${entity.from(row, of.env)} where ${linked(field, { parent: of, child })}
    and ${canHaveMet(inside, child)})`;
}

/** Of fields that change the tables know who the owners were. */
function fieldAt(filter: Extract<Filter, { kind: "field" }>, of: Of): SQL {
  const { field, suffix } = filter;
  if (isFixed(field)) return filterSql(filter, of);
  if (field.kind !== "relation" || field.idAt === undefined || suffix.endsWith("null")) return sql`true`;
  const was = textSql(field.idAt(of.row, of.block, of.env), filter);
  const then = field.isEndedByTime ? sql`(${was} or ${textSql(sql`null::text`, filter)})` : was;
  return of.entity.isEnsv2 === undefined ? then : sql`(${of.entity.isEnsv2(of.row)} or ${then})`;
}
