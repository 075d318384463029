import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

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

export const largeBlocks: Change = {
  name: "largeBlocks",
  group: "fast",
  problem:
    "A new block is taken in one turn: `sync-realtime` hashes the address and the topics of all of its logs to compare them with the block's bloom, and `indexing/index.js` asks PostgreSQL for one row after the other, because what its handlers ask for is noted in a backfill only.",
  cost: "A block of 6,000 logs takes 7 s, and the API answers no request for 0.7 s.",
  remedy:
    "The same address or topic is hashed once, the comparison gives others their turn, and the rows of 100 events are asked for at once, by what the events before them needed, and by keys that the handlers' own code computes (`src/indexing/rowsAhead.ts`).",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that predicts rows in live blocks too, by keys that the program names, and lets other work in while it reads a block.",
  edits: [
    {
      file: bloom,
      from: "export const isInBloom = (_bloom, input) => {\n    const bloom = hexToBytes(_bloom);\n    const hash = hexToBytes(keccak256(input));",
      to: `${importOf("bloomReader", "liveBlocks/bloom.ts")}const { hashOf, bytesOf } = bloomReader(hexToBytes, keccak256);
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
      from: "export const recordProfilePattern = ",
      to: `${importOf("orConstant", "liveBlocks/constantPattern.ts")}export const recordProfilePattern = `,
    },
    {
      file: profile,
      from: "const pattern = matchEventParameters(event, value);",
      to: "const pattern = orConstant(matchEventParameters(event, value), value, hints);",
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
      from: "export const createIndexingCache = ",
      to: `${importOf("addRowsAhead", "liveBlocks/rowsAhead.ts")}export const createIndexingCache = `,
    },
    {
      file: cache,
      from: "            for (const event of events) {\n                if (profile.has(event.eventCallback.name)) {",
      to: `            for (const event of events) {
                addRowsAhead(event, { prediction, cache, keyOf: (table, key) => getCacheKey(table, key, primaryKeyCache) });
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
