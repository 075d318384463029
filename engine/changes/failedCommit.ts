import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const file = "runtime/multichain.js";

/** How the text of a transaction of handlers begins, with how far its chain is once it is stored. */
const begin = (chain: string, checkpoint: string) => `transaction(unlessStored({
            isStored: (tx) => isAt(tx, ${chain}, ${checkpoint}),
            forget: () => { if (indexingCache.overlap?.forgetsRows !== true) { indexingCache.invalidate(); indexingCache.clear(); } },
        }, async (tx) => {`;

export const failedCommit: Change = {
  name: "failedCommit",
  group: "correct",
  problem:
    "Ponder runs the handlers of a batch or a block again if its transaction fails (`runtime/multichain.js`). It forgets the rows of the first run if a handler or a statement failed, but not if only the commit did, or if its reply was lost.",
  cost: "The handlers run on rows that have their own changes already: sums count twice, and what is written only where a value changes is missing for good. A database that ends at such a moment is enough.",
  remedy:
    "Before the handlers run again, the transaction reads how far its chain is. A batch that is stored is not done again; of one that is not, the rows in memory are forgotten.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that forgets its rows after a failed commit, and looks whether the commit was done.",
  edits: [
    {
      file,
      from: "export async function runMultichain(",
      to: `${importOf("unlessStored", "commits/failedCommit.ts")}export async function runMultichain(`,
    },
    {
      file,
      from: "    const PONDER_CHECKPOINT = getPonderCheckpointTable(namespaceBuild.schema);\n",
      to: `    const PONDER_CHECKPOINT = getPonderCheckpointTable(namespaceBuild.schema);
    const isAt = async (tx, chain, checkpoint) => {
        const [row] = await tx.wrap((tx) => tx.select().from(PONDER_CHECKPOINT).where(eq(PONDER_CHECKPOINT.chainName, chain.name)));
        return row?.latestCheckpoint === checkpoint;
    };
`,
    },
    {
      file,
      from: "transaction(async (tx) => {\n            const initialCompletedEvents",
      to: `${begin("chain", "checkpoint")}\n            const initialCompletedEvents`,
    },
    {
      file,
      from: "        }, undefined, context);\n        cachedViemClient.clear();",
      to: "        }), undefined, context);\n        cachedViemClient.clear();",
    },
    {
      file,
      from: 'transaction(async (tx) => {\n                    if (database.userQB.$dialect === "postgres") {',
      to: `${begin("event.chain", "event.checkpoint")}\n                    if (database.userQB.$dialect === "postgres") {`,
    },
    {
      file,
      from: "                }, undefined, context);\n                event.blockCallback?.(true);",
      to: "                }), undefined, context);\n                event.blockCallback?.(true);",
    },
  ],
};
