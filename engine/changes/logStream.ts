import type { Change } from "../change.ts";

export const logStream: Change = {
  name: "logStream",
  group: "correct",
  problem:
    "`internal/logger.js` writes its JSON lines to the file descriptor of standard output, past `process.stdout`. So nothing that the configuration loads can look at them, and messages of libraries have the RPC URL in them, key included.",
  cost: "The keys of nodes are in the log, and wherever it is sent.",
  remedy:
    "The lines go through `process.stdout`, where `settings/hideSecrets.ts` reduces URLs to their hosts.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that logs through `process.stdout`, or that keeps URLs of nodes out of its log.",
  edits: [
    {
      file: "internal/logger.js",
      from: "            base: undefined,\n        });",
      to: "            base: undefined,\n        }, process.stdout);",
    },
  ],
};
