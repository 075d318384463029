import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const multichain = "runtime/multichain.js";

export const blockJournal: Change = {
  name: "blockJournal",
  group: "correct",
  problem:
    "Ponder writes how far each chain is (`runtime/multichain.js`), and no block's hash. A reorganisation changes rows of all chains and not that note, nothing tells of it, and handlers never see a block without logs.",
  cost: "Nothing tells of which blocks an answer is. Between a reorganisation and the next block the note speaks of rows that are not there.",
  remedy:
    "The table `blocks` has each block that the tables stand on. It is written in the transaction of the block's rows, and corrected in those of a reorganisation (`runtime/realtime.js` gives both the block) and of a start (`database/index.js`). Each of these commits tells listeners.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that stores number, hash and parent of each block in the transaction of its rows, and takes them back with the rows.",
  edits: [
    {
      file: "runtime/realtime.js",
      from: "                    blockCallback: event.blockCallback,\n                };",
      to: "                    blockCallback: event.blockCallback,\n                    block: event.block,\n                };",
      times: 3,
    },
    {
      file: "database/index.js",
      from: "export const createDatabase = ",
      to: `${importOf("recoverBlocks", "blocks/blockJournal.ts")}export const createDatabase = `,
    },
    {
      file: "database/index.js",
      from: "                    await crashRecovery(tx, { table });\n                }\n",
      to: "                    await crashRecovery(tx, { table });\n                }\n                await recoverBlocks(tx, namespace.schema, crashRecoveryCheckpoint);\n",
    },
    {
      file: multichain,
      from: "export async function runMultichain(",
      to: `${importOf("createBlockJournal, isUndoneByPonder", "blocks/blockJournal.ts")}export async function runMultichain(`,
    },
    {
      file: multichain,
      from: "    const perChainSync = new Map();\n    const seconds = {};",
      to: "    const perChainSync = new Map();\n    const journal = createBlockJournal(namespaceBuild.schema, crashRecoveryCheckpoint);\n    const seconds = {};",
    },
    {
      file: multichain,
      from: '                common.metrics.ponder_historical_transform_duration.inc({ step: "finalize" }, endClock());',
      to: `                await journal.addRange(tx, {
                    chainId, from: blockRange[0], to: Number(decodeCheckpoint(checkpoint).blockNumber),
                    progress: perChainSync.get(chain).syncProgress,
                });
                common.metrics.ponder_historical_transform_duration.inc({ step: "finalize" }, endClock());`,
    },
    {
      file: multichain,
      from: "    const tables = Object.values(schemaBuild.schema).filter(isTable);\n",
      to: `    const tables = Object.values(schemaBuild.schema).filter(isTable).filter((table) => isUndoneByPonder(getTableName(table)));
    await database.userQB.transaction((tx) => journal.endBackfill(tx, perChainSync));
`,
    },
    {
      file: multichain,
      from: `                        await tx.wrap({ label: "update_checkpoints" }, (db) => db
                            .update(PONDER_CHECKPOINT)`,
      to: `                        await journal.add(tx, event.chain.id, event.block);
                        await tx.wrap({ label: "update_checkpoints" }, (db) => db
                            .update(PONDER_CHECKPOINT)`,
    },
    {
      file: multichain,
      from: '                common.logger.info({\n                    msg: "Indexed block",',
      to: '                journal.committed();\n                common.logger.info({\n                    msg: "Indexed block",',
    },
    {
      file: multichain,
      from: "                    const counts = await revertMultichain(tx, {",
      to: `                    await journal.takeBack(tx, {
                        chainId: event.chain.id, number: Number(decodeCheckpoint(event.checkpoint).blockNumber),
                        checkpoint: event.checkpoint, tables: tables.map(getTableName),
                    });
                    const counts = await revertMultichain(tx, {`,
    },
    {
      file: multichain,
      from: '                common.logger.info({\n                    msg: "Reorged block",',
      to: '                journal.committed();\n                common.logger.info({\n                    msg: "Reorged block",',
    },
    {
      file: multichain,
      from: '                common.logger.info({\n                    msg: "Finalized block",',
      to: '                await journal.finalize(database.userQB, event.chain.id);\n                common.logger.info({\n                    msg: "Finalized block",',
    },
  ],
};
