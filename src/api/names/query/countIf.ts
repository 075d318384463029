import type { SQL } from "drizzle-orm";
import { sql } from "ponder";

/** How many rows of a statement meet a condition. */
export const countIf = (condition: SQL): SQL<number> =>
  sql<number>`(count(*) filter (where ${condition}))::int`;
