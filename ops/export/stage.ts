import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { type Priority, turnsOf } from "./turns.ts";

// Rows leave PostgreSQL as CSV, compressed a little, into files of the folder's disk: the database is busy with them for no
// longer than it takes to read them ({@link turnsOf}), and DuckDB reads them faster than this process could hand them over.

const FASTEST = 1;

/** Rows to read, where they go, and how to yield to other programs. */
type Staging = { select: string; file: string; priority: Priority };

/** Writes the rows of a query into a file. @returns how many there are, as PostgreSQL counts them */
export async function stageRows(client: pg.ClientBase, { select, file, priority }: Staging): Promise<number> {
  const rows = client.query(copyTo(`COPY (${select}) TO STDOUT (FORMAT csv)`));
  await pipeline(rows, inTurns(priority), createGzip({ level: FASTEST }), createWriteStream(file));
  return rows.rowCount;
}

const inTurns = (priority: Priority) =>
  async function* (pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    const turn = turnsOf(priority);
    for await (const piece of pieces) {
      await turn();
      yield piece;
    }
  };
