import { type Hex, hexToBytes, keccak256, numberToHex } from "viem";
import { openIndexing } from "../../../test/engine/openIndexing.ts";
import { name, openStore } from "../../../test/engine/openStore.ts";
import { ponderModule } from "../../../test/engine/ponders.ts";
import { printSeconds } from "./print.ts";

// Takes a live block of 3,000 logs: compares their topics with its bloom, and calls a handler for each, which finds a row that
// is in the database only and changes it.

const LOGS = 3_000;
const owner = numberToHex(0xab, { size: 20 });
const nodeOf = (number: number) => numberToHex(number, { size: 32 });
const topicsOf = (number: number) => [owner, nodeOf(1), nodeOf(number), nodeOf(number % 50)];

/** The bloom of a block, whose node sets three bits for each address and topic. */
function bloomOf(inputs: Hex[]): Hex {
  const bloom = Buffer.alloc(256);
  for (const input of inputs) {
    const hash = Buffer.from(hexToBytes(keccak256(input)));
    for (const at of [0, 2, 4]) {
      const bit = hash.readUInt16BE(at) & 0x7ff;
      const byte = 255 - (bit >> 3);
      bloom.writeUInt8(bloom.readUInt8(byte) | (1 << (bit & 7)), byte);
    }
  }
  return `0x${bloom.toString("hex")}`;
}

const eventCount = { "Resolver:Text": 0 };
const { qb, pool, indexingCache, indexingStore, batch } = await openStore({ eventCount, isRestarted: true });
await pool.query(
  `insert into trial.names (node, label, owner, changes, at)
   select '0x' || lpad(to_hex(i), 64, '0'), 'name', $1, 0, 0 from generate_series(0, $2::int) i`,
  [owner, LOGS],
);
const handler = async ({ event, context: { db } }: { event: unknown; context: { db: unknown } }) => {
  const { node } = (event as { args: { node: Hex } }).args;
  const { find, update } = db as typeof indexingStore.db;
  const found = await find(name, { node });
  await update(name, { node }).set({ changes: found.changes + 1 });
};
const { indexing, eventOf } = await openIndexing(handler, { indexingStore, indexingCache, eventCount });
const { isInBloom } = await ponderModule("sync-realtime/bloom.js");

const numbers = Array.from({ length: LOGS }, (_, number) => number);
const bloom = bloomOf(numbers.flatMap(topicsOf));
const events = numbers.map(eventOf);
await printSeconds(async () => {
  for (const number of numbers) {
    for (const topic of topicsOf(number)) if (!isInBloom(bloom, topic)) throw new Error(`no topic ${topic}`);
  }
  indexingCache.qb = qb;
  await indexingCache.prefetch({ events: events.slice(0, 100) });
  await batch(() => indexing.processRealtimeEvents({ events }));
});
