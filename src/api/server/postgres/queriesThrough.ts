import { sql } from "drizzle-orm";
import type { Queries } from "./client.ts";
import type { Db } from "./db.ts";

/** Queries whose text has `$1`, `$2` …, through the database of a request. */
export const queriesThrough = (db: Db): Queries => ({
  query: async (text, values = []) => {
    const pieces = text.split(/\$(\d+)/).map((piece, index) =>
      // Every other piece is the number of a value.
      index % 2 === 0 ? sql.raw(piece) : sql`${sql.param(values[Number(piece) - 1])}`,
    );
    return (await db.execute(sql.join(pieces))).rows as never;
  },
});
