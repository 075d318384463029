import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const file = "sync-historical/index.js";

export const foundContracts: Change = {
  name: "foundContracts",
  group: "fast",
  problem:
    "Of a thousand and more contracts that a log tells of (a `factory`), the backfill (`sync-historical/index.js`) asks for the logs by their topics only, of all contracts of the chain. It fetches the block of each of these logs, and then leaves out those of other contracts.",
  cost: "On Base unrelated contracts log the events of resolvers by the million. Anyone can give a name a thousand resolvers: for some dollars a stranger makes a first index fetch millions of blocks.",
  remedy: "Logs of other contracts are left out before the blocks are fetched.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that drops logs of contracts that no filter wants before it fetches their blocks.",
  edits: [
    {
      file,
      from: "export const createHistoricalSync = ",
      to: `${importOf("wantedLogsBy", "backfill/wantedLogs.ts")}const wantedLogs = wantedLogsBy({ isAddressFactory, isAddressMatched, isLogFilterMatched });
export const createHistoricalSync = `,
    },
    {
      file,
      from: `            for (const log of logs) {
                const blockNumber = hexToNumber(log.blockNumber);
                if (perBlockLogs.has(blockNumber) === false) {`,
      to: `            const threshold = args.common.options.factoryAddressCountThreshold;
            for (const log of wantedLogs({ logs, filters: logFilters, childAddresses: args.childAddresses, threshold })) {
                const blockNumber = hexToNumber(log.blockNumber);
                if (perBlockLogs.has(blockNumber) === false) {`,
    },
  ],
};
