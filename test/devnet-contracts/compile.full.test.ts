import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const compiler = fileURLToPath(new URL("../../devnet/compile.ts", import.meta.url));

/** By another process: this one would be deaf to vitest for as long as the compiler works. */
test("the compiled contracts are what a fresh compile gives", async () => {
  const compiled = await promisify(execFile)(process.execPath, [compiler, "--check"]).catch(
    (error: { stderr: string }) => error,
  );
  expect(compiled).not.toBeInstanceOf(Error);
}, 300_000);
