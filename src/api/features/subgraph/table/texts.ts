import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import {
  type At,
  isBelowOther,
  labelOrder,
  nameBelowOrder,
  nameOrder,
  PARENTS_OF_MOST,
} from "../../../names/rules/nameOrders.ts";
import { nameOf, type OrderOfTarget, type Row, type ScalarField, type StoredText } from "./entity.ts";
import { scalar } from "./fields.ts";
import { domainAs } from "./rowNames.ts";

/* Names and labels, and where they are stored. The root has neither. */

const domainAt = (row: Row) => domainAs(nameOf(row));

/** An order of `domains` for a row by another name. */
export const orderAt = (row: Row, order: (at: At) => string): SQL =>
  sql.raw(order((column) => `"${nameOf(row)}"."${column}"`));

const notEmpty = (text: SQL): SQL => sql`${text} <> ''`;
const fullName = (row: Row): SQL => sql`${domainAt(row).fullName}`;
const label = (row: Row): SQL => sql`${domainAt(row).label}`;

/** A text that is stored, where a condition holds. */
const textField = (
  stored: Omit<StoredText, "isValue"> & { isKnown?: (row: Row) => SQL },
  source: string,
): ScalarField => {
  const { isKnown, ...where } = stored;
  const value = (row: Row): SQL => {
    const text = sql`nullif(${stored.column(row)}, '')`;
    return isKnown === undefined ? text : sql`case when ${isKnown(row)} then ${text} end`;
  };
  const isValue = (row: Row): SQL => {
    const isThere = notEmpty(stored.column(row));
    return isKnown === undefined ? isThere : sql`${isKnown(row)} and ${isThere}`;
  };
  return scalar("String", source, value, { isFixed: true, isNarrow: true, stored: { ...where, isValue } });
};

const ofAll = (field: ScalarField): ScalarField => ({
  ...field,
  orderOfAll: (row, env) => [field.stored?.inBytes(row) as SQL, sql`${field.value(row, env)} collate "C"`],
});

const nameAt = (row: Row): SQL => orderAt(row, nameOrder);

export const name: ScalarField = {
  ...ofAll(
    textField(
      { column: fullName, inBytes: nameAt, firstLabel: "labelName" },
      "`full_name`, including labels that became known later; null for the root",
    ),
  ),
  heldOrder: "name",
};

/** Names below a name, by the index that has them in the order of names. */
export const belowByName: OrderOfTarget = {
  term: (row) => orderAt(row, nameBelowOrder),
  where: (row) => sql`(${orderAt(row, isBelowOther)})`,
  isOf: (node) => !PARENTS_OF_MOST.includes(node),
};

export const labelName = ofAll(
  textField(
    {
      column: label,
      isKnown: (row) => sql`${domainAt(row).isLabelKnown}`,
      inBytes: (row) => orderAt(row, labelOrder),
    },
    "`label`, if known",
  ),
);

/** The name where all its labels are known. */
export const knownName = textField(
  {
    column: fullName,
    inBytes: nameAt,
    isKnown: (row) => sql`${domainAt(row).isNameKnown}`,
  },
  "`full_name`, if all labels are known",
);
