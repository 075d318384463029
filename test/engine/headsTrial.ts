import { numberToHex } from "viem";
import { quietLogger } from "../../engine/ponderModule.ts";
import { blockOf, logFilter } from "./chainRun.ts";
import { ponderModule } from "./ponders.ts";

/*
 * Feeds the heads of a chain to Ponder's realtime sync. Prints the result in three parts: logs of block 1 that come after those
 * of block 2; a block that replaces block 2; the same again.
 */

type Request = { method: string; params: [`0x${string}` | { blockHash: string }] };

const { createRealtimeSync } = await ponderModule("sync-realtime/index.js");

const replaced = { ...blockOf(2), hash: numberToHex(0xbeef, { size: 32 }) };
const blocks = [...[0, 1, 2].map(blockOf), replaced];
const late = Promise.withResolvers<unknown[]>();
let isFirst = true;
const request = async ({ method, params: [first] }: Request) => {
  if (method === "eth_getBlockByNumber") return blockOf(Number(first));
  if (method === "eth_getBlockByHash") return blocks.find(({ hash }) => hash === first);
  if (!isFirst) return [];
  isFirst = false;
  return late.promise;
};

const sync = createRealtimeSync({
  common: { logger: quietLogger, shutdown: { isKilled: false } },
  chain: { id: 1, name: "trial", pollingInterval: 1_000, finalityBlockCount: 10 },
  rpc: { request },
  eventCallbacks: [{ filter: logFilter }],
  childAddresses: new Map(),
  syncProgress: { finalized: blockOf(0) },
});

const parts: string[][] = [[]];
const head = async (block: ReturnType<typeof blockOf>) => {
  for await (const { type, block: of } of sync.sync(block))
    parts.at(-1)?.push(`${type} ${Number(of.number)}`);
};
const slow = head(blockOf(1));
await head(blockOf(2));
late.resolve([]);
await slow;
for (const block of [replaced, replaced]) {
  parts.push([]);
  await head(block);
}
console.log(JSON.stringify(parts));
