import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const file = "runtime/multichain.js";

export const failingBlock: Change = {
  name: "failingBlock",
  group: "correct",
  problem:
    "`runtime/multichain.js` tries a block that cannot be indexed again for minutes, and says so in the log only. The API of the same process still says that the index is ready.",
  cost: "Callers get answers of an index that stands still, and operators see nothing until the process ends.",
  remedy:
    "The block, the number of attempts and the reason are noted for the API, which shows them at `/indexing-status` and `/index-metrics`.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release whose `/status`, `/ready` or metrics tell of a block that cannot be indexed while it is tried again.",
  edits: [
    {
      file,
      from: "export async function runMultichain(",
      to: `${importOf("noteFailedBlock, noteIndexed", "failures/failures.ts")}export async function runMultichain(`,
    },
    {
      file,
      from: `                else if (error instanceof NonRetryableUserError === false) {
                    common.logger.warn({
                        msg: "Failed to index block range",`,
      to: `                else if (error instanceof NonRetryableUserError === false) {
                    noteFailedBlock(chain.id, null, error);
                    common.logger.warn({
                        msg: "Failed to index block range",`,
    },
    {
      file,
      from: `                            if (error instanceof NonRetryableUserError === false) {
                                common.logger.warn({
                                    msg: "Failed to index block",`,
      to: `                            noteFailedBlock(chain.id, Number(decodeCheckpoint(checkpoint).blockNumber), error);
                            if (error instanceof NonRetryableUserError === false) {
                                common.logger.warn({
                                    msg: "Failed to index block",`,
    },
    {
      file,
      from: '        common.metrics.ponder_historical_transform_duration.inc({ step: "commit" }, endClock());',
      to: `        noteIndexed(chain.id);
        common.metrics.ponder_historical_transform_duration.inc({ step: "commit" }, endClock());`,
    },
    {
      file,
      from: "                event.blockCallback?.(true);",
      to: "                noteIndexed(event.chain.id);\n                event.blockCallback?.(true);",
    },
  ],
};
