import type { Change } from "../change.ts";

export const failedConnect: Change = {
  name: "failedConnect",
  group: "correct",
  problem:
    "In `utils/pg.js` a new connection sends its first query without a look at whether connecting failed. If the server cut the connection while it was being made, as a server does that is being killed, `pg` never answers that query.",
  cost: "The caller waits forever, and the pool has one place less.",
  remedy: "A connection that failed gives its error to the caller.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release whose pools hand the error of connecting to the caller.",
  edits: [
    {
      file: "utils/pg.js",
      from: "super.connect(() => {",
      to: "super.connect((failure) => { if (failure) return callback(failure);",
      times: 2,
    },
  ],
};
