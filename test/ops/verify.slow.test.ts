import type pg from "pg";
import { describe, expect, test } from "vitest";
import { verifyEvery } from "../../ops/launch/verifyEvery.ts";
import { describeTruth } from "../truth/onDemo.ts";
import {
  changeRows,
  dead,
  environmentOf,
  plantsInDomains,
  prepareDemo,
  reportOf,
  runVerify,
  startVerify,
} from "./runVerify.ts";

/** More than the demo has. */
const ALL = ["--samples", "20000", "--seed", "1"];

const demo = prepareDemo();

describeTruth(() => demo);

describe("a correct index", () => {
  test("has no value in the demo that differs, and every column is compared", async () => {
    const report = await reportOf(demo.verified, ALL);
    expect(report.differences).toEqual([]);
    expect(report).toMatchObject({ code: 0, complete: true, failure: null, difference_count: 0 });
    expect(Object.keys(report.compared).sort()).toEqual(columns.sort());
    expect(Object.keys(report.kinds)).toContain("subname, wrapped");
  });

  test("has the same samples taken with the same seed, and no more than requested", async () => {
    const [first, again, other] = await Promise.all(
      ["5", "5", "6"].map((seed) => reportOf(demo.verified, ["--samples", "20", "--seed", seed])),
    );
    expect(again?.kinds).toEqual(first?.kinds);
    expect(again?.compared).toEqual(first?.compared);
    expect(other).toMatchObject({ code: 0 });
    expect(other?.compared).not.toEqual(first?.compared);
  });

  test("has given names compared with all their records", async () => {
    const report = await reportOf(demo.verified, ["--name", "alice.eth", "--name", "unregistered.eth"]);
    expect(report).toMatchObject({
      code: 0,
      difference_count: 0,
      kinds: { "record of a named name": expect.any(Number) },
    });
    expect(report.compared["text_records.value"]?.values).toBeGreaterThan(6);
  });

  test("is compared at an earlier block, except for what changed since", async () => {
    const report = await reportOf(demo.verified, [...ALL, "--at", "100"]);
    expect(report).toMatchObject({ code: 0, block_number: 100, differences: [] });
    expect(report.not_compared["changed after block 100"]).toBeGreaterThan(10);
    expect(report.compared["domains.registry_owner"]?.values).toBeGreaterThan(3);
  });

  test("gets a readable report of what was compared and that all is equal", async () => {
    const { code, out, err } = await runVerify(demo.verified, ["--samples", "50", "--seed", "1"]);
    expect(out).toMatch(
      /^\d+ names, records and primary names of the index "namedex_index", chosen by seed 1,/,
    );
    expect(out).toMatch(/domains\.registry_owner +\d+ +0\n/);
    expect(out).toMatch(/All \d+ values match\.\n$/);
    expect(err).toMatch(/^Comparing: \d+ values in \d+ (s|min), \d+ values\/s\n$/);
    expect(code).toBe(0);
  });
});

const wrong = (line: string) => {
  throw new Error(`said with another level: ${line}`);
};

test("a comparison on a schedule is logged, stored, and shown in the status and the metrics", async () => {
  const status = async () =>
    (await demo.stack.api<{ verification: unknown }>("/indexing-status")).body.verification;
  await change("delete from namedex_service.verifications");
  expect(await status()).toBeNull();
  let stop = () => {};
  const line = await new Promise<string>((log) => {
    stop = verifyEvery({
      databaseUrl: demo.stack.databaseUrl,
      serviceSchema: "namedex_service",
      schema: demo.stack.schema,
      everySeconds: 3_600,
      firstAfterMs: 0,
      env: environmentOf(demo.verified),
      log: { info: log, warn: wrong, error: wrong },
    });
  });
  stop();
  expect(line).toMatch(/^Verified the index at block \d+: all \d+ values match\.$/);
  const values = Number(/all (\d+)/.exec(line)?.[1]);
  const shown = { values, differences: 0, samples: expect.any(Number), block_number: expect.any(Number) };
  expect(await status()).toEqual({ ...shown, finished_timestamp: expect.any(Number) });
  const metrics = await (await fetch(`${demo.stack.metricsUrl}/index-metrics`)).text();
  expect(metrics).toContain(`namedex_verify_values ${values}\n`);
  expect(metrics).toContain("namedex_verify_differences 0\n");
});

test("a scheduled comparison that cannot run says why", async () => {
  let stop = () => {};
  const line = await new Promise<string>((log) => {
    stop = verifyEvery({
      databaseUrl: demo.stack.databaseUrl,
      serviceSchema: "namedex_service",
      schema: "nothing_here",
      everySeconds: 3_600,
      firstAfterMs: 0,
      log: { info: wrong, warn: log, error: wrong },
      env: environmentOf({ ...demo.verified, env: { DATABASE_SCHEMA: "nothing_here" } }),
    });
  });
  stop();
  expect(line).toBe('Verification failed: DATABASE_SCHEMA: schema "nothing_here" has no index.');
});

/** Everything a run compares. */
const columns = [
  "registry_owner",
  "resolver",
  "is_migrated",
  "registrar_owner",
  "registrar_expiry_timestamp",
  "wrapper_owner",
  "wrapper_fuses",
  "wrapper_expiry_timestamp",
  "is_wrapped",
  "effective_owner_address",
  "expiry_timestamp",
  "labelhash",
  "label",
]
  .map((column) => `domains.${column}`)
  .concat([
    ...["contenthash", "name", "version"].map((column) => `resolver_nodes.${column}`),
    "text_records.value",
    "address_records.address",
    "primary_names.name",
    ...["log", "event_type", "node", "block_timestamp"].map((column) => `events.${column}`),
    "events.base_cost_wei",
    "price_feed_phases.phase",
  ]);

describe("the price feed", () => {
  test("reports a registration at another price, and a phase that the deployment does not know", async () => {
    const [row] = await change<{ transaction_hash: string; base_cost_wei: string }>(
      `update events set anomaly = 'the price is not that of the price feed'
       where (block_number, log_index) = (select block_number, log_index from events
         where base_cost_wei is not null order by block_number limit 1)
       returning transaction_hash, base_cost_wei::text`,
    );
    const { contracts } = demo.local.deployment;
    const later = {
      role: "price-feed" as const,
      generation: 2,
      address: `0x${"7".repeat(40)}`,
      startBlock: 0,
    };
    const deployment = {
      ...demo.local.deployment,
      contracts: [...contracts, later],
      priceFeed: demo.local.deployment.priceFeed && {
        ...demo.local.deployment.priceFeed,
        takeovers: [{ phase: 2, after: 0, by: 1 }],
      },
    } as typeof demo.local.deployment;
    const report = await reportOf({ ...demo.verified, deployment }, ["--samples", "20", "--seed", "1"]);
    await change("update events set anomaly = null where anomaly like '%price feed'");
    expect(report).toMatchObject({ code: 1, difference_count: 2 });
    expect(report.differences).toMatchObject([
      { table: "events", column: "base_cost_wei", chain: row?.base_cost_wei },
      { table: "price_feed_phases", column: "phase", index: "2", chain: "1" },
    ]);
  });
});

describe("nodes", () => {
  test("that accept only small calls are asked for less at a time", async () => {
    demo.proxy.fault = ({ data }) =>
      data !== null && data.length > 20_000 ? { error: { code: -32_000, message: "out of gas" } } : undefined;
    expect(await reportOf(demo.verified, ALL)).toMatchObject({ code: 0, differences: [] });
  });

  test("without Multicall3 are asked about contracts one by one", async () => {
    const deployment = { ...demo.verified.deployment, multicall3: `0x${"12".repeat(20)}` as const };
    const report = await reportOf({ ...demo.verified, deployment }, ["--samples", "20", "--seed", "1"]);
    expect(report).toMatchObject({ code: 0, differences: [] });
    const events = Object.entries(report.compared) // Those are compared with logs.
      .filter(([column]) => column.startsWith("events."))
      .reduce((sum, [, { values }]) => sum + values, 0);
    expect(demo.proxy.recorded.length).toBeGreaterThan((report.values - events) / 3);
  });

  test("whose block changes during the run are asked again from the start", async () => {
    let blocks = 0;
    demo.proxy.fault = ({ method }) => {
      if (method === "eth_getBlockByNumber") blocks++;
      return method === "eth_getBlockByNumber" && blocks === 2 ? { result: null } : undefined;
    };
    expect(await reportOf(demo.verified, ["--samples", "20"])).toMatchObject({ code: 0, complete: true });
    expect(blocks).toBe(4);
  });

  test("that fail midway end the run with what was compared until then", async () => {
    let calls = 0;
    demo.proxy.fault = ({ method }) => (method === "eth_call" && ++calls > 2 ? { status: 500 } : undefined);
    const report = await reportOf(demo.verified, ALL);
    expect(report).toMatchObject({ code: 2, complete: false });
    expect(report.failure).toMatch(/status 500/);
    expect(report.values).toBeGreaterThan(0);
  });

  test("of another chain, unreachable, or without the block are reported in a sentence", async () => {
    demo.proxy.fault = ({ method }) => (method === "eth_chainId" ? { result: "0x1" } : undefined);
    expect(await runVerify(demo.verified, [])).toMatchObject({
      code: 2,
      out: "Not finished: The node serves chain 1; expected a node of devnet (31337).\n",
    });
    const gone = await runVerify(demo.verified, ["--url", "http://127.0.0.1:9/v3/very-secret-key"]);
    expect(gone).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^Not finished: the node cannot be reached/),
    });
    expect(`${gone.out}${gone.err}`).not.toContain("very-secret");
    demo.proxy.fault = () => undefined;
    expect((await runVerify(demo.verified, ["--at", "99999999"])).out).toMatch(
      /^Not finished: --at is 99999999, but the index is at/,
    );
  });

  test("an interrupted run says so, and reports what was compared until then", async () => {
    const { child, ended } = startVerify(demo.verified, [...ALL, "--json"]);
    let calls = 0;
    demo.proxy.fault = ({ method }) => {
      if (method !== "eth_call" || ++calls <= 2) return undefined;
      // A second signal ends it at once.
      if (calls === 3) child.kill("SIGINT");
      return { hang: true };
    };
    const { code, out, err } = await ended;
    expect(out, err).not.toBe("");
    expect(JSON.parse(out)).toMatchObject({ complete: false, failure: "interrupted" });
    expect(code).toBe(2);
  });
});

test.each([
  [["--samples", "0"], /--samples is "0": expected a whole number from 1 to 100000/],
  [["--url", "postgres://x"], /--url is not an http\(s\) URL/],
  [["--nothing"], /Unknown option '--nothing'[\s\S]*npm run verify --/],
  [["--name", "a..b"], /--name "a\.\.b": /],
])("%j is refused", async (args, message) => {
  const { code, out, err } = await runVerify(demo.verified, args);
  expect(`${out}${err}`).toMatch(message);
  expect(code).toBe(2);
});

/** Current rows at resolvers that answer what their events said, in a fixed order. */
const inForce = (table: string, condition = "true") => `
  select t.ctid from ${table} t left join resolver_nodes n using (chain_id, resolver, node)
  where ${table === "resolver_nodes" ? "true" : "t.version = coalesce(n.version, 0)"} and (${condition})
    and t.resolver in (${demo.local.deployment.contracts.filter((one) => one.static).map(({ address }) => `'${address.toLowerCase()}'`)})
  order by t.resolver, t.node, t.ctid`;

const hostile = "\u001b[2J\u0007\u202egood\r\n";

const change = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]> =>
  changeRows(demo.stack, text, values);

/** Each plants a difference: what the report says of the name, the column, and how. */
const plants: (readonly [of: string, column: string, sql: string])[] = [
  ...plantsInDomains,
  ["which the index does not have", "registry_owner", "delete from domains where full_name = 'claimed.eth'"],
  [
    "stranger",
    "registrar_expiry_timestamp",
    `update domains set full_name = 'stranger ${hostile}', registrar_expiry_timestamp = 7 where full_name = 'multi-three.eth'`,
  ],
];

test("event rows that are missing, changed or from an orphaned block are found", async () => {
  const orphan = `0x${"0f".repeat(32)}`;
  const rows = await change<{ block: number; index: number; hash: string }>(
    `select block_number as block, log_index as index, transaction_hash as hash from events
     where contract = 'REGISTRY' and event_type = 'NewOwner' and ordinal = 0 order by block_number desc, log_index limit 2`,
  );
  const [missing, changed] = rows;
  const at = (row: typeof missing) =>
    `chain_id = 31337 and block_number = ${row?.block} and log_index = ${row?.index}`;
  await change(`create table kept as select * from events where ${at(missing)} or ${at(changed)}`);
  await change(`delete from events where ${at(missing)}`);
  await change(`update events set transaction_hash = '${orphan}' where ${at(changed)}`);
  const extra = await change(
    `insert into events select e.* from (select * from kept where ${at(changed)}) k,
       jsonb_populate_record(null::events, to_jsonb(k) || '{"log_index": 9999, "transaction_hash": "${orphan}"}') e returning log_index`,
  );
  expect(extra).toHaveLength(1);
  const report = await reportOf(demo.verified, ["--samples", "100", "--seed", "1"]);
  expect(report).toMatchObject({ code: 1, complete: true });
  const logs = report.differences.filter(({ table }) => table === "events");
  const found = logs.map(({ of, index, chain }) => [of.replace(/ \(.*/, ""), index, chain]);
  const call = (hash: string | undefined) => ({ method: "eth_getTransactionReceipt", params: [hash] });
  expect(found.toSorted()).toEqual(
    [
      [`log ${missing?.index} of block ${missing?.block}`, null, missing?.hash],
      [`log ${changed?.index} of block ${changed?.block}`, orphan, null],
      [`log 9999 of block ${changed?.block}`, orphan, null],
    ].toSorted(),
  );
  expect(logs.flatMap(({ calls }) => calls)).toContainEqual(call(orphan));
  await change(`delete from events where ${at(changed)} or log_index = 9999`);
  await change("insert into events select * from kept");
  await change("drop table kept");
});

test("events without any row, and rows with another event, node or time, are found", async () => {
  const kind = "contract = 'NAME_WRAPPER' and event_type = 'NameWrapped'";
  const logged = "contract = 'REGISTRY' and event_type = 'NewResolver'";
  const place = "block_number as block, log_index as index";
  await change(`create table kept as select * from events where ${kind} or ${logged}`);
  const gone = await change<{ block: number; index: number }>(
    `delete from events where ${kind} returning ${place}`,
  );
  const [row] = await change<{ block: number; index: number }>(
    `update events set event_type = 'NewTTL', node = transaction_hash, block_timestamp = block_timestamp + 1
     where ctid = (select ctid from events where ${logged} order by block_number desc limit 1) returning ${place}`,
  );
  const report = await reportOf(demo.verified, ["--samples", "100", "--seed", "1"]);
  const found = report.differences
    .filter(({ table }) => table === "events")
    .map(({ column, of }) => `${column} of ${of.replace(/ \(.*/, "")}`);
  const nameOf = (one: typeof row) => `log ${one?.index} of block ${one?.block}`;
  expect(gone.length).toBeGreaterThan(1);
  expect(found.toSorted()).toEqual(
    [
      ...gone.map((one) => `log of ${nameOf(one)}`),
      ...["event_type", "node", "block_timestamp"].map((column) => `${column} of ${nameOf(row)}`),
    ].toSorted(),
  );
  await change(
    `delete from events where ${logged} or block_number = ${row?.block} and log_index = ${row?.index}`,
  );
  await change("insert into events select * from kept");
  await change("drop table kept");
});

test("a difference in any column is found, and shown with both values and a way to inspect it", async () => {
  for (const [of, , sql] of plants) expect(await change(`${sql} returning node`), of).toHaveLength(1);
  const set = (table: string, columns: string, condition: string, values?: unknown[]) =>
    change(`update ${table} set ${columns} where ctid = (${inForce(table, condition)} limit 1)`, values);
  await set("text_records", "value = 'changed'", "t.value is not null");
  await set("text_records", "value = $1", "t.value is not null and t.value <> 'changed'", [hostile]);
  await set("address_records", `address = '${dead}'`, "t.coin_type = 60");
  await set("resolver_nodes", "contenthash = '0x1234'", "t.contenthash is not null");
  await set("resolver_nodes", "name = 'other.eth'", "t.name is not null");
  await set("resolver_nodes", "version = version + 1", "t.name = 'other.eth'");
  const [gone] = await change<{ node: string; key: string }>(
    `delete from text_records where ctid = (${inForce("text_records", "t.key in ('com.twitter', 'url') and t.value not in ('changed', $1)")} limit 1)
     returning node, key`,
    [hostile],
  );
  await change(
    "update primary_names set name = 'unregistered.eth' where coin_type = 60 and name is not null",
  );
  await change("delete from primary_names where coin_type <> 60");

  const report = await reportOf(demo.verified, ALL);
  expect(report).toMatchObject({ code: 1, complete: true });
  const found = report.differences.map(({ table, column, of }) => `${table}.${column} ${of}`);
  for (const [of, column] of plants)
    expect(found).toContainEqual(expect.stringMatching(new RegExp(`^domains\\.${column} .*${of}`)));
  expect([...new Set(report.differences.map(({ table, column }) => `${table}.${column}`))].sort()).toEqual(
    columns.filter((column) => !/^(events|price_feed_phases)\./.test(column)).sort(),
  );
  expect(report.differences.map((one) => one.index)).toEqual(
    expect.arrayContaining(["changed", hostile, "0x1234", "other.eth", "unregistered.eth"]),
  );
  expect(report.differences).toContainEqual(expect.objectContaining({ table: "primary_names", index: null }));
  expect(found).toContainEqual(
    expect.stringMatching(new RegExp(`^text_records\\.value .*${gone?.node}.*"${gone?.key}"`)),
  );

  const shown = report.differences.find(
    ({ column, of }) => column === "registry_owner" && of.startsWith("moved.eth"),
  );
  const [call] = shown?.calls ?? [];
  const answer = await fetch(demo.local.anvil.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...call }),
  });
  expect(((await answer.json()) as { result: string }).result).toBe(
    `0x${shown?.chain?.slice(2).padStart(64, "0")}`,
  );
  expect((await fetch(`${demo.stack.url}${shown?.path}`)).status).toBe(200);
});

test("strangers' texts cannot affect a terminal", async () => {
  const { code, out } = await runVerify(demo.verified, ALL);
  expect(code).toBe(1);
  expect(out).toContain("\\u001b[2J\\u0007\\u202egood");
  expect(out).toMatch(/curl 'http:\/\/127\.0\.0\.1:42069\/lookup-namehash\/0x[0-9a-f]{64}'\n/);
  expect(out).toMatch(/curl "\$RPC_URL_31337" -H 'content-type: application\/json' -d '\{"jsonrpc":"2\.0"/);
  expect(out.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
  const json = (await runVerify(demo.verified, [...ALL, "--json"])).out;
  expect(json.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
});
