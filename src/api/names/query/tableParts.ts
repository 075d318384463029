import type { ensv2Role, operator, recordDelegate, tokenApproval } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";
import type { Db } from "../../server/postgres/db.ts";
import type { ListPart, Place, Slice } from "./sections.ts";

/*
 * Parts of lists that are rows of one table, in the order of its keys.
 */

/** A key of an order, and how the text of a place is read. */
type Key = { column: SQLWrapper; read: (text: string) => SQL };

export const textKey = (column: SQLWrapper): Key => ({ column, read: (text) => sql`${text}::text` });

/** Who wrote a cursor himself may have written anything. */
const wholeNumber = (text: string, longest: number) =>
  /^[0-9]+$/.test(text) && text.length <= longest ? text : "0";

export const integerKey = (column: SQLWrapper): Key => ({
  column,
  read: (text) => sql`${wholeNumber(text, 9)}::int`,
});

export const decimalKey = (column: SQLWrapper): Key => ({
  column,
  read: (text) => sql`${wholeNumber(text, 78)}::numeric`,
});

type Table = typeof operator | typeof tokenApproval | typeof recordDelegate | typeof ensv2Role;

type Listing<Row> = { rank: number; where: SQL; keys: readonly Key[]; placeOf: (row: Row) => Place };

/** A part of a list from one table, in the order of its keys. */
export function partOf<Of extends Table>(
  db: Db,
  table: Of,
  { rank, where, keys, placeOf }: Listing<Of["$inferSelect"]>,
): ListPart<Of["$inferSelect"]> {
  const columns = sql.join(
    keys.map(({ column }) => sql`${column}`),
    sql`, `,
  );
  const isAfter = (after: Place): SQL =>
    sql`(${columns}) > (${sql.join(
      keys.map(({ read }, i) => read(after[i] ?? "")),
      sql`, `,
    )})`;
  const read = async ({ after, offset, limit }: Slice) => {
    const rows = await db
      .select()
      .from(table as Table)
      .where(after === undefined ? where : sql`${where} and ${isAfter(after)}`)
      .orderBy(...keys.map(({ column }) => sql`${column}`))
      .limit(limit)
      .offset(offset);
    return rows.map((row) => ({ row, place: placeOf(row as Of["$inferSelect"]) }));
  };
  const count = async () => {
    const [row] = await db
      .select({ count: sql<number>`count(*)::int` })
      .from(table as Table)
      .where(where);
    return row?.count ?? 0;
  };
  return { rank, read, count };
}
