import { inspect } from "node:util";
import { onchainEnum, onchainTable, primaryKey } from "ponder";
import { openStore } from "./openStore.ts";
import { ponderModule } from "./ponders.ts";

// `node storeTrial.ts <database> <seed>`: makes a thousand requests, chosen by the seed, to Ponder's store of rows on real
// tables. Prints everything that it answered, refused, counted and stored. Two stores with equal output behave the same.

const mood = onchainEnum("mood", ["glad", "sad"]);
const simple = onchainTable(
  "simple",
  (t) => ({
    id: t.integer().notNull(),
    node: t.hex().notNull(),
    amount: t.bigint().notNull(),
    at: t.int8({ mode: "number" }).notNull(),
    isKnown: t.boolean().notNull(),
    name: t.text(),
    owner: t.hex(),
    price: t.bigint(),
    size: t.integer(),
    mood: mood("mood"),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.id, t.node, t.amount] }) }),
);
const rich = onchainTable("rich", (t) => ({
  id: t.text().primaryKey(),
  made: t.timestamp(),
  list: t.text().array(),
  facts: t.json(),
  count: t.integer().notNull().default(7),
  tag: t.hex(),
  big: t.int8({ mode: "bigint" }),
  ratio: t.doublePrecision(),
  bytes: t.bytes(),
}));
const schema = { mood, simple, rich };

const [, seed] = process.argv.slice(2);
let state = Number(seed);

/** The next number below a limit. */
function below(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}
const oneOf = <T>(...things: T[]): T => things[below(things.length)] as T;

const hex = () => oneOf("0x", "0xab", "0xAB", "0xabc", "0xÉé", "0x1", "0x00ff") as `0x${string}`;
const text = () =>
  oneOf("", "plain", "a\tb", "back\\slash", "line\nend\r", "nul\0", "\b\v\f", "\\N", "é😀", "𝒳");
const int = () => oneOf(0, -1, 5, 2_147_483_647);
const maybe = <T>(thing: T) => oneOf(thing, thing, null, undefined);

const keyOfSimple = () => ({
  id: below(40),
  node: oneOf("0xaa", "0xAA", "0x0b", "0xb") as `0x${string}`,
  amount: BigInt(below(2)),
});
const restOfSimple = () => ({
  at: int(),
  isKnown: oneOf(true, false),
  name: maybe(text()),
  owner: maybe(hex()),
  price: maybe(oneOf(0n, 2n ** 255n, -1n)),
  size: maybe(int()),
  mood: maybe(oneOf("glad", "sad") as "glad"),
});
const keyOfRich = () => ({ id: oneOf("a", "b\tc", "d\0", "e_f", "") + below(20) });
const restOfRich = () => ({
  made: maybe(new Date(1_700_000_000_000 + below(5))),
  list: maybe([text().replaceAll("\0", ""), "x"]),
  facts: maybe({ a: [below(3), { b: "c" }] }),
  count: oneOf(undefined, undefined, int()),
  tag: maybe(hex()),
  big: maybe(2n ** 60n),
  ratio: maybe(oneOf(0.5, 1e21)),
  bytes: maybe(new Uint8Array([0, 92, 255])),
});

const transcript: string[] = [];
const tell = (...things: unknown[]) =>
  transcript.push(things.map((thing) => inspect(thing, { depth: 9 })).join(" "));

const { createLock } = await ponderModule("utils/mutex.js");

const counted: Record<string, number> = {};
const count =
  (what: string) =>
  (...words: unknown[]) => {
    const key = [what, ...words].join(" ");
    counted[key] = (counted[key] ?? 0) + 1;
  };
const quiet = () => {};
const logger = {
  trace: quiet,
  info: quiet,
  error: quiet,
  child: () => logger,
  debug: ({ msg, table }: Record<string, unknown>) => msg !== "Wrote database rows" && tell(msg, table),
  warn: ({ msg, table }: Record<string, unknown>) => tell(msg, table),
};
const metrics = {
  incrementIndexingStoreQueries: count("query"),
  incrementIndexingCacheRequests: count("cache"),
  ponder_indexing_cache_query_duration: { observe: quiet },
  ponder_indexing_store_raw_sql_duration: { observe: quiet },
};
const options = { indexingCacheMaxBytes: 0 };
const eventCount: Record<string, number> = { Something: 0 };
const open = () => openStore({ schema, eventCount, common: { logger, metrics, options } });

/** Tables with their rows, which have no common type. */
type Kind = { table: object; keyOf: () => object; restOf: () => object; flaw: object };
const kinds: Kind[] = [
  { table: simple, keyOf: keyOfSimple, restOf: restOfSimple, flaw: { isKnown: null } },
  { table: rich, keyOf: keyOfRich, restOf: restOfRich, flaw: { count: null } },
];

/** Reads a row as handlers do, and may write to it. */
function changeOf(found: Record<string, unknown>, rest: object): object {
  tell("found", { ...found });
  if (below(2) === 0) Object.assign(found, { name: "written", facts: null });
  if (below(9) === 0) delete found.name;
  tell(found, "facts" in found, Object.keys(found));
  return below(4) === 0 ? found : rest;
}

/** One of the requests that handlers make. */
async function ask(): Promise<unknown> {
  const { db } = indexingStore;
  const { table, keyOf, restOf, flaw } = oneOf(...kinds);
  const key = keyOf();
  const rest = restOf();
  const row = { ...key, ...rest, ...(below(200) === 0 && flaw) };
  const values = oneOf<unknown>(row, row, [row, { ...keyOf(), ...restOf() }]);
  const change = (found: Record<string, unknown>) => changeOf(found, rest);
  switch (below(10)) {
    case 0:
      return db.insert(table).values(values).onConflictDoNothing();
    case 1:
    case 2:
      return db.insert(table).values(values).onConflictDoUpdate(rest);
    case 3:
    case 4:
      return db.insert(table).values(values).onConflictDoUpdate(change);
    case 5:
      return db.update(table, key).set(rest);
    case 6:
      return db.update(table, key).set(change);
    case 7:
      return below(6) === 0 ? db.delete(table, key) : db.find(table, key);
    case 8: {
      // Without looking for an existing row: a key that is taken shows when rows are written.
      const amount = BigInt(1_000_000 + below(2_000));
      return db.insert(simple).values({ ...keyOfSimple(), ...restOfSimple(), amount });
    }
    default: {
      const found = await db.find(table, key);
      if (found === null) return null;
      tell("written to", change(found), found);
      return db.update(table, key).set(found);
    }
  }
}

/** The log of all requests; Ponder watches whether keys come from it. */
const event = {
  type: "log",
  chain: { id: 1 },
  eventCallback: { name: "Something", filter: {} },
  checkpoint: "",
  event: {
    id: "a",
    args: { id: 1, node: "0xaa", amount: 1n },
    log: { address: "0x0b", logIndex: 2 },
    block: { number: 5n, timestamp: 7n, hash: "0x12", miner: "0x34" },
    transaction: { hash: "0x56", from: "0x78", to: null, transactionIndex: 0 },
  },
};

/** The requests of one batch of events; everything is written at its end. */
async function askSome(): Promise<void> {
  for (let i = below(400); i >= 0; i--) {
    eventCount.Something = (eventCount.Something ?? 0) + 1;
    indexingCache.event = event;
    try {
      tell("answer", await ask());
    } catch (error) {
      tell("refused", String(error), (error as { meta?: unknown }).meta);
    }
  }
}

/** Fills a store and reduces its room until it drops a table: that shows how it counts bytes. */
async function countBytes(): Promise<void> {
  const { pool, indexingCache, indexingStore, batch } = await open();
  await batch(async () => {
    for (const { table, keyOf, restOf } of kinds) {
      for (let i = 0; i < 60; i++) {
        const row = { ...keyOf(), ...restOf() };
        await indexingStore.db.insert(table).values(row).onConflictDoNothing();
      }
    }
  });
  options.indexingCacheMaxBytes = 40_000;
  for (const { length } = transcript; transcript.length === length; options.indexingCacheMaxBytes--) {
    await indexingCache.prefetch({ events: [] });
  }
  tell("bytes", options.indexingCacheMaxBytes);
  await pool.end();
}

await countBytes();
const { qb, pool, indexingCache, indexingStore, batch } = await open();
for (let i = 0; i < 8; i++) {
  try {
    indexingCache.qb = qb;
    options.indexingCacheMaxBytes = i < 5 ? Number.POSITIVE_INFINITY : 0;
    await indexingCache.prefetch({ events: [event] });
    await batch(askSome);
  } catch (error) {
    tell("failed", String(error));
    indexingCache.invalidate();
    indexingCache.clear();
  }
}
tell(counted);
for (const table of ["simple", "rich"]) {
  tell((await pool.query(`SELECT t::text FROM trial.${table} t ORDER BY 1`)).rows);
}
await pool.end();
console.log(JSON.stringify({ isChanged: "take" in createLock(), transcript }));
