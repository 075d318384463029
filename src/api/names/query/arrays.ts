import type { SQL } from "drizzle-orm";
import { sql } from "ponder";

/** Values as one array in SQL. The values hold no comma, quote or brace: numbers, hexadecimal, and words of ours. */
export const arrayOf = (values: readonly (string | number)[], type: "int" | "text"): SQL =>
  sql`${`{${values.join(",")}}`}::${sql.raw(type)}[]`;

/** The same in the text of a statement: for words of ours, which are the same for all who ask. */
export const writtenArrayOf = (values: readonly (string | number)[], type: "int" | "text"): SQL =>
  sql.raw(`'{${values.join(",")}}'::${type}[]`);

/**
 * A value that PostgreSQL's planner does not see. A prepared statement of such values has one plan for all of them, which PostgreSQL
 * therefore keeps. Only for a plan that is right for all: where rows are found by indexes, whatever the values are.
 */
export const unseen = (value: SQL): SQL => sql`(select ${value})`;
