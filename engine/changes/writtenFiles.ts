import type { Change } from "../change.ts";

export const writtenFiles: Change = {
  name: "writtenFiles",
  group: "correct",
  problem:
    "`ponder dev` (`build/index.js`) hears that a file changed when it is emptied, reads it at once, and hears nothing of what comes within 50 ms after that.",
  cost: "A file that an editor empties and writes can be taken up empty: the API answers nothing until the next edit.",
  remedy: "A file is taken up when it has not changed for 50 ms.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that takes up what stands in a file at the end of several quick changes.",
  edits: [
    {
      file: "build/index.js",
      from: "server: { hmr: false },",
      to: "server: { hmr: false, watch: { awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 10 } } },",
    },
  ],
};
