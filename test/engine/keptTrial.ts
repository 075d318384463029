import { onchainTable } from "ponder";
import { openStore } from "./openStore.ts";

// `node keptTrial.ts <database>`: writes many rows by Ponder's store, and reads some of them while they are new. Prints which it
// keeps in memory, and its answers afterwards.

const tableOf = (name: string) =>
  onchainTable(name, (t) => ({ id: t.integer().primaryKey(), value: t.text() }));
const found = tableOf("found");
const written = tableOf("written");
const later = tableOf("later");
const few = tableOf("few");
const schema = { found, written, later, few };

const { qb, pool, indexingCache: cache, batch } = await openStore({ schema, eventCount: {} });

/** Number of rows in a batch, and of batches. */
const ROWS = 4_000;
const BATCHES = 4;

/** Writes a row like a handler that adds to it, or without `asks` like one that only appends. */
async function write(of: object, { id, asks }: { id: number; asks: boolean }) {
  const row = { id, value: `row ${id}` };
  const before = asks ? await cache.get({ table: of, key: { id } }) : null;
  cache.set({ table: of, key: { id }, row: { ...before, ...row }, isUpdate: before !== null });
}

for (let done = 0; done < BATCHES; done++) {
  await batch(async () => {
    for (let i = 0; i < ROWS; i++) {
      const id = done * ROWS + i;
      await write(found, { id, asks: true });
      await write(written, { id, asks: false });
      await write(later, { id, asks: false });
      if (i % 5 === 0) await cache.get({ table: later, key: { id: i } });
      if (i < 10) await write(few, { id, asks: false });
    }
  });
}

/** A row that handlers look for before it exists. */
const LOOKED_FOR = 500_000;
await batch(async () => {
  for (const of of Object.values(schema)) await write(of, { id: LOOKED_FOR, asks: true });
});
cache.qb = qb;

const value = async (of: object, id: number) => (await cache.get({ table: of, key: { id } }))?.value ?? null;
/** The store knows without asking the database. */
const isKept = (of: object, id: number) => cache.has({ table: of, key: { id } });

const outcome: Record<string, unknown> = {};
for (const [name, of] of Object.entries(schema)) {
  const kept = [isKept(of, 1), isKept(of, (BATCHES - 1) * ROWS)];
  const ids = [1, (BATCHES - 1) * ROWS + 2, 999_999, LOOKED_FOR];
  const answers = [];
  for (const id of ids) answers.push(await value(of, id));
  const { rows } = await pool.query(`select count(*)::int as count from trial.${name}`);
  outcome[name] = { kept, answers, rows: rows[0].count };
}
await pool.end();
console.log(JSON.stringify(outcome));
