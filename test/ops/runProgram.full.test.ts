import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const of = (file: string) => JSON.stringify(new URL(file, root).href);

/** A program whose work is this code, as text for `node --eval`. */
const program = (work: string, frame = "") => `
  const { runProgram, interruption } = await import(${of("ops/commandLine/runProgram.ts")});
  const { CommandError } = await import(${of("ops/commandLine/command.ts")});
  const { SettingsError } = await import(${of("settings/settings.ts")});
  const { default: pg } = await import("pg");
  await runProgram(
    { env: process.env, failure: "Nothing was done.", hideIn: [process.stderr], ${frame} },
    async (env) => { ${work} },
  );`;

const argumentsOf = (text: string) => ["--input-type=module", "--eval", text];

type Ended = { code: number; stdout: string; stderr: string };

async function run(text: string, env: Record<string, string> = {}, cwd = root.pathname): Promise<Ended> {
  try {
    const options = { env: { PATH: process.env.PATH, ...env }, cwd };
    return { code: 0, ...(await promisify(execFile)(process.execPath, argumentsOf(text), options)) };
  } catch (error) {
    return error as Ended;
  }
}

test("the result of the work is printed, and its code is the program's", async () => {
  expect(await run(program(`return { text: "done", code: 3 };`))).toMatchObject({
    code: 3,
    stdout: "done\n",
  });
  expect(await run(program("return {};"))).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("help is printed without doing any work", async () => {
  const ended = await run(program(`throw new Error("work")`, `help: "how to use it",`));
  expect(ended).toEqual({ code: 0, stdout: "how to use it\n", stderr: "" });
});

test.each([
  ["a command line that is wrong", `throw new CommandError("--x is no number")`, "--x is no number\n"],
  [
    "a setting that is wrong",
    `throw new SettingsError("PORT is x")`,
    "Nothing was done.\nPORT is x\nSee there.\n",
  ],
  [
    "a database without an answer",
    `await new pg.Client("postgresql://u:p@127.0.0.1:1/none").connect()`,
    "Nothing was done.\nDATABASE_URL: cannot connect to the database (ECONNREFUSED). Is it running?\n",
  ],
  [
    "a database that refuses",
    `throw new pg.DatabaseError("permission denied for schema x", 1, "error")`,
    "Nothing was done.\nPostgreSQL error: permission denied for schema x\n",
  ],
  [
    "a connection that ends",
    `throw new Error("Connection terminated unexpectedly")`,
    "Nothing was done.\nThe connection to the database was lost. Is it running?\n",
  ],
])("%s is reported without a stack trace", async (_, work, said) => {
  const { code, stdout, stderr } = await run(program(work, `aboutSettings: "See there.",`));
  expect([code, stdout, stderr]).toEqual([1, "", said]);
});

test("a defect in the program has its stack trace, without secrets", async () => {
  const secret = { DATABASE_URL: "postgresql://user:hunter2secret@db.example/x" };
  const { code, stderr } = await run(program(`throw new TypeError("no x in " + env.DATABASE_URL)`), secret);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Nothing was done\.\nTypeError: no x in .*\n {4}at /);
  expect(stderr).not.toContain("hunter2secret");
});

test("no output moves the cursor: not the result, an error, or an error that ends the process", async () => {
  const evil = String.raw`"\u001b[2J\u202e\u009b evil"`;
  const said = String.raw`\u001b[2J\u202e\u009b evil`;
  expect((await run(program(`return { text: ${evil} };`))).stdout).toBe(`${said}\n`);
  expect((await run(program(`throw new CommandError(${evil});`))).stderr).toBe(`${said}\n`);
  const later = `setTimeout(() => { throw new Error(${evil}); }); await new Promise(() => {});`;
  const { stderr } = await run(program(later));
  expect(stderr).toContain(said);
  expect(stderr).not.toMatch(/[^\n\P{C}]/u);
});

test("an error has the exit code that the program gives it", async () => {
  const codeOf = "codeOf: (error) => (error instanceof CommandError ? 75 : 2),";
  expect((await run(program(`throw new CommandError("later")`, codeOf))).code).toBe(75);
  expect((await run(program(`throw new Error("broken")`, codeOf))).code).toBe(2);
});

test("settings from a file are available, and the environment takes precedence", async () => {
  const folder = mkdtempSync(join(tmpdir(), "namedex-frame-"));
  writeFileSync(join(folder, ".env"), "DATABASE_SCHEMA=file\nVIEWS_SCHEMA=file\n");
  const text = program(`return { text: env.DATABASE_SCHEMA + " " + env.VIEWS_SCHEMA };`).replace(
    'import("pg")',
    `import(${JSON.stringify(import.meta.resolve("pg"))})`,
  );
  expect((await run(text, { VIEWS_SCHEMA: "set" }, folder)).stdout).toBe("file set\n");
});

test("the first signal asks the program to end, and the second one ends it", async () => {
  const child = spawn(
    process.execPath,
    argumentsOf(
      program(`
        const signal = interruption(7);
        signal.addEventListener("abort", () => console.log(signal.reason));
        console.log("ready");
        await new Promise((resolve) => setTimeout(resolve, 600_000));`),
    ),
    { stdio: ["ignore", "pipe", "inherit"], cwd: root.pathname },
  );
  const said = async () => String((await once(child.stdout, "data"))[0]).trim();
  expect(await said()).toBe("ready");
  child.kill("SIGTERM");
  expect(await said()).toBe("SIGTERM");
  child.kill("SIGINT");
  expect((await once(child, "exit"))[0]).toBe(7);
});
