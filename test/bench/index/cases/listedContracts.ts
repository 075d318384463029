import { numberToHex, parseAbiItem } from "viem";
import { ponderModule, quietLogger } from "../../../../engine/ponderModule.ts";
import { FACTORY } from "./backfill.ts";
import { printSeconds } from "./print.ts";

// Makes and decodes the events of logs of a resolver that one entry of the configuration lists, and another one found.

const LOGS = 60_000;
const hash = (number: number) => numberToHex(number + 1, { size: 32 });
const address = numberToHex(5, { size: 20 });
const abiItem = parseAbiItem("event AddrChanged(bytes32 indexed node, address a)");
const [{ buildEvents, decodeEvents }, { toEventSelector }] = await Promise.all([
  ponderModule("runtime/events.js"),
  import("viem"),
]);
const chain = { id: 1, name: "base" };
const topic0 = toEventSelector(abiItem);
const callbackOf = (name: string, of: unknown) => ({
  ...{ name, type: "contract", chain, abiItem, metadata: { safeName: name, abi: [abiItem] } },
  filter: {
    ...{ type: "log", chainId: 1, address: of, topic0, topic1: null, topic2: null, topic3: null },
    ...{ fromBlock: undefined, toBlock: undefined, hasTransactionReceipt: false, include: [] },
  },
});
const eventCallbacks = [
  callbackOf("Resolver:AddrChanged", address),
  callbackOf("Found:AddrChanged", FACTORY),
];
const block = { number: 1n, timestamp: 1n, hash: hash(1) };
const transaction = { blockNumber: 1, transactionIndex: 0, hash: hash(2), from: address, to: address };
const logs = Array.from({ length: LOGS }, (_, logIndex) => ({
  ...{ blockNumber: 1, logIndex, transactionIndex: 0, address, removed: false },
  ...{ blockHash: hash(1), transactionHash: hash(2), data: numberToHex(BigInt(address), { size: 32 }) },
  ...{
    topics: [topic0, hash(logIndex), null, null],
    topic0,
    topic1: hash(logIndex),
    topic2: null,
    topic3: null,
  },
}));
const given = {
  ...{
    eventCallbacks,
    blocks: [block],
    logs,
    transactions: [transaction],
    transactionReceipts: [],
    traces: [],
  },
  ...{ childAddresses: new Map([[FACTORY.id, new Map([[address, 0]])]]), chainId: 1 },
};
await printSeconds(async () =>
  decodeEvents({ logger: quietLogger }, chain, eventCallbacks, buildEvents(given)),
);
