import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Condition } from "../../../ens/condition.ts";
import { write } from "../../rules/conditionText.ts";

/** A rule that does not depend on the time, for a row of `domains` by another name. */
export const conditionOn = <Column extends string>(
  row: Record<Column, unknown>,
  condition: Condition<Column>,
): SQL =>
  sql.join(
    write<SQL>(condition as Condition, {
      column: (name) => sql`${row[name as Column]}`,
      time: () => {
        throw new Error("Invariant(subgraph): a rule of the table of types depends on the time");
      },
      value: (value) => sql`${value}`,
    }).map((part) => (typeof part === "string" ? sql.raw(part) : part)),
  );
