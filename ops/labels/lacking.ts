import type pg from "pg";
import { CommandError } from "../commandLine/command.ts";

/** Hashes whose text an index lacks. */
export type Lacking = {
  count: number;
  has: (hash: Buffer) => boolean;
};

/** A million take 65 MB of memory. */
export const MAX_LACKING = 5_000_000;

const ROWS_AT_ONCE = 20_000;

/**
 * Reads the hashes that the names of an index show: all chains', at every depth.
 *
 * @throws CommandError if there are more than 5 million: memory would be without bound
 */
export async function readLacking(client: pg.ClientBase, schema: string): Promise<Lacking> {
  const hashes = new Set<string>();
  for await (const hash of hashesOf(client, schema)) {
    hashes.add(textOf(hash));
    if (hashes.size > MAX_LACKING) {
      throw new CommandError(
        `The index "${schema}" lacks more than ${MAX_LACKING} labels, too many for this program.`,
      );
    }
  }
  return { count: hashes.size, has: (hash) => hashes.has(textOf(hash)) };
}

/** The shortest text of 32 bytes. */
const textOf = (hash: Buffer): string => hash.toString("latin1");

async function* hashesOf(client: pg.ClientBase, schema: string): AsyncGenerator<Buffer> {
  await client.query("BEGIN READ ONLY");
  try {
    await client.query(
      `DECLARE lacking NO SCROLL CURSOR FOR SELECT decode(substr(labelhash, 3), 'hex') AS hash
       FROM "${schema}".domains WHERE NOT is_label_known AND labelhash IS NOT NULL`,
    );
    for (;;) {
      const { rows } = await client.query<{ hash: Buffer }>(`FETCH ${ROWS_AT_ONCE} FROM lacking`);
      for (const { hash } of rows) yield hash;
      if (rows.length < ROWS_AT_ONCE) return;
    }
  } finally {
    await client.query("ROLLBACK");
  }
}
