import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const file = "runtime/events.js";

export const listedContracts: Change = {
  name: "listedContracts",
  group: "fast",
  problem:
    "A contract can be in two entries of the configuration, by its address and by a log that tells of it (a `factory`). `runtime/events.js` then makes two events of each of its logs, and decodes both.",
  cost: "On a layer 2 most logs are of listed resolvers, which its registry names too. The second event of each comes to a handler that only drops it.",
  remedy: "A log is given to the entry that has the contract's address, and to no entry that found it.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that makes one event of a log that two entries of the configuration have.",
  edits: [
    {
      file,
      from: "export const buildEvents = ",
      to: `${importOf("listedBy", "events/listedContracts.ts")}export const buildEvents = `,
    },
    {
      file,
      from: "    for (const log of logs) {\n        const blockNumber = log.blockNumber;",
      to: `    const isListed = listedBy(logEventCallbackIndexes.map((index) => eventCallbacks[index]), { isAddressFactory, isLogFilterMatched });
    for (const log of logs) {
        const blockNumber = log.blockNumber;`,
    },
    {
      file,
      from: `                    ? isAddressMatched({
                        address: log.address,
                        blockNumber,
                        childAddresses: childAddresses.get(filter.address.id),
                    })
                    : true)`,
      to: `                    ? isAddressMatched({
                        address: log.address,
                        blockNumber,
                        childAddresses: childAddresses.get(filter.address.id),
                    }) && isListed(log) === false
                    : true)`,
    },
  ],
};
