import { onchainTable, primaryKey } from "ponder";
import { openStore } from "./openStore.ts";

// `node predictedTrial.ts <database>`: lets Ponder's store learn which parameters of a log lead to a row, and gives it logs whose
// parameters cannot be the key of a row. Prints the outcome.

const text = onchainTable(
  "texts",
  (t) => ({
    chainId: t.integer().notNull(),
    resolver: t.hex().notNull(),
    node: t.hex().notNull(),
    version: t.int8({ mode: "number" }).notNull(),
    coinType: t.bigint().notNull(),
    value: t.text(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.resolver, t.node, t.version, t.coinType] }) }),
);
const schema = { text };

const asked: Record<string, number> = {};
const metrics = {
  incrementIndexingCacheRequests: (_table: string, how: string, count = 1) => {
    asked[how] = (asked[how] ?? 0) + count;
  },
  ponder_indexing_cache_query_duration: { observe: () => {} },
};

/** Counts ten logs of each kind: the store learns from the eleventh. */
const eventCount: Record<string, number> = { Text: 11 };
const {
  qb,
  pool,
  indexingCache: cache,
} = await openStore({ schema, eventCount, isRestarted: true, common: { metrics } });
// Without Ponder's minute of new attempts.
cache.qb = { wrap: (work: (client: unknown) => unknown) => work(qb.raw), raw: qb.raw };

const hash = (of: number) => `0x${of.toString(16).padStart(64, "0")}`;
const RESOLVER = `0x${"ab".repeat(20)}`;
const log = (node: string, params: Record<string, unknown>) => ({
  type: "log",
  chain: { id: 1 },
  eventCallback: { name: "Text", filter: {} },
  checkpoint: "",
  event: {
    id: "a",
    args: { node, ...params },
    log: { address: RESOLVER, logIndex: 3 },
    block: { number: 500n, timestamp: 700n, hash: hash(1), miner: "0x34" },
    transaction: { hash: hash(2), from: "0x78", to: null, transactionIndex: 9 },
  },
});
const keyOf = (node: string) => ({ chainId: 1, resolver: RESOLVER, node, version: 7, coinType: 60n });
const find = (node: string) => cache.get({ table: text, key: keyOf(node) });

/** A key whose numbers a stranger repeats as texts, so that they are taken from these parameters from now on. */
cache.event = log(hash(10), { version: "7", coinType: "60" });
await find(hash(10));
eventCount.Text = 12;

const strange = [
  { version: "hello", coinType: "60" },
  { version: "7\0", coinType: "60" },
  { version: "", coinType: "60" },
  { version: 2n ** 64n, coinType: 60n },
  { version: 7.5, coinType: 60n },
  { version: 7, coinType: 10n ** 80n },
  { version: null, coinType: 60n },
  { version: ["7"], coinType: 60n },
  { version: 7 },
];
const outcomes: string[] = [];
const attempt = (logs: ReturnType<typeof log>[]) =>
  cache.prefetch({ events: logs }).then(
    () => outcomes.push("asked"),
    (error: Error & { cause?: Error }) => outcomes.push(error.cause?.message ?? error.message),
  );
for (const params of strange) await attempt([log(hash(11), params)]);
const nodes = [
  log(`0x${"0".repeat(40)}\0`, { version: 7, coinType: 60n }),
  log(`0x${"0".repeat(9_000)}`, { version: 7, coinType: 60n }),
];
for (const one of nodes) await attempt([one]);

/** More rows than one statement has parameters for; some of them exist. */
const MANY = 14_000;
const there = [hash(100), hash(100 + 7_000), hash(100 + MANY - 1)];
for (const node of there)
  await pool.query("INSERT INTO trial.texts VALUES (1, $1, $2, 7, 60, 'there')", [RESOLVER, node]);
asked.prefetch = 0;
await attempt(Array.from({ length: MANY }, (_, i) => log(hash(100 + i), { version: 7, coinType: 60n })));
const before = { ...asked };
const found = await Promise.all([...there, hash(101)].map(find));
await pool.end();
console.log(
  JSON.stringify({
    outcomes,
    predicted: before.prefetch,
    misses: (asked.miss ?? 0) - (before.miss ?? 0),
    found: found.map((row) => row?.value ?? null),
  }),
);
