import type { Change } from "../change.ts";

const indexing = "indexing/index.js";
const multichain = "runtime/multichain.js";
const sync = "sync-realtime/index.js";
const cache = "indexing-store/cache.js";
const bloom = "sync-realtime/bloom.js";
const profile = "indexing-store/profile.js";

/**
 * How many events ahead rows are asked for at once. From a hundred on the time for each event no longer falls, and a query
 * for a hundred keys takes some milliseconds.
 */
const EVENTS_AT_ONCE = 100;
/** Rows of one table that are asked for at once because the handlers' own code (src/indexing/rowsAhead.ts) named them. */
const ROWS_AT_ONCE = 2_000;
/** Ways in which one kind of event needs rows of one table. Beyond them a column's value may not stand for itself. */
const MAX_WAYS = 8;
/** Hashes that are kept: those of a full block, with three topics to a log. */
const KEPT_HASHES = 20_000;

export const largeBlocks: Change = {
  name: "largeBlocks",
  problem:
    "A new block is taken in one turn: `sync-realtime` hashes the address and the topics of all of its logs to compare them with the block's bloom, and `indexing/index.js` asks PostgreSQL for one row after the other, because what its handlers ask for is noted in a backfill only.",
  cost: "A block of 6,000 logs takes 7 s, and the API answers no request for 0.7 s.",
  remedy:
    "The same address or topic is hashed once, the comparison gives others their turn, and the rows of 100 events are asked for at once, by what the events before them needed, and by keys that the handlers' own code computes (`src/indexing/rowsAhead.ts`).",
  upstream: "Not reported as of 2026-11.",
  edits: [
    {
      file: bloom,
      from: "export const isInBloom = (_bloom, input) => {\n    const bloom = hexToBytes(_bloom);\n    const hash = hexToBytes(keccak256(input));",
      to: `const hashes = new Map();
const hashOf = (input) => {
    const known = hashes.get(input);
    if (known !== undefined) return known;
    if (hashes.size >= ${KEPT_HASHES}) hashes.clear();
    const hash = hexToBytes(keccak256(input)).subarray(0, 6);
    hashes.set(input, hash);
    return hash;
};
let last = { hex: "", bytes: new Uint8Array() };
const bytesOf = (hex) => {
    if (last.hex !== hex) last = { hex, bytes: hexToBytes(hex) };
    return last.bytes;
};
export const isInBloom = (_bloom, input) => {
    const bloom = bytesOf(_bloom);
    const hash = hashOf(input);`,
    },
    {
      file: sync,
      from: "            for (const log of logs) {\n                if (isInBloom(block.logsBloom, log.address) === false) {",
      to: `            for (const [index, log] of logs.entries()) {
                if (index % ${EVENTS_AT_ONCE} === ${EVENTS_AT_ONCE - 1}) await new Promise(setImmediate);
                if (isInBloom(block.logsBloom, log.address) === false) {`,
    },
    // Keys whose columns the event does not have (a version, the coin type of ether) were never asked for ahead.
    {
      file: profile,
      from: "        if (pattern === undefined) {\n            globalThis.DISABLE_EVENT_PROXY = false;\n            return undefined;\n        }\n        result[js] = pattern;",
      to: `        const isNumber = typeof value === "number" || typeof value === "bigint";
        if (pattern === undefined && (isNumber === false || hints.length >= ${MAX_WAYS})) {
            globalThis.DISABLE_EVENT_PROXY = false;
            return undefined;
        }
        result[js] = pattern ?? { type: "constant", value };`,
    },
    {
      file: profile,
      from: "    for (const [key, _pattern] of Object.entries(pattern)) {\n        if (",
      to: `    for (const [key, _pattern] of Object.entries(pattern)) {
        if (_pattern.type === "constant") {
            result[key] = _pattern.value;
        } else if (`,
    },
    // Keys that are computed from an event, as the node of a name is, come from the handlers' own code.
    {
      file: cache,
      from: "            for (const event of events) {\n                if (profile.has(event.eventCallback.name)) {",
      to: `            for (const event of events) {
                for (const [table, key] of globalThis.namedexRowsAhead?.(event) ?? []) {
                    const rows = prediction.get(table);
                    if (cache.get(table).isCacheComplete || rows.size >= ${ROWS_AT_ONCE}) continue;
                    rows.set(getCacheKey(table, key, primaryKeyCache), key);
                }
                if (profile.has(event.eventCallback.name)) {`,
    },
    {
      file: multichain,
      from: "                    indexingCache.prefetch({ events: event.events }),",
      to: `                    indexingCache.prefetch({ events: event.events.slice(0, ${EVENTS_AT_ONCE}) }),`,
    },
    {
      file: indexing,
      from: `            for (let i = 0; i < events.length; i++) {
                const event = events[i];
                client.event = event;
                await executeEvent(event);`,
      to: `            for (let i = 0; i < events.length; i++) {
                const event = events[i];
                if (i > 0 && i % ${EVENTS_AT_ONCE} === 0) {
                    await new Promise(setImmediate);
                    await indexingCache.prefetch({ events: events.slice(i, i + ${EVENTS_AT_ONCE}) });
                }
                client.event = event;
                indexingCache.event = event;
                await executeEvent(event);`,
    },
  ],
};
