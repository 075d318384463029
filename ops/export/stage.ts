import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { createTurns } from "./turns.ts";

// Rows leave PostgreSQL as CSV, compressed a little, into files of the folder's disk: the database is busy with them for no
// longer than it takes to read them ({@link createTurns}), and DuckDB reads them faster than this process could hand them over.

const FASTEST = 1;

/** Writes the rows of a query into a file. @returns how many there are, as PostgreSQL counts them */
export async function stageRows(client: pg.ClientBase, select: string, file: string): Promise<number> {
  const rows = client.query(copyTo(`COPY (${select}) TO STDOUT (FORMAT csv)`));
  await pipeline(rows, inTurns, createGzip({ level: FASTEST }), createWriteStream(file));
  return rows.rowCount;
}

async function* inTurns(pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const turn = createTurns();
  for await (const piece of pieces) {
    await turn();
    yield piece;
  }
}
