import type { Change } from "../change.ts";

export const viewsSchema: Change = {
  name: "viewsSchema",
  group: "correct",
  problem:
    "Where `DATABASE_VIEWS_SCHEMA` is set, Ponder makes the views of that schema over its own tables as soon as a build is ready (`build/index.js` reads the setting).",
  cost: "A new index cannot be built beside the one that analysts read: it takes the views away from it.",
  remedy:
    "Ponder does not see the setting. `npm start` makes the views itself (`ops/release`), and `npm run release` moves them. Only `npm start` and `npm run serve` load this change.",
  upstream:
    "Ponder does this by design. [#2058](https://github.com/ponder-sh/ponder/issues/2058) asks for hooks around it and is open.",
  exit: "A release that lets the program say when the views move to a build, as #2058 asks.",
  edits: [
    {
      file: "build/index.js",
      from: "const viewsSchema = cliOptions.viewsSchema ??",
      to: "const viewsSchema = undefined &&",
    },
  ],
};
