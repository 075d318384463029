import { domain } from "ponder:schema";
import { sql } from "ponder";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { CONNECTION_SECONDS, prepareIndexPool } from "../../src/api/server/indexState/indexPool.ts";
import { executeNamed, type IndexPool } from "../../src/api/server/postgres/drizzleInternals.ts";
import { frequentNames } from "../../src/api/server/postgres/frequentStatements.ts";
import { openPool } from "../support/database.ts";
import { domainRow } from "./rows.ts";
import { createTables, type Tables } from "./tables.ts";

const plan = { mostNames: 2, afterUses: 3, periodMs: 1_000, mostCounted: 5, longest: 100 };

describe("statement names", () => {
  const times = (count: number, ask: () => string | undefined) => Array.from({ length: count }, ask);

  test("are given to frequent texts and stay the same", () => {
    const nameOf = frequentNames(plan, () => 0);
    const [first, second, third, fourth] = times(4, () => nameOf("select 1"));
    expect([first, second]).toEqual([undefined, undefined]);
    expect(third).toMatch(/^frequent_[\w-]{43}$/);
    expect(fourth).toBe(third);
    expect(nameOf("select 2")).toBeUndefined();
  });

  test("are limited per period, and given again in the next", () => {
    let now = 0;
    const nameOf = frequentNames(plan, () => now);
    const [a, b, c] = ["a", "b", "c"].map((text) => times(5, () => nameOf(text)).at(-1));
    expect([typeof a, typeof b, c]).toEqual(["string", "string", undefined]);
    now = 1_000;
    expect(times(3, () => nameOf("c")).at(-1)).toMatch(/^frequent_/);
    expect(times(3, () => nameOf("a")).at(-1)).toBe(a);
  });

  test("are not given to texts that are long or come after too many others", () => {
    const nameOf = frequentNames(plan, () => 0);
    expect(times(5, () => nameOf("a".repeat(101))).at(-1)).toBeUndefined();
    for (const text of ["1", "2", "3", "4", "5"]) nameOf(text);
    expect(times(5, () => nameOf("6")).at(-1)).toBeUndefined();
    expect(times(3, () => nameOf("5")).at(-1)).toMatch(/^frequent_/);
  });
});

test("a connection to the index is closed after a while, with its prepared statements", async () => {
  const pool = openPool({ connectionString: inject("databaseServerUrl") });
  try {
    prepareIndexPool(pool as unknown as IndexPool);
    expect(pool.options.maxLifetimeSeconds).toBe(CONNECTION_SECONDS);
    pool.options.maxLifetimeSeconds = 0.2;
    const pidOf = async () => (await pool.query("select pg_backend_pid() as pid")).rows[0].pid;
    const first = await pidOf();
    await vi.waitFor(async () => expect(await pidOf()).not.toBe(first), 10_000);
  } finally {
    await pool.end();
  }
});

describe("statements", () => {
  let tables: Tables;
  beforeAll(async () => {
    tables = await createTables();
    await tables.writer.insert(domain).values([domainRow("a.eth"), domainRow("b.eth")]);
  });
  afterAll(() => tables?.drop());

  test("return the same rows with and without a name, and PostgreSQL has the named ones", async () => {
    const nameOf = frequentNames({ ...plan, longest: 10_000 }, () => 0);
    const named = (name: string) =>
      sql`select ${domain.node} as node, 1::bigint as big, array['x'] as list from ${domain} where ${domain.fullName} = ${name}`;
    for (const name of ["a.eth", "b.eth", "a.eth", "b.eth", "c.eth"]) {
      const plainly = (await tables.db.execute(named(name))).rows;
      expect(await executeNamed(tables.db, named(name), nameOf)).toEqual(plainly);
    }
    const { rows } = await tables.db.execute<{ count: number }>(
      sql`select count(*)::int as count from pg_prepared_statements where name like 'frequent_%'`,
    );
    expect(rows).toEqual([{ count: 1 }]);
  });
});
