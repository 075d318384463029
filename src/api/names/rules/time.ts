import type { SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";

/** Unix seconds: a number, or a placeholder of a prepared statement. */
export type Time = number | SQLWrapper;

/** A time shifted by some seconds: later, or earlier if negative. */
export const shifted = (time: Time, seconds: number): Time => {
  if (seconds === 0) return time;
  return typeof time === "number" ? time + seconds : sql`(${time}::bigint + ${seconds}::bigint)`;
};
