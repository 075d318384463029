import type { SQL } from "drizzle-orm";
import { sql } from "ponder";

/** Counts the rows of a statement that match a condition. */
export const countIf = (condition: SQL): SQL<number> =>
  sql<number>`(count(*) filter (where ${condition}))::int`;
