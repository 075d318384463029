import { type Address, numberToHex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { quietLogger } from "../../../engine/ponderModule.ts";
import { ponderModule } from "../ponders.ts";
import { expectFault } from "./fault.ts";

const abi = parseAbi(["function expiry() view returns (uint256)"]);
const [known, strange] = [numberToHex(0xaa, { size: 20 }), numberToHex(0xbb, { size: 20 })];

/** A log of a contract whose handler reads this contract. */
const logOf = (address: Address) => ({
  ...{ type: "log", chain: { id: 1 }, eventCallback: { name: "Resolver:Text" }, checkpoint: "" },
  event: {
    ...{ id: "1", args: {}, log: { address, logIndex: 3 } },
    block: { number: 2n, timestamp: 100n, hash: "0x01" },
    transaction: { hash: "0x02", from: "0x03", to: "0x04", transactionIndex: 1 },
  },
});

test("a contract that no handler has read is called, because it emitted a log", async () => {
  const { createCachedViemClient } = await ponderModule("indexing/client.js");
  const { MetricsService } = await ponderModule("internal/metrics.js");
  const called: Address[] = [];
  const request = async ({ params: [{ to }] }: { params: [{ to: Address }] }) => {
    called.push(to);
    return numberToHex(7, { size: 32 });
  };
  const chain = { id: 1, name: "mainnet", viemChain: undefined };
  const client = createCachedViemClient({
    common: { logger: quietLogger, metrics: new MetricsService() },
    indexingBuild: { chains: [chain], rpcs: [{ request }] },
    syncStore: {
      getRpcRequestResults: async ({ requests }: { requests: unknown[] }) => requests.map(() => undefined),
      insertRpcRequestResults: async () => {},
    },
    eventCount: { "Resolver:Text": 11 },
  });
  client.event = logOf(known);
  await client.getClient(chain).readContract({ abi, address: known, functionName: "expiry" });
  expect(called).toEqual([known]);
  await client.prefetch({ events: [logOf(strange)] });
  expectFault("knownContracts", called.includes(strange));
});
