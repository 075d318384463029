import type { SQL } from "drizzle-orm";
import { sql } from "ponder";

/** Values as one SQL array parameter. They contain no comma, quote or brace: numbers, hexadecimal, or our own identifiers. */
export const arrayOf = (values: readonly (string | number)[], type: "int" | "text"): SQL =>
  sql`${`{${values.join(",")}}`}::${sql.raw(type)}[]`;

/** The same as a literal in the statement's text, for our own identifiers, which are the same for all requests. */
export const writtenArrayOf = (values: readonly (string | number)[], type: "int" | "text"): SQL =>
  sql.raw(`'{${values.join(",")}}'::${type}[]`);

/**
 * Hides a value from the planner, so that all values have one plan. Use this only where that plan suits every value: where indexes
 * find the rows whatever the values are.
 */
export const unseen = (value: SQL): SQL => sql`(select ${value})`;
