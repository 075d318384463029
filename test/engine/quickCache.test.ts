import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { nodeFlags } from "../../engine/nodeFlags.ts";
import { createTestDatabase } from "../support/database.ts";

const trial = fileURLToPath(new URL("cacheTrial.ts", import.meta.url));

/** The rows of Ponder's cache after the trial. */
async function runTrial(...flags: string[]): Promise<{ isChanged: boolean; stored: object[][] }> {
  const { url, drop } = await createTestDatabase();
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, trial, url], {
      maxBuffer: 2 ** 28,
    });
    return JSON.parse(stdout);
  } finally {
    await drop();
  }
}

test("the cache has the same rows as by Ponder's own statements", async () => {
  const [its, ours] = await Promise.all([runTrial(), runTrial(...nodeFlags())]);
  expect([its.isChanged, ours.isChanged]).toEqual([false, true]);
  expect(ours.stored).toEqual(its.stored);
  expect(ours.stored.map((rows) => rows.length)).toEqual([15, 60, 90]);
}, 600_000);
