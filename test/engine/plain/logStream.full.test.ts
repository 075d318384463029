import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { expectFault } from "./fault.ts";

const logger = JSON.stringify(new URL("./internal/logger.js", import.meta.resolve("ponder-plain")).href);

/**
 * Logs a line where each line that passes `process.stdout` is counted, and says how many did. The count begins after the logger
 * is made, as ours does: Ponder makes its logger before it loads the configuration.
 */
const program = `
  const { createLogger } = await import(${logger});
  const logger = createLogger({ level: "info", mode: "json" });
  const write = process.stdout.write.bind(process.stdout);
  let seen = 0;
  process.stdout.write = (...words) => { seen++; return write(...words); };
  logger.info({ msg: "a key" });
  setTimeout(() => write("seen " + seen), 100);
`;

test("lines of the log go past process.stdout", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  expect(stdout).toContain('"msg":"a key"');
  expectFault("logStream", stdout.includes("seen 0"));
});
