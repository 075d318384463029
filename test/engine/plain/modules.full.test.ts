import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { getTableColumns, type Table } from "drizzle-orm";
import { pgTable, text } from "drizzle-orm/pg-core";
import { type Address, encodeAbiParameters, numberToHex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { quietLogger } from "../../../engine/ponderModule.ts";
import { createTestDatabase } from "../../support/database.ts";
import { cuttingServer, outcomeOf, type Pools, quietLog } from "../cutConnections.ts";
import { openIndexing } from "../openIndexing.ts";
import { ponderModule } from "../ponders.ts";
import { expectFault } from "./fault.ts";
import { openBuild } from "./openBuild.ts";

// Faults that one module of Ponder as published shows by itself. Others are in trials.full.test.ts.

test("a file of the API that nothing imports at that time is mistaken for a handler", async () => {
  const { build, part, close } = await openBuild();
  const reloads: string[] = [];
  await build.startDev({ onReload: (kind: string) => reloads.push(kind) });
  // The watcher may begin after the first edits.
  for (let edit = 0; edit < 100 && reloads.length === 0; edit++) {
    writeFileSync(part, `export const part = ${edit};\n`);
    await sleep(100);
  }
  await close();
  expect(reloads.length).toBeGreaterThan(0);
  expectFault("apiReload", reloads[0] === "indexing");
});

type State = {
  getPonderCheckpointTable: (schema: string) => Table;
  getPonderMetaTable: (schema: string) => Table;
};

test("nothing that Ponder stores in an index has a block's hash", async () => {
  const { getPonderCheckpointTable, getPonderMetaTable } = (await ponderModule("database/index.js")) as State;
  const columns = [getPonderCheckpointTable("index"), getPonderMetaTable("index")].flatMap((table) =>
    Object.keys(getTableColumns(table)),
  );
  expectFault(
    "blockJournal",
    columns.includes("latestCheckpoint") && !columns.some((name) => /hash/i.test(name)),
  );
});

test("a live log does not have the hash of its transaction", async () => {
  const { syncLogToInternal } = await ponderModule("runtime/events.js");
  const [blockNumber, logIndex, transactionIndex] = ["0x1", "0x2", "0x3"];
  const place = { blockNumber, logIndex, transactionIndex, transactionHash: "0x04" };
  const log = syncLogToInternal({ log: { ...place, address: "0x05", data: "0x", topics: [] } });
  expectFault("neededTransactions", log.logIndex === 2 && log.transactionHash === undefined);
});

test("the cache has the same schema in all programs", async () => {
  const { PONDER_SYNC_SCHEMA } = await ponderModule("sync-store/schema.js");
  expectFault("ownCache", PONDER_SYNC_SCHEMA === "ponder_sync");
});

test("a text loses its leading byte order mark", async () => {
  const { decodeAbiParameters } = await ponderModule("utils/decodeAbiParameters.js");
  const parameters = [{ type: "string" }] as const;
  const [text] = decodeAbiParameters(parameters, encodeAbiParameters(parameters, ["\ufeffname"]));
  expectFault("byteOrderMarks", text === "name");
});

test("the text of rows is one string, and those of a batch can be longer than V8 allows", async () => {
  const { getCopyText } = await ponderModule("indexing-store/cache.js");
  const rows = Array(6_000).fill({ value: "x".repeat(100_000) });
  let why = "";
  try {
    getCopyText(pgTable("records", { value: text() }), rows);
  } catch (error) {
    why = String(error);
  }
  expectFault("copyPieces", why === "RangeError: Invalid string length");
});

test.each(["createPool", "createReadonlyPool"] as const)(
  "the caller of %s waits forever for a connection that is cut while being made",
  async (kind) => {
    const pools = (await ponderModule("utils/pg.js")) as Pools;
    const server = await cuttingServer();
    const pool = pools[kind]({ connectionString: server.url, max: 2 }, quietLog, "public");
    const outcome = await outcomeOf(pool, 1_000);
    server.close();
    expectFault("failedConnect", outcome === "waits");
  },
);

test("a handler that fails because of the log ends the index, and no code of the program is consulted", async () => {
  const { NonRetryableUserError } = await ponderModule("internal/errors.js");
  globalThis.namedexRecordFailedLog = async () => {};
  const { indexing, eventOf } = await openIndexing(() => {
    throw new TypeError("this text is no number");
  });
  const outcome = await indexing
    .processRealtimeEvents({ events: [eventOf(1)] })
    .catch((error: unknown) => error);
  globalThis.namedexRecordFailedLog = undefined;
  expectFault("failedLogs", outcome instanceof NonRetryableUserError);
});

const abi = parseAbi(["function expiry() view returns (uint256)"]);
const [known, strange] = [numberToHex(0xaa, { size: 20 }), numberToHex(0xbb, { size: 20 })];

/** A log of a contract whose handler reads this contract. */
const logOf = (address: Address) => ({
  type: "log",
  chain: { id: 1 },
  eventCallback: { name: "Resolver:Text" },
  checkpoint: "",
  event: {
    id: "1",
    args: {},
    log: { address, logIndex: 3 },
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

const logger = JSON.stringify(new URL("./internal/logger.js", import.meta.resolve("ponder-plain")).href);

/**
 * Logs a line where each line that passes `process.stdout` is counted, and says how many did. The count begins after the logger
 * is made, as ours does: Ponder makes its logger before it loads the configuration.
 */
const program = `
  const { createLogger } = await import(${logger});
  const logger = createLogger({ level: "info", mode: "json" });
  const write = process.stdout.write.bind(process.stdout);
  let seen = 0;
  process.stdout.write = (...words) => { seen++; return write(...words); };
  logger.info({ msg: "a key" });
  setTimeout(() => write("seen " + seen), 100);
`;

test("log lines bypass process.stdout", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  expect(stdout).toContain('"msg":"a key"');
  expectFault("logStream", stdout.includes("seen 0"));
});

test("commits of the indexer do not wait for the disk", async () => {
  const { createPool } = (await ponderModule("utils/pg.js")) as Pools;
  const database = await createTestDatabase();
  const pool = createPool({ connectionString: database.url, max: 1 }, quietLog);
  const { rows } = await pool.query("show synchronous_commit");
  await pool.end();
  await database.drop();
  expectFault("synchronousCommit", rows[0].synchronous_commit === "off");
});
