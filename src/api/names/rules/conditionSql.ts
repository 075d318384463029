import { domain } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";
import type { Condition } from "../../../ens/condition.ts";
import type { Lifetime } from "./availability.ts";
import { type DomainColumn, write } from "./conditionText.ts";
import { shifted, type Time } from "./time.ts";
import { isUnseenSql } from "./unseenSql.ts";

/** Columns that conditions in statements may name. `isUnseen` is looked up in the ENSv2 tables. */
export type StatementColumn = DomainColumn | keyof Pick<Lifetime, "isUnseen">;

/**
 * A condition on a row of `domains`, for a Drizzle statement. `now` may be left out only if the condition does not depend on the
 * time. Columns are those of the table, unless the statement names the row differently.
 *
 * @example db.select().from(domain).where(toSql(lapsed, now))
 */
export const toSql = (
  condition: Condition<StatementColumn>,
  now?: Time,
  columns: Readonly<Record<DomainColumn, SQLWrapper>> = domain,
): SQL<boolean> =>
  sql.join(
    write<SQL>(condition, {
      column: (name) => sql`${columns[name as DomainColumn]}`,
      time: (seconds) => sql`${shifted(required(now), Number(seconds))}`,
      value: (value) => sql`${value}`,
      named: ({ name, values: [ethRegistry] }) =>
        name === "isUnseen" ? isUnseenSql(String(ethRegistry)) : undefined,
    }).map((part) => (typeof part === "string" ? sql.raw(part) : part)),
  ) as SQL<boolean>;

function required(now: Time | undefined): Time {
  if (now === undefined) throw new Error("The condition depends on the time, and none was given");
  return now;
}
