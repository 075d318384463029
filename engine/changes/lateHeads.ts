import type { Change } from "../change.ts";

export const lateHeads: Change = {
  name: "lateHeads",
  group: "correct",
  problem:
    "`sync-realtime/index.js` takes a head that is not higher than its newest block for a reorganisation, even if it has that very block. Such a head comes where the logs of a block arrive after those of the next one, as those of a large block do.",
  cost: "Blocks that the chain still has are taken back and indexed again. Meanwhile the tables lack them, though Ponder says that it has them.",
  remedy:
    "A head that the node gave before another one, and that is among the blocks when its logs come, changes nothing. A head that the node gives later and that is lower is a reorganisation, as before.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that handles heads in the order in which the node gave them.",
  edits: [
    {
      file: "sync-realtime/index.js",
      from: "                latestFetchedBlock = block;\n                const blockWithEventData = await fetchBlockEventData(block);\n",
      to: `                latestFetchedBlock = block;
                const turn = ++headsGiven;
                const blockWithEventData = await fetchBlockEventData(block);
                blockWithEventData.turn = turn;
`,
    },
    {
      file: "sync-realtime/index.js",
      from: "    const reconcileBlock = async function* (blockWithEventData, blockCallback) {\n",
      to: `    let headsGiven = 0;
    let newestTurn = 0;
    const reconcileBlock = async function* (blockWithEventData, blockCallback) {
        const { turn } = blockWithEventData;
        if (turn < newestTurn && unfinalizedBlocks.some(({ hash }) => hash === blockWithEventData.block.hash)) {
            blockCallback?.(false);
            return;
        }
        newestTurn = Math.max(newestTurn, turn ?? 0);
`,
    },
  ],
};
