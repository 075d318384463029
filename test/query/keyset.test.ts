import { PgDialect } from "drizzle-orm/pg-core";
import { sql } from "ponder";
import { expect, test } from "vitest";
import { type Keyset, rangeOf } from "../../src/api/names/query/keyset.ts";

/*
 * For an index to be read in order, the condition must be stated in its own order: see `rangeOf`.
 */

const keys = (direction: "asc" | "desc"): Keyset => [
  { column: sql.raw("registered"), kind: "bigint", direction, isNullable: true },
  { column: sql.raw("node"), kind: "hash", direction },
];

const dialect = new PgDialect();
const orderOf = (direction: "asc" | "desc", name: "values" | "values_after" | "nulls" | "nulls_after") =>
  dialect.sqlToQuery(sql.join(rangeOf(keys(direction), name, [null, null]).order, sql`, `)).sql;

test.each(["asc", "desc"] as const)(
  "the rows without a first key are read in the order of their index, %s",
  (direction) => {
    for (const name of ["values", "values_after", "nulls", "nulls_after"] as const) {
      expect(orderOf(direction, name), name).toBe(`registered ${direction}, node ${direction}`);
    }
  },
);
