import { event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { columnName } from "./aliased.ts";
import {
  columnOf,
  type Entity,
  type Field,
  nameOf,
  none,
  type Relation,
  type Row,
  type Scalar,
  type ScalarField,
} from "./entity.ts";
import { relation, scalar } from "./fields.ts";
import { detailOf } from "./logs.ts";
import { eventAs } from "./rowNames.ts";

/* What fields of events are made of. */

export const logAt = (row: Row) => eventAs(nameOf(row));

export const plainId = (row: Row): SQL => sql`(${logAt(row).blockNumber} || '-' || ${logAt(row).logIndex})`;
export const numberedId = (row: Row): SQL => sql`(${plainId(row)} || '-' || ${logAt(row).ordinal})`;

const INT = /^(0|[1-9]\d{0,8})$/;

const readId = (id: string): (string | number)[] | null => {
  const parts = id.split("-");
  if (parts.length < 2 || parts.length > 3 || !parts.every((part) => INT.test(part))) return null;
  return [Number(parts[0]), Number(parts[1]), Number(parts[2] ?? 0)];
};

export const key: Entity["key"] = {
  columns: (row) => [sql`${logAt(row).blockNumber}`, sql`${logAt(row).logIndex}`, sql`${logAt(row).ordinal}`],
  types: ["int", "int", "int"],
  read: readId,
};

type AddressColumn = "ownerAddress" | "newOwnerAddress" | "toAddress" | "address";

/**
 * An address that logs name. Those that give something have an index, by a hash of the address and the event's name; the zero
 * address is not in it.
 */
export const account = (name: AddressColumn, logged: readonly string[]): Relation => {
  const of = (row: Row): SQL => sql`${logAt(row)[name]}`;
  return relation("Account!", `\`${columnName(name)}\``, of, {
    ...(logged.length > 0 && { isNarrow: true }),
    matches: (row, { values: [value], isNone, texts }, { chainId }) => {
      const isSame = sql`${of(row)} = ${value}`;
      if (isNone || texts === undefined || logged.length === 0) return isSame;
      const named = eventAs("named");
      const hashes = texts.flatMap((text) =>
        logged.map((word) => sql`hashtextextended(${text + word}::text, ${chainId}::bigint)`),
      );
      // The rows' addresses: the planner would join the index with that of all logs of the type, however few logs it leads to.
      const found = sql`select named.ctid from ${event} as named where ${named[name]} <> ${none}
        and hashtextextended(${named[name]} || ${named.eventType}, ${named.chainId}) in (${sql.join(hashes, sql`, `)})`;
      return sql`(${columnOf(row, "ctid")} = any(array(${found})) and ${isSame})`;
    },
  });
};

/** What all events of an interface have. */
export const common = (
  id: (row: Row) => SQL,
  { relation: [name, relation] }: { relation: [string, Relation] },
): Record<string, Field> => ({
  id: scalar("ID!", "`block_number`, `-` and `log_index`", id),
  [name]: { ...relation, isNarrow: true },
  blockNumber: scalar("Int!", "`block_number`", (row) => sql`${logAt(row).blockNumber}`, {
    column: "int8",
    // Indexes have the time.
    order: (row) => sql`${logAt(row).blockTimestamp}`,
  }),
  transactionID: scalar("Bytes!", "`transaction_hash`", (row) => sql`${logAt(row).transactionHash}`, {
    isHex: true,
  }),
});

export const expiryDate = scalar(
  "BigInt!",
  "`expiry_timestamp`",
  (row) => sql`${logAt(row).expiryTimestamp}`,
);
export const fuses = scalar("Int!", "`fuses`", (row) => sql`${logAt(row).fuses}`);
export const detail = (type: Scalar, argument: string, as = argument): ScalarField =>
  scalar(`${type}!`, `\`${argument}\` of the log`, (row) =>
    type === "BigInt" ? sql`${detailOf(row, as)}::numeric` : detailOf(row, as),
  );
