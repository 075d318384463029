import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mineBlocks } from "../../devnet/acts.ts";
import { trackChild } from "../../devnet/children.ts";
import { type LocalChain, startDemoChain } from "../../devnet/localChain.ts";
import { metaTable } from "../../engine/ponderInternals.ts";
import { type GatewayProcess, startGateway } from "../gateway/gateway.ts";
import { type RpcProxy, startRpcProxy } from "../live/rpcProxy.ts";
import { ask, createTestDatabase } from "../support/database.ts";
import { bareEnvironment } from "../support/environment.ts";
import { runProgram } from "./programs.ts";
import {
  expectAnswer,
  keepDoing,
  prepareVersion,
  readStatus,
  startAnalyst,
  type Version,
  waitFor,
} from "./versions.ts";

// Roles belong to the server, not to a database, so each run has its own names.
const prefix = `r${randomBytes(4).toString("hex")}`;
const OLD = "index_old";
const NEW = "index_new";

let local: LocalChain;
/** The new version's node. */
let node: RpcProxy;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let urls: Record<string, string>;
let old: Version;
let next: Version;
let gateway: GatewayProcess;

const release = (...args: string[]) => runProgram("release.ts", args, { DATABASE_URL: urls.indexer ?? "" });

beforeAll(async () => {
  local = await startDemoChain();
  node = await startRpcProxy(local.anvil.url);
  database = await createTestDatabase();
  const made = await runProgram("roles.ts", ["--prefix", prefix], { DATABASE_URL: database.url });
  const found = [...made.stdout.matchAll(/DATABASE_URL=(\S+_(indexer|api|analyst):\S+)/g)];
  urls = Object.fromEntries(found.map(([, url = "", role = ""]) => [role, url]));
  const env = { DATABASE_URL: urls.indexer ?? "", LIVE_RPC_URL: local.anvil.url };
  old = await prepareVersion(local.deployment, {
    ...env,
    DATABASE_SCHEMA: OLD,
    VIEWS_SCHEMA: "namedex",
    RPC_URL_31337: local.anvil.url,
    ARCHIVE_READS: "off",
  });
  next = await prepareVersion(local.deployment, {
    ...env,
    DATABASE_SCHEMA: NEW,
    VIEWS_SCHEMA: "namedex",
    RPC_URL_31337: node.url,
    ARCHIVE_READS: "on", // Another build, which reads at past blocks.
  });
  old.start();
  await old.ready();
  gateway = await startGateway([old, next], {
    GATEWAY_MAX_LAG_SECONDS: "1000000000",
    GATEWAY_MAX_LAG_BLOCKS: "1000000",
  });
});

afterAll(async () => {
  await gateway?.stop();
  await Promise.all([old?.stop(), next?.stop()]);
  await node?.kill();
  await database?.drop();
  await local?.anvil.stop();
});

/**
 * A single indexer that was held up for three seconds is rightly dropped. Then there is no indexer
 * to ask.
 */
const isOfSilence = (failure: string) =>
  failure.startsWith("503: ") &&
  failure.includes("NO_INDEXERS_AVAILABLE") &&
  gateway.output().includes("synced -> unreachable (did not report its state within 3 s)");

/** The gateway checks once a second. Until it has seen a choice, it asks both. */
const gatewayPrefers = async ({ url }: Version) => {
  const { indexers } = await gateway.operatorStatus();
  return indexers.every((indexer) => (indexer.active === true) === (indexer.url === url));
};

const viewsShow = async (build: string | undefined) => {
  const rows = await ask<{ build: string }>(
    database.url,
    `select value ->> 'build_id' as build from namedex.${metaTable}`,
  ).catch(() => []);
  return rows[0]?.build === build;
};

/** The position at which the new version's feed says the previous one ended. */
const namedPositions = async () => {
  const rows = await ask<{ position: string | null }>(
    database.url,
    `select details ->> 'previous_position' as position from ${NEW}.feed_changes where type = 'feed.started'`,
  ).catch(() => []);
  return rows.map(({ position }) => position);
};

describe("before any choice", () => {
  test("the views show the only index without a command, and no index is active", async () => {
    const status = await readStatus(old.url);
    await waitFor(() => viewsShow(status?.build), old.output);
    expect(status).toMatchObject({ active: false, schema: OLD });
    expect((await release("list")).stdout).toMatch(/^index_old .* ready .* views$/m);
    expect((await release("list")).stdout).toContain(
      "No index has been chosen yet, so the gateway uses all of them.",
    );
  });

  test.each<[string[], number, RegExp]>([
    [["switch", "index_nowhere"], 1, /Schema "index_nowhere" has no index. Existing indexes: "index_old"/],
    [["switch", "x'\"; drop schema namedex cascade"], 1, /has no index\. Existing indexes/],
    [["switch"], 1, /Usage: npm run release -- switch <schema>/],
    [["switch", OLD, NEW], 1, /Usage: npm run release -- switch <schema>/],
    [["switch", NEW, "--wait", "--force"], 1, /Use either --wait or --force, not both/],
    [["back"], 1, /There is no index to go back to/],
    [["prune"], 1, /No index has been chosen yet/],
    [["prune", "--keep", "0"], 1, /--keep is "0": expected a whole number from 1 to 9999/],
    [["prune", "--keep", "2 "], 1, /--keep is "2 "/],
    [["list", "--keep", "2"], 1, /Option --keep does not apply to "list"/],
    [["constructor"], 1, /Unknown command "constructor"[\s\S]*npm run release -- list/],
    [["list", "--nonsense"], 1, /--nonsense[\s\S]*npm run release -- list/],
  ])("release %j is refused with a reason", async (args, code, message) => {
    const outcome = await release(...args);
    expect(outcome.stderr).toMatch(message);
    expect(outcome).toMatchObject({ code, stdout: "" });
    expect(outcome.stderr).not.toMatch(/node:internal|\n {4}at /);
  });

  test("an index that no indexer has begun is waited for", async () => {
    const env = { ...bareEnvironment, DATABASE_URL: urls.indexer ?? "" };
    const program = fileURLToPath(new URL("../../ops/release.ts", import.meta.url));
    const child = spawn(process.execPath, [program, "switch", "index_soon", "--wait"], { env });
    trackChild(child, "SIGTERM");
    let said = "";
    child.stderr.on("data", (text) => (said += text));
    await waitFor(
      async () => said.includes('Waiting for "index_soon": the schema has no index yet'),
      () => said,
    );
    expect(child.exitCode).toBeNull();
    child.kill();
  });

  test("an unreachable database and wrong settings are reported", async () => {
    const away = { DATABASE_URL: "postgresql://me:hunter2@127.0.0.1:1/x" };
    const outcome = await runProgram("release.ts", ["list"], away);
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringMatching(/ECONNREFUSED/) });
    expect(outcome.stderr).not.toMatch(/hunter2/);
    const unset = await runProgram("release.ts", ["list"], {});
    expect(unset).toMatchObject({ code: 1, stderr: expect.stringMatching(/DATABASE_URL is not set/) });
  });
});

describe("a new version", () => {
  test("takes over under load: no failed request, no wrong answer, no missing view", async () => {
    const paths = ["/whois/alice.eth", "/domain/alice.eth/records", "/domain/moved.eth/ownership-history"];
    const asked = await Promise.all(
      paths.map(async (path) => ({ path, body: await (await fetch(`${old.url}${path}`)).text() })),
    );
    const builds = [(await readStatus(old.url))?.build];
    const analyst = await startAnalyst(urls.analyst ?? "");
    const loads = asked.map(({ path, body }) => keepDoing(() => expectAnswer(`${gateway.url}${path}`, body)));
    const mining = keepDoing(async () => {
      await mineBlocks(local.chain, { count: 1 });
      await sleep(1_000);
    });

    node.fault = ({ method }) => (method === "eth_call" ? { status: 500 } : undefined);
    next.start();
    await waitFor(async () => (await release("list")).stdout.includes("building"), next.output);
    const early = await release("switch", NEW);
    expect(early.stderr).toMatch(/Cannot switch to "index_new" yet: its backfill is not complete/);
    expect(early.code).toBe(75);
    node.fault = () => undefined;
    await next.ready();
    builds.push((await readStatus(next.url))?.build);
    expect(builds[1]).not.toBe(builds[0]);
    await sleep(6_000); // Longer than an indexer takes to update its views.
    expect(await viewsShow(builds[0])).toBe(true);

    await waitFor(async () => (await namedPositions()).length > 0, next.output);

    const switched = await release("switch", NEW, "--wait");
    expect(switched, switched.stderr).toMatchObject({ code: 0 });
    expect(switched.stdout).toMatch(/Readers are sent to "index_new" instead of "index_old"/);
    expect(await viewsShow(builds[1])).toBe(true);
    await waitFor(() => gatewayPrefers(next), gateway.output);
    for (let i = 0; i < 20; i++) expect(await readStatus(gateway.url)).toMatchObject({ schema: NEW });
    await old.stop();
    await sleep(2_000);

    const [seen, ...answered] = await Promise.all([analyst.stop(), ...loads.map((stop) => stop())]);
    await mining();
    expect(answered.flatMap(({ failures }) => failures).filter((one) => !isOfSilence(one))).toEqual([]);
    expect(Math.min(...answered.map(({ times }) => times))).toBeGreaterThan(100);
    expect(seen).toMatchObject({ failures: [] });
    expect(analyst.seen).toEqual([OLD, NEW]);
    expect((await release("list")).stdout).toMatch(
      /^index_new .* ready .* active, views\n?[\s\S]*^index_old .* stopped .* previous$/m,
    );
  });

  test("has a change feed whose first changes name the previous feed's position", async () => {
    const positions = await namedPositions();
    expect(new Set(positions).size).toBe(1);
    const [[epoch, number] = []] = positions.map((one) => one?.split("-"));
    const [before] = await ask<{ epoch: string; newest: number }>(
      database.url,
      `select epoch, newest::int as newest from ${OLD}.feed_state`,
    );
    expect(epoch).toBe(before?.epoch);
    expect(Number(number)).toBeLessThanOrEqual(before?.newest ?? 0);
  });

  test("keeps rights granted on views", async () => {
    await ask(database.url, `GRANT SELECT ON namedex.domains TO ${prefix}_api`);
    expect(await release("switch", NEW)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/its views were recreated/),
    });
    expect(
      await ask(
        database.url,
        `select has_table_privilege('${prefix}_api', 'namedex.domains', 'SELECT') as api,
         has_table_privilege('${prefix}_analyst', 'namedex.domains', 'SELECT') as analyst,
         tableowner from (select viewowner as tableowner from pg_views where schemaname = 'namedex' limit 1) v`,
      ),
    ).toEqual([{ api: true, analyst: true, tableowner: `${prefix}_indexer` }]);
  });

  test("stops a switch with a reason if something depends on the views, and changes nothing", async () => {
    await ask(database.url, "CREATE VIEW public.mine AS SELECT count(*) FROM namedex.domains");
    const refused = await release("switch", NEW).finally(() => ask(database.url, "DROP VIEW public.mine"));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/mine depends on view/) });
  });
});

describe("going back", () => {
  test("to an index that no indexer keeps current is refused until it is started, and then takes one command", async () => {
    const refused = await release("back");
    expect(refused.stderr).toMatch(/Cannot switch to "index_old" yet: no indexer keeps it current/);
    expect(refused.code).toBe(75);
    expect((await readStatus(next.url))?.active).toBe(true);
    old.start();
    const { code, stdout, stderr } = await release("back", "--wait");
    expect(stderr).toContain('Waiting for "index_old"');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('"index_old"') });
    await waitFor(() => gatewayPrefers(old), gateway.output);
    expect(await readStatus(gateway.url)).toMatchObject({ schema: OLD, active: true });
    expect(await viewsShow((await readStatus(old.url))?.build)).toBe(true);
  });
});

/** The server ends a session a moment after the process. */
async function sessionsOf(schema: string): Promise<number> {
  const sql = `select pid from pg_stat_activity
    where datname = current_database() and starts_with(application_name, '${schema}_')`;
  return (await ask(database.url, sql)).length;
}

describe("pruning", () => {
  test("drops what is not needed, and nothing else", async () => {
    await ask(
      database.url,
      `CREATE SCHEMA other_app; CREATE TABLE other_app.${metaTable} (key text, value jsonb);
      INSERT INTO other_app.${metaTable} VALUES ('app', '{"table_names": ["accounts"], "is_ready": 1}');
      GRANT ALL ON SCHEMA other_app TO ${prefix}_indexer; GRANT ALL ON other_app.${metaTable} TO ${prefix}_indexer`,
    );
    expect(await release("prune")).toMatchObject({
      code: 0,
      stdout: "Nothing was dropped.\n",
      stderr:
        'Keeping "index_new": it was active before, so `back` needs it.\nKeeping "index_old": it is active.\n',
    });
    expect(await release("prune", "--keep", "1")).toMatchObject({
      stdout: "Nothing was dropped.\n",
      stderr: expect.stringContaining('Keeping "index_new": an indexer writes it.'),
    });
    await next.stop();
    await waitFor(async () => (await sessionsOf(NEW)) === 0, next.output);
    const pruned = await release("prune", "--keep", "1");
    expect(pruned).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Dropped "index_new" \(/) });
    const left = await ask<{ name: string }>(
      database.url,
      "select nspname as name from pg_namespace where nspname !~ '^pg_|^information_schema$' order by 1",
    );
    expect(left.map(({ name }) => name)).toEqual([
      "index_old",
      "namedex",
      "namedex_cache",
      "namedex_service",
      "other_app",
      "public",
    ]);
    await expectAnswer(
      `${gateway.url}/whois/alice.eth`,
      await (await fetch(`${old.url}/whois/alice.eth`)).text(),
    );
    expect(await release("back")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no index to go back/),
    });
  });
});
