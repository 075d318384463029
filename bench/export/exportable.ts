import type pg from "pg";
import { reorgTableOf } from "../../engine/restorePoint.ts";
import { readTables } from "../../test/query/dictionary.ts";
import { setTableNames } from "../../test/support/ponderState.ts";

/**
 * Makes the generated tables an index as an indexer leaves it when all that it has is final: programs find its tables by
 * Ponder's notes. Gives what takes the notes away again.
 */
export async function makeExportable(pool: pg.Pool): Promise<() => Promise<void>> {
  const names = readTables().map(({ name }) => name);
  for (const name of names) {
    await pool.query(
      `create table if not exists "${reorgTableOf(name)}" (like "${name}", operation_id int, operation int,
         checkpoint varchar(75))`,
    );
  }
  await setTableNames(pool, names);
  return async () => {
    await setTableNames(pool, []);
    for (const name of names) await pool.query(`drop table if exists "${reorgTableOf(name)}"`);
  };
}
