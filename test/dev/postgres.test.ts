import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../../devnet/ports.ts";
import { openDatabase, startPostgres } from "../../devnet/postgres.ts";
import { ask, createTestDatabase } from "../support/database.ts";

/** Closed to other accounts, as root's home is: PostgreSQL of root then keeps its data elsewhere. */
const folder = mkdtempSync(join(tmpdir(), "namedex-test-"));
const folders = new Set([folder]);
const data = join(folder, "postgres");

afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

test("names of every script are compared without regard to case, and by their parts", async () => {
  const { url, drop } = await createTestDatabase();
  const sql = "SELECT lower('ÄΩЖ') AS lower, public.similarity('ÄΩЖ.eth', 'äωж.eth') AS similarity";
  expect(await ask(url, sql)).toEqual([{ lower: "äωж", similarity: 1 }]);
  await drop();
});

test("a server whose keeper was killed is stopped, and its tables are still there", async () => {
  const first = await startAndKill();
  await ask(first, "SELECT 1").catch(() => {}); // The old server may or may not be gone already.
  const server = await startPostgres({ data, preferredPort: 0 });
  folders.add(dirname(server.data));
  const url = await openDatabase(server.url, "kept");
  expect(await ask(url, "SELECT word FROM memory")).toEqual([{ word: "kept" }]);
  await server.stop();
  await expect(ask(first, "SELECT 1")).rejects.toThrow();
});

test("two servers that want the same port at the same time have one each", async () => {
  const preferredPort = await freePort();
  const wanted = ["one", "two"].map((name) => ({ data: join(folder, name), preferredPort }));
  const servers = await Promise.all(wanted.map((one) => startPostgres(one)));
  for (const { data: path } of servers) folders.add(dirname(path));
  try {
    expect(new Set(servers.map(({ url }) => url)).size).toBe(2);
    for (const { url, data: path } of servers) {
      expect(await ask(url, "SHOW data_directory")).toEqual([{ data_directory: path }]);
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
});

/** Another Node process starts the server, writes a row and is killed; gives the server's URL. */
function startAndKill(): Promise<string> {
  const module = fileURLToPath(new URL("../../devnet/postgres.ts", import.meta.url));
  const script = `
    import pg from "pg";
    import { startPostgres, openDatabase } from ${JSON.stringify(module)};
    const server = await startPostgres({ data: ${JSON.stringify(data)}, preferredPort: 0 });
    const client = new pg.Client({ connectionString: await openDatabase(server.url, "kept") });
    await client.connect();
    await client.query("CREATE TABLE memory AS SELECT 'kept' AS word");
    console.log(server.url);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
  });
  return new Promise((resolve, reject) => {
    child.stderr.on("data", (text) => reject(new Error(String(text))));
    child.stdout.once("data", (text) => {
      child.kill("SIGKILL");
      resolve(String(text).trim());
    });
  });
}
