import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { requireRights } from "../../ops/checks/rights.ts";
import { readDatabaseSettings } from "../../settings/settings.ts";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { openStore } from "../../src/api/server/serviceDb/store.ts";
import { ask, createTestDatabase } from "../support/database.ts";
import { bareEnvironment } from "../support/environment.ts";
import { type Outcome, runProgram } from "./programs.ts";

// Roles belong to the server, not to a database, so each run has its own names.
const prefix = `t${randomBytes(4).toString("hex")}`;
const RESTORED = "namedex_restored";

type Ended = { code: number; out: string };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let urls: Record<string, string>;
let backup: string;

/** An operator's program. Returns all its output. With input, it runs in its own process. */
async function run(words: string[], env: Record<string, string>, input?: string): Promise<Ended> {
  const [program = "", ...more] = words;
  const { code, stdout, stderr } = await (input === undefined
    ? runProgram(`${program}.ts`, more, env)
    : runWithInput(words, env, input));
  return { code, out: stdout + stderr };
}

function runWithInput(words: string[], env: Record<string, string>, input: string): Promise<Outcome> {
  const [program = "", ...more] = words;
  const file = fileURLToPath(new URL(`../../ops/${program}.ts`, import.meta.url));
  return new Promise((resolve) => {
    const options = { env: { ...bareEnvironment, ...env } };
    const child = execFile(process.execPath, [file, ...more], options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.on("error", () => {}); // A program that refuses its input stops reading it.
    child.stdin?.end(input);
  });
}

const roles = (env: Record<string, string> = {}) =>
  run(["roles", "--prefix", prefix], { DATABASE_URL: database.url, ...env });

const restoreAs = (url: string) =>
  run(["restore"], { DATABASE_URL: url, DATABASE_SERVICE_SCHEMA: RESTORED }, backup);

const listKeys = () =>
  run(["keys", "list"], { DATABASE_URL: urls.api ?? "", DATABASE_SERVICE_SCHEMA: RESTORED });

beforeAll(async () => {
  database = await createTestDatabase();
  const { out } = await roles();
  const made = [...out.matchAll(/DATABASE_URL=(\S+_(indexer|api|analyst):\S+)/g)];
  urls = Object.fromEntries(made.map(([, url = "", role = ""]) => [role, url]));
  const store = openStore({ databaseUrl: urls.api ?? "", schema: "namedex_service" });
  await keysIn(store).create({ label: "shop", owner: null, credits: 50, reason: "gift" });
  await store.close();
  backup = (await run(["backup"], { DATABASE_URL: urls.api ?? "" })).out;
  backup = backup
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .join("\n");
});

beforeEach(() => ask(database.url, `DROP SCHEMA IF EXISTS ${RESTORED} CASCADE`));

afterAll(async () => {
  for (const role of ["indexer", "api", "analyst"].map((name) => `${prefix}_${name}`)) {
    await ask(database.url, `DROP OWNED BY ${role} CASCADE`);
    await ask(database.url, `DROP ROLE ${role}`);
  }
  await database.drop();
});

describe("a restore into a new schema", () => {
  test("by a role that may not create it says so before it begins, and names what grants the right", async () => {
    const refused = await restoreAs(urls.api ?? "");
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/^Nothing was restored\.\n/);
    expect(refused.out).toContain(`The role "${prefix}_api" may not create the schema "${RESTORED}"`);
    expect(refused.out).toContain(`DATABASE_SERVICE_SCHEMA=${RESTORED} npm run roles`);
  });

  test("works after the roles were granted their rights on it, as the page says", async () => {
    expect(await roles({ DATABASE_SERVICE_SCHEMA: RESTORED })).toMatchObject({ code: 0 });
    expect(await restoreAs(urls.api ?? "")).toMatchObject({ code: 0 });
    expect(await listKeys()).toMatchObject({ code: 0, out: expect.stringContaining("shop") });
  });

  test("that already exists is refused, and another name is suggested", async () => {
    await roles({ DATABASE_SERVICE_SCHEMA: RESTORED });
    await restoreAs(urls.api ?? "");
    const { code, out } = await restoreAs(urls.api ?? "");
    expect([code, out]).toEqual([
      1,
      expect.stringContaining("for example DATABASE_SERVICE_SCHEMA=namedex_restored_2"),
    ]);
  });

  test.each(["indexer", "superuser"])("by the %s leaves it to the API's role", async (role) => {
    expect(await restoreAs(urls[role] ?? database.url)).toMatchObject({ code: 0 });
    expect(await listKeys()).toMatchObject({ code: 0, out: expect.stringContaining("shop") });
  });
});

describe("the roles program", () => {
  const again = () => roles({ DATABASE_SERVICE_SCHEMA: RESTORED });

  test("names each missing right, grants it, and says that none is missing only if none is", async () => {
    expect((await again()).out).toContain(`the schema ${RESTORED} of ${prefix}_api did not exist`);
    expect((await again()).out).toMatch(/already exist with all their privileges/);
    await restoreAs(urls.api ?? "");
    await ask(
      database.url,
      `ALTER SCHEMA ${RESTORED} OWNER TO CURRENT_USER; ALTER TABLE ${RESTORED}.api_keys OWNER TO CURRENT_USER;
       REVOKE USAGE ON SCHEMA namedex FROM ${prefix}_analyst;
       DO $$ BEGIN EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM ${prefix}_api', current_database()); END $$`,
    );
    const { code, out } = await again();
    expect([code, out]).toEqual([0, expect.stringMatching(/Granted what was missing/)]);
    expect(out).toContain(`- the schema ${RESTORED} belonged to `);
    expect(out).toContain(`- ${RESTORED}.api_keys belonged to `);
    expect(out).toContain(`- ${prefix}_analyst could not use the schema namedex`);
    expect(out).toContain(`- ${prefix}_api lacked CONNECT`);
    expect((await again()).out).toMatch(/already exist with all their privileges/);
    expect(await listKeys()).toMatchObject({ code: 0, out: expect.stringContaining("shop") });
  });
});

describe("an owner without superuser rights", () => {
  const owner = `${prefix}_boss`;
  const own = `${prefix}_own`;
  const databases: Awaited<ReturnType<typeof createTestDatabase>>[] = [];
  const nameOf = (url: string) => new URL(url).pathname.slice(1);

  /** A database of this owner, and the owner's URL for it. */
  async function createOwned(): Promise<string> {
    const created = await createTestDatabase();
    databases.push(created);
    await ask(created.url, `ALTER DATABASE ${nameOf(created.url)} OWNER TO ${owner}`);
    return created.url.replace(/\/\/.*@/, `//${owner}:boss@`);
  }

  beforeAll(() => ask(database.url, `CREATE ROLE ${owner} LOGIN PASSWORD 'boss' CREATEROLE`));

  afterAll(async () => {
    for (const role of ["indexer", "api", "analyst"].map((name) => `${own}_${name}`)) {
      for (const { url } of databases) await ask(url, `DROP OWNED BY ${role} CASCADE`);
      await ask(database.url, `DROP ROLE ${role}`);
    }
    for (const { drop } of databases) await drop();
    await ask(database.url, `DROP ROLE ${owner}`);
  });

  test("can create the roles repeatedly; a run on a second database leaves the first one's analysts as they were", async () => {
    const [first, second] = [await createOwned(), await createOwned()];
    const make = (url: string, views: string) =>
      run(["roles", "--prefix", own], { DATABASE_URL: url, VIEWS_SCHEMA: views });
    const { code, out } = await make(first, "first_views");
    expect([code, out.match(/DATABASE_URL=/g)?.length], out).toEqual([0, 3]);
    const [, analyst = ""] = /DATABASE_URL=(\S+_analyst:\S+)/.exec(out) ?? [];
    expect((await make(first, "first_views")).out).toMatch(/already exist with all their privileges/);
    expect(await make(second, "second_views")).toMatchObject({ code: 0 });
    expect(await ask(analyst, "SHOW search_path")).toEqual([{ search_path: "first_views" }]);
    const beside = analyst.replace(nameOf(first), nameOf(second));
    expect(await ask(beside, "SHOW search_path")).toEqual([{ search_path: "second_views" }]);
    for (const url of [analyst, beside]) {
      expect(await ask(url, "SHOW default_transaction_read_only")).toEqual([
        { default_transaction_read_only: "on" },
      ]);
    }
  });
});

test("a command changes a password: the old one is refused, and the rights stay", async () => {
  const { code, out } = await run(["roles", "--prefix", prefix, "--new-password", "api"], {
    DATABASE_URL: database.url,
  });
  expect(code).toBe(0);
  const [, url = ""] = /DATABASE_URL=(\S+_api:\S+)/.exec(out) ?? [];
  expect([out.match(/DATABASE_URL=/g)?.length, new URL(url).username]).toEqual([1, `${prefix}_api`]);
  expect(url).not.toBe(urls.api);
  expect(await run(["keys", "list"], { DATABASE_URL: url })).toMatchObject({ code: 0 });
  urls.api = url;
  const wrong = await run(["roles", "--new-password", "owner"], { DATABASE_URL: database.url });
  expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining("expected indexer, api, analyst") });
});

test("no program ends with a stack trace for a missing right: it names what grants it", async () => {
  await ask(database.url, `CREATE SCHEMA ${RESTORED}`);
  for (const words of [["keys", "list"], ["backup"], ["restore"], ["release", "list"], ["roles"]]) {
    const env = { DATABASE_URL: urls.api ?? "", DATABASE_SERVICE_SCHEMA: RESTORED };
    const { code, out } = await run(words, env, words[0] === "restore" ? backup : undefined);
    expect([words, code]).toEqual([words, 1]);
    expect(out, words[0]).not.toMatch(/^ {4}at /m);
    const remedy = words[0] === "roles" ? "must own the database, have CREATEROLE" : "npm run roles";
    expect(out, words[0]).toContain(remedy);
    if (words[0] === "roles") expect(out).not.toContain("npm run roles"); // The command that was run.
  }
});

describe("a start by a role without rights", () => {
  test.each<["start" | "serve", string, RegExp]>([
    [
      "start",
      "api",
      /It may not:\n- create temporary tables .*\n- create the schema "index_n"\n- create the schema "namedex_cache"/,
    ],
    ["serve", "analyst", /It may not:\n- create tables in the schema "namedex_service"\n/],
  ])(
    "%s by the role %s names what is missing, and the program that grants it",
    async (command, role, said) => {
      const settings = readDatabaseSettings({ DATABASE_URL: urls[role], DATABASE_SCHEMA: "index_n" });
      const refused = await requireRights(command, settings).catch((error: Error) => error.message);
      expect(refused).toMatch(said);
      expect(refused).toMatch(/npm run roles with the DATABASE_URL of the database's owner/);
    },
  );

  test("another role's index is read or changed only by those who may", async () => {
    await ask(database.url, "CREATE SCHEMA index_of_other; CREATE TABLE index_of_other.domains (id int)");
    const as = (role: string) =>
      readDatabaseSettings({ DATABASE_URL: urls[role], DATABASE_SCHEMA: "index_of_other" });
    await expect(requireRights("start", as("indexer"))).rejects.toThrow(
      '- create tables in the schema "index_of_other"',
    );
    await expect(requireRights("serve", as("api"))).rejects.toThrow('- use the schema "index_of_other"');
    await ask(
      database.url,
      `ALTER SCHEMA index_of_other OWNER TO ${prefix}_indexer;
      GRANT USAGE ON SCHEMA index_of_other TO ${prefix}_api`,
    );
    await expect(requireRights("start", as("indexer"))).rejects.toThrow(
      '- change the table "index_of_other"."domains" of ',
    );
    await expect(requireRights("serve", as("api"))).rejects.toThrow(
      '- read the table "index_of_other"."domains"',
    );
    await ask(
      database.url,
      `ALTER TABLE index_of_other.domains OWNER TO ${prefix}_indexer;
      GRANT SELECT ON index_of_other.domains TO ${prefix}_api`,
    );
    await requireRights("start", as("indexer"));
    await requireRights("serve", as("api"));
  });
});
