import type pg from "pg";
import { CommandError } from "../commandLine/command.ts";

/** Hashes of which an index lacks the text. */
export type Lacking = {
  count: number;
  has: (hash: Buffer) => boolean;
};

/** The indexer holds no more labels in memory either (`src/api/labels/packedLabels.ts`). */
export const MAX_LACKING = 5_000_000;

const HASH_BYTES = 32;
const ROWS_AT_ONCE = 20_000;

/**
 * Reads the hashes that the names of an index show: all chains', at every depth. They are held in 40 bytes each.
 *
 * @throws CommandError if there are more than 5 million: memory would be without bound
 */
export async function readLacking(client: pg.ClientBase, schema: string): Promise<Lacking> {
  let slots = Buffer.alloc(1_024 * HASH_BYTES);
  let count = 0;
  const room = () => slots.length / HASH_BYTES;
  const slotOf = (hash: Buffer): number => {
    let slot = hash.readUInt32BE(0) % room();
    for (;;) {
      const from = slot * HASH_BYTES;
      // No label hashes to zero, as far as anyone knows: such a slot is free.
      if (slots.readUInt32BE(from) === 0 && slots.readBigUInt64BE(from) === 0n) return -1 - slot;
      if (hash.compare(slots, from, from + HASH_BYTES) === 0) return slot;
      slot = (slot + 1) % room();
    }
  };
  const add = (hash: Buffer): void => {
    const slot = slotOf(hash);
    if (slot >= 0) return;
    hash.copy(slots, (-1 - slot) * HASH_BYTES);
    count++;
    if (count * 2 > room()) grow();
  };
  const grow = (): void => {
    const old = slots;
    slots = Buffer.alloc(old.length * 2);
    for (let from = 0; from < old.length; from += HASH_BYTES) {
      const hash = old.subarray(from, from + HASH_BYTES);
      if (hash.readBigUInt64BE(0) !== 0n) hash.copy(slots, (-1 - slotOf(hash)) * HASH_BYTES);
    }
  };
  for await (const hash of hashesOf(client, schema)) {
    if (hash.readBigUInt64BE(0) !== 0n) add(hash);
    if (count > MAX_LACKING) {
      throw new CommandError(
        `The index "${schema}" lacks the text of more than ${MAX_LACKING} labels, which this program cannot hold.`,
      );
    }
  }
  return { count, has: (hash) => slotOf(hash) >= 0 };
}

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
