import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkpointTable, metaTable } from "../../engine/ponderInternals.ts";
import { withConnection } from "../../ops/release/connection.ts";
import { makeViews } from "../../ops/release/views.ts";
import { ask, createTestDatabase } from "../support/database.ts";

/**
 * Twelve of these exceed half a second, after which a lock is not waited for, but are less than
 * deadlock detection needs.
 */
const SLOW_MS = 60;
const tables = Array.from({ length: 12 }, (_, index) => `table_${index}`);
const all = [...tables, metaTable, checkpointTable];

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
  for (const schema of ["index_a", "index_b"]) {
    const made = all.map((table) => `CREATE TABLE ${schema}.${table} (id int)`).join("; ");
    await ask(database.url, `CREATE SCHEMA ${schema}; ${made}`);
  }
});
afterAll(() => database?.drop());

/** Moves the views to an index, over a connection on which each statement is slow. */
const moveSlowly = (schema: string) =>
  withConnection({ databaseUrl: database.url, serviceSchema: "namedex_service" }, (connection) =>
    connection.transaction(() =>
      makeViews(
        {
          ...connection,
          query: async (text, values) => {
            await sleep(SLOW_MS);
            return connection.query(text, values);
          },
        },
        { schema, viewsSchema: "namedex", tables },
      ),
    ),
  );

/** Whether a switch has locked this view. */
const isLocked = async (view: string) =>
  (
    await ask(
      database.url,
      `SELECT FROM pg_locks WHERE relation = to_regclass('namedex.${view}') AND mode = 'AccessExclusiveLock' AND granted`,
    )
  ).length > 0;

test("a query that has one view and waits for another is not ended by a switch, however slow the switch", async () => {
  await moveSlowly("index_a");
  const reader = new pg.Client({ connectionString: database.url });
  await reader.connect();
  let crossed = 0;
  try {
    // One of the two is dropped before the other.
    for (const [held, wanted] of [
      [checkpointTable, tables[0] ?? ""],
      [tables[0] ?? "", checkpointTable],
    ] as const) {
      await reader.query(`BEGIN; SELECT FROM namedex.${held}`);
      let code: string | undefined;
      const moving = moveSlowly("index_b").catch((error: { code?: string }) => {
        code = error.code;
      });
      while (code === undefined && !(await isLocked(wanted))) await sleep(5);
      if (code === undefined) {
        crossed++;
        await reader.query(`SELECT FROM namedex.${wanted}`);
      }
      await reader.query("COMMIT");
      await moving;
      expect(code).toBe("55P03"); // lock_not_available: the switch yields and is retried.
    }
  } finally {
    await reader.end();
  }
  expect(crossed).toBeGreaterThan(0);
});
