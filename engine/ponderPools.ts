import { registerHooks } from "node:module";

// Loaded into Ponder's process before Ponder (`node --import`): mends two faults of the database pools of Ponder 0.17.7.

const mends = [
  // `synchronous_commit` is turned off on every connection. A PostgreSQL server that crashes then loses the commits of
  // its last half second, and Ponder, which outlives it and knows of no loss, goes on after them: blocks are missing for
  // good, silently. Here commits wait for the disk, one for each block or batch, which costs next to nothing.
  { careless: "SET synchronous_commit = off;", careful: "SET synchronous_commit = on;" },
  // A connection asks its first question as soon as connecting is over, whether or not there is a connection; and pg,
  // asked over one that the server cut before it was made (a server that is being killed does), never answers. Who waits
  // would wait for ever, and a place in the pool be lost.
  {
    careless: "super.connect(() => {",
    careful: "super.connect((failure) => { if (failure) return callback(failure);",
  },
];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!new URL(url).pathname.endsWith("/ponder/dist/esm/utils/pg.js")) return loaded;
    const source = mends.reduce((text, { careless, careful }) => {
      if (!text.includes(careless)) throw new Error(`Ponder's ${url} is not as expected: see ponderPools.ts`);
      return text.replaceAll(careless, careful);
    }, String(loaded.source));
    return { ...loaded, source };
  },
});
