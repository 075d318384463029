import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Condition } from "../../ens/condition.ts";
import { type DomainColumn, write } from "./conditionText.ts";
import { shifted, type Time } from "./time.ts";

/**
 * A condition on a row of `domains`, in a statement of Drizzle; without `now` only if it does not depend on the time.
 *
 * @example db.select().from(domain).where(toSql(lapsed, now))
 */
export const toSql = (condition: Condition<DomainColumn>, now?: Time): SQL<boolean> =>
  sql.join(
    write<SQL>(condition, {
      column: (name) => sql`${domain[name as DomainColumn]}`,
      time: (seconds) => sql`${shifted(required(now), Number(seconds))}`,
      value: (value) => sql`${value}`,
    }).map((part) => (typeof part === "string" ? sql.raw(part) : part)),
  ) as SQL<boolean>;

function required(now: Time | undefined): Time {
  if (now === undefined) throw new Error("The condition depends on the time, and none was given");
  return now;
}
