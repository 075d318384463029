import type { SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";

/** Unix seconds: as a number, or as a placeholder of a statement that is asked again and again. */
export type Time = number | SQLWrapper;

/** So many seconds after a time, or before it. */
export const shifted = (time: Time, seconds: number): Time =>
  typeof time === "number" ? time + seconds : sql`(${time}::bigint + ${seconds}::bigint)`;
