import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import type { Db } from "../../src/api/postgres/db.ts";
import schema from "../support/ponderSchema.ts";

/** Reads the feed of an index that runs, as its API does. */
export const openFeed = (pool: pg.Pool): Db =>
  drizzle(pool, { schema, casing: "snake_case" }) as unknown as Db;
