import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { createPace } from "./pace.ts";

// Rows leave PostgreSQL as CSV, compressed a little, into files of the folder's disk: the database is busy with them for no
// longer than it takes to read them ({@link createPace}), and DuckDB reads them faster than this process could hand them over.

const FASTEST = 1;

/** Writes the rows of a query into a file. @returns how many there are, as PostgreSQL counts them */
export async function stageRows(client: pg.ClientBase, select: string, file: string): Promise<number> {
  const rows = client.query(copyTo(`COPY (${select}) TO STDOUT (FORMAT csv)`));
  await pipeline(rows, paced, createGzip({ level: FASTEST }), createWriteStream(file));
  return rows.rowCount;
}

async function* paced(pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const pace = createPace();
  for await (const piece of pieces) {
    await pace();
    yield piece;
  }
}
