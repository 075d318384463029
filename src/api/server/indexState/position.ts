import { sql } from "ponder";
import { positionOf, tablesVersionOf } from "../../../../engine/ponderInternals.ts";
import type { Db } from "../postgres/db.ts";
import { prepared } from "../postgres/prepared.ts";

/** One chain's block that the tables represent. */
export type PositionBlock = {
  chainId: number;
  number: number;
  hash: string;
  timestamp: number;
  /** True if no reorganisation goes below the block any more. */
  isFinal: boolean;
};

/** The blocks that the tables represent, in the order of chains; empty before the first one is written. */
export type Position = readonly PositionBlock[];

/** The state that the tables are in. */
export type TablesState = {
  /** Text that no other state has. A chain that comes back to a block is in another state. */
  version: string;
  position: Position;
};

/** Reads which state the tables are in: both parts of one. */
export async function readTablesState(db: Db): Promise<TablesState> {
  const [row] = await tablesState(db).execute();
  return { version: row?.version ?? "", position: row?.position ?? [] };
}

/** A column of any statement: in which state it sees the tables (`TablesState`). */
export const versionColumn = sql<string>`${sql.raw(tablesVersionOf("domains"))}`;

const tablesState = prepared((db) =>
  db
    .select({
      version: versionColumn,
      position: sql<Position | null>`${sql.raw(positionOf())}`,
    })
    .from(sql`(values (true)) as one (row)`)
    .prepare("tables_state"),
);
