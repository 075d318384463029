import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CommandError, readCommand } from "../../ops/commandLine/command.ts";
import { keysProgram } from "../../ops/keys/commands.ts";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { today, unlessMidnight } from "../access/today.ts";
import { createTestDatabase } from "../support/database.ts";
import { type Outcome, runProgram } from "./programs.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase();
  store = openStore({ databaseUrl: database.url, schema: "namedex_service" });
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

/** Runs the program as `npm run keys --` does, with only these settings. */
const runKeys = (line: string[], env: Record<string, string> = {}): Promise<Outcome> =>
  runProgram("keys.ts", line, { DATABASE_URL: database.url, ...env });

const json = async (...line: string[]) =>
  JSON.parse((await runKeys([...line, "--json"])).stdout) as Record<string, unknown>;

describe("npm run keys", () => {
  test("creates a key that the service accepts, and shows it once", async () => {
    const { code, stdout, stderr } = await runKeys(["create", "--label", "shop", "--credits", "250"]);
    expect([code, stderr]).toEqual([0, ""]);
    const [key = ""] = stdout.match(/ens_[A-Za-z0-9_-]{32}/) ?? [];
    expect(await keysIn(store).find(key)).toMatchObject({ credits: 250, isRevoked: false });
    const listed = (await runKeys(["list"])).stdout;
    expect(listed).toContain(`${key.slice(0, 8)}…`);
    expect(listed).toMatch(/ 250 .* shop$/m);
    expect(listed).not.toContain(key);
  });

  test("grants credits, reports their use, and revokes", unlessMidnight, async () => {
    const { id, key } = (await json("create")) as { id: number; key: string };
    expect(await json("grant", String(id), "5")).toEqual({ id, credits: 1_005 });
    await keysIn(store).charge(id, { credits: 3, operation: "GET /whois/{name}" });
    const day = today();
    expect(await json("usage", String(id))).toEqual([
      { day, operation: "GET /whois/{name}", requests: 1, credits: 3 },
    ]);
    expect((await runKeys(["usage", String(id)])).stdout).toMatch(/1 +3 +GET \/whois\/\{name\}$/m);
    expect(await json("revoke", String(id))).toEqual({ id, revoked: true });
    expect(await keysIn(store).find(key)).toMatchObject({ isRevoked: true });
    expect((await runKeys(["list"])).stdout).toContain(`revoked ${day}`);
    expect(await runKeys(["grant", String(id), "5"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`no key ${id} that is not revoked`),
    });
  });

  test("lists as JSON, with times in ISO 8601 and never a hash", async () => {
    await json("create", "--label", "told");
    const all = (await json("list")) as unknown as Record<string, unknown>[];
    expect(all.at(-1)).toEqual({
      id: expect.any(Number),
      prefix: expect.stringMatching(/^ens_.{4}$/),
      label: "told",
      owner: null,
      credits: 1_000,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      revoked_at: null,
    });
  });

  test("strips control characters from a label", async () => {
    await json("create", "--label", "red\u001b[31m\nnext");
    const listed = (await runKeys(["list"])).stdout;
    expect(listed).toContain("red\\u001b[31m next");
    expect(listed).not.toContain("\u001b");
  });

  test.each([
    [["sell"], 'Unknown command "sell"'],
    [["toString"], 'Unknown command "toString"'],
    [["create", "--credits", "-1"], "--credits"],
    [["create", "--credits=1e3"], '--credits is "1e3": expected a whole number from 0 to'],
    [["create", "--credits", "99999999999999999999"], "expected a whole number"],
    [["create", "--days", "3"], 'Option --days does not apply to "create"'],
    [["create", "--colour", "red"], "--colour"],
    [["create", "two"], "Usage: npm run keys -- create"],
    [["create", "--label", "x".repeat(201)], "at most 200 characters"],
    [["usage"], "Usage: npm run keys -- usage <id>"],
    [["usage", "one"], 'id is "one": expected a whole number'],
    [["usage", "99999"], "There is no key 99999"],
    [["usage", "1", "--days", "0"], "--days"],
    [["grant", "1"], "Usage: npm run keys -- grant <id> <credits>"],
    [["grant", "1", "0"], 'credits is "0"'],
    [["grant", "99999", "1"], "There is no key 99999"],
    [["revoke", "99999"], "There is no key 99999"],
    [["revoke", "99999999999"], "id is"],
  ])("%j fails with the expected message", async (line, message) => {
    const run = async () => readCommand(line, keysProgram)(keysIn(store));
    const failed = await run().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(CommandError);
    expect((failed as Error).message).toContain(message);
  });

  test("prints what is wrong to standard error in a sentence, and exits with 1", async () => {
    const { code, stdout, stderr } = await runKeys(["usage", "one"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe('id is "one": expected a whole number from 1 to 2147483647.\n');
  });

  test.each([["--help"], ["help"], []])("%s prints its usage", async (...line) => {
    const { code, stdout } = await runKeys(line, { DATABASE_URL: "" });
    expect([code, stdout]).toEqual([0, expect.stringContaining("revoke <id>")]);
  });

  test.each([
    ["no database is set", "", "DATABASE_URL is not set"],
    [
      "it cannot be reached",
      "postgresql://user:hunter2@127.0.0.1:1/none",
      "cannot connect to the database (ECONNREFUSED)",
    ],
  ])("says what to do when %s, without any password", async (_, url, message) => {
    const { code, stderr } = await runKeys(["list"], { DATABASE_URL: url });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("hunter2");
  });

  test("uses the configured schema of the service", async () => {
    const elsewhere = { DATABASE_SERVICE_SCHEMA: "other_service" };
    await runKeys(["create", "--label", "elsewhere"], elsewhere);
    expect((await runKeys(["list"], elsewhere)).stdout).toContain("elsewhere");
    expect((await runKeys(["list"])).stdout).not.toContain("elsewhere");
  });
});
