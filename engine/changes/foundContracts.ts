import type { Change } from "../change.ts";

export const foundContracts: Change = {
  name: "foundContracts",
  problem:
    "Of a thousand and more contracts that a log tells of (a `factory`), the backfill (`sync-historical/index.js`) asks for the logs by their topics only, of all contracts of the chain. It fetches the block of each of these logs, and then leaves out those of other contracts.",
  cost: "On Base unrelated contracts log the events of resolvers by the million. Anyone can give a name a thousand resolvers: for some dollars a stranger makes a first index fetch millions of blocks.",
  remedy: "Logs of other contracts are left out before the blocks are fetched.",
  upstream: "Not reported as of 2026-11.",
  edits: [
    {
      file: "sync-historical/index.js",
      from: `            for (const log of logs) {
                const blockNumber = hexToNumber(log.blockNumber);
                if (perBlockLogs.has(blockNumber) === false) {`,
      to: `            const childrenOf = (filter) => isAddressFactory(filter.address) ? args.childAddresses.get(filter.address.id) : undefined;
            const isAskedForAll = logFilters.some((filter) => childrenOf(filter)?.size >= args.common.options.factoryAddressCountThreshold);
            const isWanted = (log, blockNumber) => logFilters.some((filter) => isLogFilterMatched({ filter, log }) &&
                (isAddressFactory(filter.address) === false || isAddressMatched({ address: log.address, blockNumber, childAddresses: childrenOf(filter) })));
            for (const log of logs) {
                const blockNumber = hexToNumber(log.blockNumber);
                if (isAskedForAll && isWanted(log, blockNumber) === false) continue;
                if (perBlockLogs.has(blockNumber) === false) {`,
    },
  ],
};
