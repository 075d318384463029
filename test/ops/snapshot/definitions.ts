import type { Tables } from "../../chain/tables.ts";
import { ask } from "../../support/database.ts";

/**
 * Everything schemas contain, as SQL defines it: columns, indexes, constraints, views, functions,
 * triggers, types.
 */
export async function definitionsOf(databaseUrl: string, schemas: readonly string[]): Promise<string[]> {
  const rows = await ask<{ line: string }>(
    databaseUrl,
    `with ours as (select oid from pg_namespace where nspname in ('${schemas.join("', '")}'))
     select format('column %s.%s %s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull,
       pg_get_expr(adbin, adrelid)) as line
     from pg_attribute join pg_class c on c.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
     where relnamespace in (table ours) and relkind in ('r', 'v') and attnum > 0
     union select pg_get_indexdef(indexrelid) from pg_index join pg_class c on c.oid = indexrelid
     where relnamespace in (table ours) and indisvalid
     union select format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint
     where connamespace in (table ours)
     union select format('view %s %s', oid::regclass, pg_get_viewdef(oid)) from pg_class
     where relnamespace in (table ours) and relkind = 'v'
     union select pg_get_functiondef(oid) from pg_proc where pronamespace in (table ours)
     union select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = tgrelid
     where relnamespace in (table ours) and not tgisinternal
     union select format('type %s %s', enumtypid::regtype, enumlabel) from pg_enum join pg_type on pg_type.oid = enumtypid
     where typnamespace in (table ours)
     union select format('sequence %s', oid::regclass) from pg_class
     where relnamespace in (table ours) and relkind = 'S'
     order by 1`,
  );
  return rows.map(({ line }) => line);
}

/** All rows of these tables as text. */
export async function rowsOf(
  databaseUrl: string,
  schema: string,
  tables: readonly string[],
): Promise<Tables> {
  const read: Tables = new Map();
  for (const table of tables) {
    const statement = `select to_jsonb(t)::text as row from "${schema}"."${table}" t order by 1`;
    const rows = await ask<{ row: string }>(databaseUrl, statement);
    read.set(
      table,
      rows.map(({ row }) => row),
    );
  }
  return read;
}
