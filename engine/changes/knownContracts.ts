import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const file = "indexing/client.js";

export const knownContracts: Change = {
  name: "knownContracts",
  group: "correct",
  problem:
    "`indexing/client.js` guesses which contracts the handlers will read, from what they read at earlier events, and sends those calls before the handlers run. Any contract can emit such an event, so strangers' contracts are called, which the handlers never do.",
  cost: "With `ARCHIVE_READS`, a stranger decides what the indexer asks of its node: one call for each log, each as expensive as a call may be.",
  remedy: "Only a contract that a handler has read since the start is called ahead of the handlers.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that calls ahead only contracts that handlers have read, or whose configuration turns predicted calls off.",
  edits: [
    {
      file,
      from: "export const createCachedViemClient = ",
      to: `${importOf("ReadContracts", "reads/readContracts.ts")}export const createCachedViemClient = `,
    },
    {
      file,
      from: "    const profileConstantLRU = new Map();\n",
      to: "    const profileConstantLRU = new Map();\n    const readContracts = new ReadContracts();\n",
    },
    {
      file,
      from: "                // Note: prediction only possible when block number is managed by Ponder.\n",
      to: `                readContracts.note(event.chain.id, args);
                // Note: prediction only possible when block number is managed by Ponder.
`,
    },
    {
      file,
      from: `                        prediction.push({
                            ev,
                            request: recoverProfilePattern(pattern, event),
                        });`,
      to: `                        const request = recoverProfilePattern(pattern, event);
                        if (readContracts.has(request)) prediction.push({ ev, request });`,
    },
  ],
};
