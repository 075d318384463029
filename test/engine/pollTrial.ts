import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { quietLogger } from "../../engine/ponderModule.ts";
import { blockOf } from "./chainRun.ts";
import { ponderModule } from "./ponders.ts";

/*
 * Asks a node for its newest block every 20 ms. The node answers the first 5 requests after ten times as long, and the next one
 * never. Prints how many requests were open at once until then, and whether another request followed.
 */

const INTERVAL_MS = 20;
const ANSWERED = 5;

const { createRpc } = await ponderModule("rpc/index.js");

let asked = 0;
let open = 0;
let mostOpen = 0;
const followed = Promise.withResolvers<void>();
const node = createServer((request, response) => {
  asked++;
  open++;
  if (asked > ANSWERED + 1) return followed.resolve();
  mostOpen = Math.max(mostOpen, open);
  if (asked > ANSWERED) return;
  request.resume();
  setTimeout(() => {
    open--;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: blockOf(asked) }));
  }, 10 * INTERVAL_MS);
});
await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));

const rpc = createRpc({
  common: { logger: quietLogger, shutdown: { add: () => {} } },
  chain: {
    id: 1,
    name: "trial",
    rpc: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
    pollingInterval: INTERVAL_MS,
  },
});
rpc.subscribe({ onBlock: async () => {}, onError: () => {} });
await followed.promise;
console.log(JSON.stringify({ mostOpen }));
process.exit();
