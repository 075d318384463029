import { registerHooks } from "node:module";

// Loaded into Ponder's process before Ponder (`node --import`).
//
// Ponder 0.17.7 turns `synchronous_commit` off on every connection. A PostgreSQL server that crashes then loses the
// commits of its last half second, and Ponder, which outlives it and knows of no loss, goes on after them: blocks are
// missing for good, silently. Here commits wait for the disk, one for each block or batch, which costs next to nothing.

const careless = "SET synchronous_commit = off;";

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith("/ponder/dist/esm/utils/pg.js")) return loaded;
    const source = String(loaded.source);
    if (!source.includes(careless))
      throw new Error(`Ponder's ${url} is not as expected: see durableCommits.ts`);
    return { ...loaded, source: source.replaceAll(careless, "SET synchronous_commit = on;") };
  },
});
