import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const cache = "indexing-store/cache.js";

export const keptRows: Change = {
  name: "keptRows",
  group: "correct",
  problem:
    "Ponder keeps every row that it has written in a Map (`indexing-store/cache.js`) until all of them take more than `PONDER_CACHE_BYTES`, also rows that no handler ever asks for, such as those of `events`. A Map of V8 takes 16.8 million entries, and then throws.",
  cost: "Most of the memory of a backfill holds rows that are only written, and V8 moves and marks them. On a machine whose memory holds them all, mainnet's 24 million events end the index (`Map maximum size exceeded`), and each new attempt.",
  remedy:
    "The rows of a table are forgotten once they are written, if handlers ask for its rows less than once for ten that they write. A table of more than 15 million rows is forgotten, too. A key that is not kept is asked of the database, as after Ponder's own eviction.",
  upstream:
    "Not reported as of 2026-11. [#2354](https://github.com/ponder-sh/ponder/pull/2354) is about rows that are only written; it is open.",
  exit: "A release that keeps no rows that are only written, as #2354 proposes, and no more rows of a table than a Map takes.",
  edits: [
    {
      file: cache,
      from: "export const createIndexingCache = ",
      to: `${importOf("noteWritten", "rowStore/keptRows.ts")}export const createIndexingCache = `,
    },
    // The change rowStore counts where it answers by itself.
    {
      file: cache,
      from: "            diskReads: 0,",
      to: "            diskReads: 0,\n            asked: 0,\n            written: 0,\n            isOnlyWritten: false,",
    },
    {
      file: cache,
      from: "            // Note: order is important, it is an invariant that update entries",
      to: `            cache.get(table).asked++;
            // Note: order is important, it is an invariant that update entries`,
    },
    {
      file: cache,
      from: "                        tableCache.cache.set(key, entry.row);",
      to: `                        if (tableCache.isOnlyWritten === false) tableCache.cache.set(key, entry.row);
                        else tableCache.cache.delete(key);`,
      times: 2,
    },
    {
      file: cache,
      from: "                if (insertValues.length > 0 || updateValues.length > 0) {",
      to: `                noteWritten(tableCache, insertValues.length);
                if (insertValues.length > 0 || updateValues.length > 0) {`,
    },
  ],
};
