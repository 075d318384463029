import type { Stack } from "../support/stack.ts";

/** All rows of all tables of an index, each as a line of JSON, by table. */
export type Tables = Map<string, string[]>;

const SHOWN = 10;

/**
 * Reads every table that the indexer writes. It omits Ponder's own bookkeeping, whose names begin with `_`, and the maintained
 * counts: they hold zeros of former values, and the time they were taken.
 */
export async function readTables({ sql, schema }: Pick<Stack, "sql" | "schema">): Promise<Tables> {
  const names = await sql<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = $1 and table_type = 'BASE TABLE' and table_name not like '\\_%' and table_name not like 'figures\\_%'
       and table_name not like 'feed\\_%'
       and table_name <> 'blocks'
     order by 1`,
    [schema],
  );
  const tables: Tables = new Map();
  for (const { name } of names) {
    const rows = await sql<{ row: string }>(`select to_jsonb(t)::text as row from "${name}" t order by 1`);
    tables.set(
      name,
      rows.map(({ row }) => row),
    );
  }
  return tables;
}

/** Rows that only one of two indexes has, in readable lines; none if all tables are equal. */
export function differencesOf(is: Tables, should: Tables): string[] {
  const names = [...new Set([...is.keys(), ...should.keys()])];
  return names.flatMap((name) => {
    const [these, those] = [is.get(name) ?? [], should.get(name) ?? []];
    if (these.join("\n") === those.join("\n")) return [];
    return [
      `${name}: ${these.length} rows, should be ${those.length}`,
      ...without(these, those).map((row) => `${name} has ${row}`),
      ...without(those, these).map((row) => `${name} lacks ${row}`),
    ];
  });
}

function without(rows: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return rows.filter((row) => !known.has(row)).slice(0, SHOWN);
}
