import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { root } from "./support/projectFiles.ts";

/*
 * Types and lint are tests like the others, so that they run beside them. Types are checked by TypeScript 7 in one thread: it takes a
 * third of the processor time of TypeScript 5, whose programming interface other tests and packages need.
 */
const run = promisify(execFile);

/** What a script of package.json printed, if it did not end well. */
const complaintsOf = (script: string): Promise<string> =>
  run("npm", ["run", "--silent", script], { cwd: root, maxBuffer: 2 ** 26 }).then(
    () => "",
    ({ stdout, stderr }: { stdout: string; stderr: string }) =>
      `${stdout}${stderr}` || "it failed, and said nothing",
  );

/** Beside other tests the compiler has a part of a core. */
const PATIENCE_MS = 1_800_000;

test("types: `npm run typecheck` has no complaint", { timeout: PATIENCE_MS }, async () => {
  expect(await complaintsOf("typecheck")).toBe("");
});

test("lint: `npm run lint` has no complaint", { timeout: PATIENCE_MS }, async () => {
  expect(await complaintsOf("lint"), "`npm run format` fixes format, order of imports and the like").toBe("");
});
