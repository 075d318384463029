import type { SQL } from "drizzle-orm";
import { sql } from "ponder";

/** Values as one array in SQL. The values hold no comma, quote or brace: numbers, hexadecimal, and words of ours. */
export const arrayOf = (values: readonly (string | number)[], type: "int" | "text"): SQL =>
  sql`${`{${values.join(",")}}`}::${sql.raw(type)}[]`;
