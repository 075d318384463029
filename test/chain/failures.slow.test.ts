import { encodeAbiParameters, type Hex } from "viem";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { hashLabel, mineBlocks, send } from "../../devnet/acts.ts";
import { startGateway } from "../gateway/gateway.ts";
import { openStage, type Stage } from "./stage.ts";

/*
 * Failures that no log should be able to cause, caused from outside: a handler that fails on one log, and a database that cuts
 * the connection at a block for a while.
 */

/** In the indexer's process, a version of this number cannot be written as JSON: the handler of its log fails. */
const UNLUCKY = 666n;
const preload = `data:text/javascript,${encodeURIComponent(
  `const write = JSON.stringify;
   JSON.stringify = (value, ...more) => {
     if (value?.newVersion === ${UNLUCKY}n) throw new RangeError("Invalid string length");
     return write(value, ...more);
   };`,
)}`;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ env: { NODE_OPTIONS: `--import=${preload}` } });
});
afterAll(() => stage?.close());

const versionLog = (node: Hex, version: bigint) => ({
  topics: [hashLabel("VersionChanged(bytes32,uint64)"), node],
  data: encodeAbiParameters([{ type: "uint64" }], [version]),
});

const textLog = (node: Hex, key: string, value: string) => ({
  topics: [hashLabel("TextChanged(bytes32,string,string,string)"), node, hashLabel(key)],
  data: encodeAbiParameters([{ type: "string" }, { type: "string" }], [key, value]),
});

const emit = (...logs: { topics: Hex[]; data: Hex }[]) =>
  send(stage.chain, {
    from: stage.cast.dave,
    contract: "logEmitter",
    functionName: "emitLogs",
    args: [logs],
  });

type Status = { ready: boolean; reason: string | null; failing: Record<string, unknown> | null };

const statusOf = async () => (await stage.stack.api<Status>("/indexing-status")).body;
const metrics = async () => (await fetch(`${stage.stack.metricsUrl}/index-metrics`)).text();

test("a log whose handler fails is recorded with the reason, and nothing else from it is kept", async () => {
  const [good, bad] = [hashLabel("good"), hashLabel("bad")];
  const { transactionHash } = await emit(
    versionLog(good, 1n),
    versionLog(bad, UNLUCKY),
    versionLog(good, 2n),
  );
  const rows = await stage.sql(
    "select contract, event_type, node, anomaly, details from events where transaction_hash = $1 order by log_index",
    [transactionHash],
  );
  const kept = { contract: "RESOLVER", event_type: "VersionChanged", node: good, anomaly: null };
  expect(rows).toEqual([
    { ...kept, details: '{"newVersion":"1"}' },
    {
      ...kept,
      node: bad,
      anomaly: "the handler failed: RangeError",
      details: '{"error":"RangeError: Invalid string length"}',
    },
    { ...kept, details: '{"newVersion":"2"}' },
  ]);
  expect(await stage.sql("select node, version from resolver_nodes order by node")).toEqual([
    { node: good, version: "2" },
  ]);
  expect(await metrics()).toContain("namedex_failed_logs_total 1");
  expect(await statusOf()).toMatchObject({ ready: true, failing: null });
});

test("texts that repeat numbers of a key do not stop the indexer", async () => {
  const node = hashLabel("numbered");
  await emit(versionLog(node, 1n));
  // More than ten, because Ponder learns from every tenth log of a kind how to find rows.
  await emit(...Array.from({ length: 20 }, (_, i) => textLog(node, `key ${i}`, "1")));
  await stage.stack.waitForHead();
  const values = ["hello", "1\0", "9".repeat(30), "1".repeat(5_000)];
  await emit(...values.map((value, i) => textLog(node, `key ${i}`, value)));
  const rows = await stage.sql(
    "select value, count(*)::int as count from text_changes where node = $1 and event_type = 'TextChanged' group by value",
    [node],
  );
  const counts = new Map(rows.map(({ value, count }) => [value, count]));
  expect(counts.get("1")).toBe(20);
  expect(counts.size).toBe(1 + values.length);
  expect(await statusOf()).toMatchObject({ ready: true, failing: null });
});

test("a block that cannot be indexed is reported with the reason until it is indexed", async () => {
  const { chain, stack } = stage;
  await stack.waitForHead();
  const replica = await stack.startReplica();
  const gateway = await startGateway([stack, replica]);
  await gateway.until("synced", "synced");
  await stack.sql(`create function refuse() returns trigger language plpgsql as
    $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`);
  await stack.sql("create trigger refusing before insert on events for each row execute function refuse()");
  await emit(versionLog(hashLabel("late"), 1n));
  const blockNumber = Number(await chain.client.getBlockNumber());
  await vi.waitFor(async () => expect((await statusOf()).failing?.attempts).toBeGreaterThanOrEqual(2), {
    timeout: 60_000,
    interval: 50,
  });
  const { ready, reason, failing } = await statusOf();
  expect({ ready, reason }).toEqual({ ready: false, reason: "failing" });
  expect(failing).toMatchObject({ chain: "devnet", block_number: blockNumber });
  expect(failing?.why).toMatch(/connection/i);
  expect((await stack.api("/whois/late.eth")).body).toMatchObject({ error: { code: "INDEX_NOT_READY" } });
  expect(await metrics()).toMatch(/namedex_failing_block_attempts [1-9]/);

  // A replica, which does not index, and a gateway in front of both report the same.
  await gateway.until("not_ready", "not_ready");
  const ofReplica = await (await fetch(`${replica.url}/indexing-status`)).json();
  expect(ofReplica).toMatchObject({
    ready: false,
    reason: "failing",
    failing: { block_number: blockNumber },
  });
  const refused = await Promise.all(
    [replica, gateway].map(async ({ url }) => (await fetch(`${url}/whois/late.eth`)).status),
  );
  expect(refused).toEqual([503, 503]);
  await stack.sql("drop trigger refusing on events");
  await mineBlocks(chain, { count: 1 });
  await stack.waitForHead();
  expect(await statusOf()).toMatchObject({ ready: true, reason: null, failing: null });
  expect(await metrics()).toMatch(/namedex_failing_block_attempts 0/);
  await gateway.until("synced", "synced");
  const after = await (await fetch(`${replica.url}/indexing-status`)).json();
  expect(after).toMatchObject({ ready: true, reason: null, failing: null });
  await gateway.stop();
});
