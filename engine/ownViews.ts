import { registerHooks } from "node:module";

// Loaded into Ponder's process before Ponder (`node --import`).
//
// Ponder 0.17.7 takes the views for itself as soon as a build is ready, wherever DATABASE_VIEWS_SCHEMA is set: a new
// index could not be built beside the one that is read. Here it does not see the setting; src/api/release makes the
// views. Better no start than a start that takes them away: another text than the expected one is an error.

const reading = /(?<=const viewsSchema = )[^;]*DATABASE_VIEWS_SCHEMA(?=;)/g;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith("/ponder/dist/esm/build/index.js")) return loaded;
    const text = String(loaded.source);
    if (text.match(reading)?.length !== 1) {
      throw new Error(
        "This version of Ponder reads the views schema in another way: see src/api/ownViews.ts",
      );
    }
    return { ...loaded, source: text.replace(reading, "undefined") };
  },
});
