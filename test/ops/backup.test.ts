import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient } from "../../src/api/server/postgres/client.ts";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { migrations } from "../../src/api/server/serviceDb/migrations.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { ask, createTestDatabase } from "../support/database.ts";
import { bareEnvironment } from "../support/environment.ts";

const HUGE = 2n ** 53n - 1n;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let key = "";
let backup = "";

/** Runs an operator's program as `npm run` does. */
function run(program: "backup" | "restore", { schema, input = "" }: { schema: string; input?: string }) {
  const { child, ended } = start(program, schema);
  child.stdin.end(input);
  return ended;
}

function start(program: "backup" | "restore", schema: string) {
  const file = fileURLToPath(new URL(`../../ops/${program}.ts`, import.meta.url));
  const child = spawn(process.execPath, [file], {
    env: { ...bareEnvironment, DATABASE_URL: database.url, DATABASE_SERVICE_SCHEMA: schema },
  });
  const output = { out: "", err: "" };
  child.stdout.on("data", (text) => (output.out += text));
  child.stderr.on("data", (text) => (output.err += text));
  child.stdin.on("error", () => {}); // A program that refuses its input stops reading it.
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, ...output })),
  );
  return { child, ended };
}

async function rowsOf(schema: string, table: string): Promise<unknown[]> {
  return ask(database.url, `SELECT to_json(t)::text AS row FROM ${schema}.${table} t ORDER BY 1`);
}

beforeAll(async () => {
  database = await createTestDatabase();
  store = openStore({ databaseUrl: database.url, schema: "namedex_service" });
  const keys = keysIn(store);
  const made = await keys.create({
    label: 'it\'s "quoted", ünï\n',
    owner: null,
    credits: 50,
    reason: "gift",
  });
  key = made.key;
  await keys.charge(made.id, { credits: 3, operation: "GET /whois/{name}" });
  await keys.create({ label: "rich", owner: `0x${"ab".repeat(20)}`, credits: Number(HUGE), reason: "gift" });
  const gone = await keys.create({ label: "gone", owner: null, credits: 0, reason: "none" });
  await keys.revoke(gone.id);
  // More rows than are read or written at once.
  for (let i = 0; i < 20; i++)
    await store.query(
      "INSERT INTO ledger (key_id, credits, balance, reason) SELECT $1, 0, 47, 'row ' || n FROM generate_series(1, 120) n",
      [made.id],
    );
  backup = (await run("backup", { schema: "namedex_service" })).out;
});

afterAll(async () => {
  await store?.close();
  await database?.drop();
});

test("a backup has a line for each key and each ledger row, but no key's text", async () => {
  const lines = backup.trimEnd().split("\n");
  const ledger = await rowsOf("namedex_service", "ledger");
  expect(ledger.length).toBeGreaterThan(2_400);
  expect(lines.filter((line) => line.startsWith('{"table":"ledger"'))).toHaveLength(ledger.length);
  expect(lines.filter((line) => line.startsWith('{"table":"api_keys"'))).toHaveLength(3);
  expect(backup).not.toContain(key);
});

test("a backup is restored to the last digit, and the service continues from there", async () => {
  const { code, err, out } = await run("restore", { schema: "restored", input: backup });
  expect(err).toBe("");
  expect(code).toBe(0);
  expect(out).toMatch(/^\d+ rows restored into schema "restored"/);
  for (const table of ["api_keys", "ledger"]) {
    expect(await rowsOf("restored", table)).toEqual(await rowsOf("namedex_service", table));
  }
  const again = openStore({ databaseUrl: database.url, schema: "restored" });
  const keys = keysIn(again);
  const found = await keys.find(key);
  expect(found).toMatchObject({ credits: 47, isRevoked: false });
  expect(await keys.charge(found?.id ?? 0, { credits: 47, operation: "POST /whois/bulk" })).toBe(0);
  const next = await keys.create({ label: "next", owner: null, credits: 1, reason: "new" });
  expect(next.id).toBe(4);
  await again.close();
});

test("a backup of an earlier version is upgraded to today's", async () => {
  const version = migrations.findIndex((text) => text.includes("CREATE TABLE ledger")) + 1;
  const older = backup.replace(/"version":\d+/, `"version":${version}`);
  const { code } = await run("restore", { schema: "older", input: older });
  expect(code).toBe(0);
  expect(await rowsOf("older", "migrations")).toHaveLength(migrations.length);
});

const lines = () => backup.trimEnd().split("\n");

test.each([
  ["nothing", () => "", /The backup is empty/],
  ["another file", () => "hello\n", /not a Namedex backup/],
  ["one that is cut off between lines", () => lines().slice(0, -3).join("\n"), /truncated after \d+ rows/],
  ["one that is cut off within a line", () => backup.slice(0, -60), /damaged at row \d+/],
  ["one that lost a line", () => lines().toSpliced(4, 1).join("\n"), /damaged at row/],
  [
    "one of a later version",
    () => backup.replace(/"version":\d+/, '"version":999'),
    /by a later version of Namedex \(schema version 999/,
  ],
  [
    "one with a table that there is not",
    () => backup.replace('"table":"ledger"', '"table":"pg_class"'),
    /.+/,
  ],
])("%s is refused and leaves nothing behind", async (_what, input, message) => {
  const { code, err } = await run("restore", { schema: "refused", input: input() });
  expect(err).toMatch(/^Nothing was restored\./);
  expect(err).toMatch(message);
  expect(code).toBe(1);
  await expect(rowsOf("refused", "migrations")).rejects.toThrow(/does not exist/);
});

test("a database that goes away while lines are awaited is reported in a sentence", async () => {
  const { child, ended } = start("restore", "broken_off");
  child.stdin.write(`${lines().slice(0, 3).join("\n")}\n`);
  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'idle in transaction'`;
  await withClient({ connectionString: database.url }, async (client) => {
    while ((await client.query(cut)).rowCount === 0) await sleep(20);
  });
  await sleep(200); // The program learns of it while no query is running.
  child.stdin.end(lines().slice(3).join("\n"));
  const { code, err } = await ended;
  expect(err).toMatch(/^Nothing was restored\.\n.+\n$/);
  expect(code).toBe(1);
});

test("nothing is restored over existing data", async () => {
  const { code, err } = await run("restore", { schema: "namedex_service", input: backup });
  expect(err).toMatch(/already has tables. Restore into a new one/);
  expect(code).toBe(1);
});

test("a backup of nothing says what is wrong", async () => {
  const { code, err } = await run("backup", { schema: "nowhere" });
  expect(err).toMatch(/No backup was taken/);
  expect(code).toBe(1);
});
